import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
  ChannelType,
  Events,
  type Interaction,
  MessageFlags,
  ModalBuilder,
  OverwriteType,
  PermissionFlagsBits,
  TextInputBuilder,
  TextInputStyle,
} from "discord.js";
import { expect, test } from "vitest";
import { PRIVILEGED } from "../../src/playground/gateway/intents.js";
import type { RecordedRequest } from "../../src/playground/rest/pipeline.js";
import { ALL_PERMISSIONS } from "../../src/playground/world/permissions.js";
import { startTestLoopback } from "../support/loopback.js";
import { loadOpenApi } from "../support/openapi.js";
import { login, textChannel } from "./client.js";
import { PNG } from "./pictures.js";

const checker = loadOpenApi();
const tolerant = loadOpenApi({ ignoreRefusedBodies: true });
const reason = checker ? "" : " (skipped: Discord's API description is not beside the repository)";

test.skipIf(!checker)(
  `every request of discord.js and every answer fits Discord's API description${reason}`,
  async () => {
    const loopback = await startTestLoopback({
      guild: { botPermissions: ALL_PERMISSIONS },
      privilegedIntents: PRIVILEGED,
    });
    const client = await login(loopback);
    const { guild, owner, people, channelId } = loopback;
    client.on(Events.InteractionCreate, (interaction) => void answer(interaction));

    await client.application.fetch();
    await client.users.fetch(owner.id);
    await client.rest.get("/users/@me/guilds");
    const server = await client.guilds.fetch({ guild: guild.id, force: true });
    await server.members.fetch({ user: owner.id, force: true });
    await server.members.list({ limit: 10 });
    await server.members.search({ query: "Ada" });
    await server.members.me?.setNickname("Parley bot");
    await server.roles.fetch();
    await server.channels.fetch();

    const category = await server.channels.create({
      name: "Groups",
      type: ChannelType.GuildCategory,
    });
    const made = await server.channels.create({
      name: "Reading room",
      type: ChannelType.GuildText,
      parent: category.id,
      topic: "Books",
    });
    await made.edit({ name: "library", topic: null });
    await made.permissionOverwrites.create(owner.id, { SendMessages: false });
    await made.permissionOverwrites.edit(
      guild.id,
      { ViewChannel: false },
      { type: OverwriteType.Role },
    );
    await made.permissionOverwrites.delete(owner.id);
    await server.channels.setPositions([{ channel: made.id, position: 3 }]);
    await client.channels.fetch(made.id, { force: true });

    const channel = await textChannel(client, channelId);
    const spoken = people.post(owner.id, channelId, `Hello <@${client.user.id}> and @everyone`, {
      files: [{ filename: "a b.png", contentType: "image/png", bytes: PNG }],
    });
    people.post(owner.id, channelId, "Look", { sticker: "Thumbs" });
    people.post(owner.id, channelId, "", { poll: { question: "Lunch?", answers: ["Soup", "No"] } });
    people.post(owner.id, channelId, "", {
      files: [{ filename: "voice-message.ogg", contentType: "audio/ogg", bytes: PNG }],
      isVoice: true,
    });
    await channel.sendTyping();
    const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
      new ButtonBuilder().setCustomId("update").setLabel("Update").setStyle(ButtonStyle.Primary),
      new ButtonBuilder().setCustomId("form").setLabel("Form").setStyle(ButtonStyle.Secondary),
      new ButtonBuilder().setLabel("Site").setStyle(ButtonStyle.Link).setURL("https://example.org"),
    );
    const message = await channel.send({
      content: "Press",
      components: [row],
      embeds: [{ title: "Title", description: "Text", fields: [{ name: "n", value: "v" }] }],
      files: [{ name: "note.txt", attachment: Buffer.from("note"), description: "A note" }],
      nonce: "1234",
      enforceNonce: true,
    });
    await channel.send({
      content: "Reply",
      reply: { messageReference: spoken.id, failIfNotExists: false },
      flags: MessageFlags.SuppressNotifications,
      allowedMentions: { parse: [], repliedUser: false },
    });
    await message.edit({ content: "Press one" });
    await message.react("👍");
    await message.reactions.resolve("👍")?.users.fetch();
    await message.reactions.resolve("👍")?.users.remove(client.user.id);
    await message.reactions.removeAll();
    await message.pin();
    await channel.messages.fetchPins();
    await message.unpin();
    await channel.messages.fetch({ limit: 10, after: spoken.id, cache: false });
    await channel.messages.fetch({ message: message.id, force: true });
    const extras = [await channel.send("1"), await channel.send("2"), await channel.send("3")];
    await extras.pop()?.delete();
    await channel.bulkDelete(extras);

    const webhook = await channel.createWebhook({ name: "Parley", avatar: dataUri() });
    await channel.fetchWebhooks();
    await server.fetchWebhooks();
    await client.fetchWebhook(webhook.id);
    await client.fetchWebhook(webhook.id, webhook.token ?? "");
    await webhook.edit({ name: "Parley two" });
    const said = await webhook.send({
      content: "I am **Editor**",
      username: "Editor",
      avatarURL: "https://cdn.discordapp.com/emojis/1.png",
      allowedMentions: { parse: [] },
      files: [{ name: "whole.md", attachment: Buffer.from("# All") }],
    });
    await webhook.editMessage(said.id, { content: "I am Editor", allowedMentions: { parse: [] } });
    await webhook.fetchMessage(said.id);

    const thread = await message.startThread({ name: "Aside" });
    const inThread = await webhook.send({
      content: "Here",
      username: "Editor",
      threadId: thread.id,
    });
    await webhook.editMessage(inThread.id, { content: "There", threadId: thread.id });
    await webhook.deleteMessage(inThread.id, thread.id);
    await thread.send("In the thread");
    await thread.members.add(owner.id);
    await thread.members.fetch();
    await thread.leave();
    await thread.join();
    await channel.threads.fetchActive();
    await thread.setArchived(true);
    await channel.threads.fetchArchived();
    await thread.setArchived(false);
    await thread.edit({ name: "Aside two", locked: true });
    const free = await channel.threads.create({ name: "Free", type: ChannelType.PublicThread });
    await free.delete();
    await webhook.deleteMessage(said.id);
    await webhook.delete();

    const { application } = client;
    const emoji = await application.emojis.create({
      name: "editor_1",
      attachment: Buffer.from(PNG),
    });
    await application.emojis.fetch();
    await application.emojis.fetch(emoji.id, { force: true });
    await application.emojis.edit(emoji.id, { name: "editor_2" });
    await application.emojis.delete(emoji.id);

    await application.commands.set(COMMANDS, guild.id);
    await application.commands.fetch({ guildId: guild.id });
    const single = await application.commands.create({ name: "once", description: "Once" });
    await application.commands.edit(single.id, { description: "Once only" });
    await application.commands.delete(single.id);
    await application.commands.set(COMMANDS);

    const asked = (path: string, values = {}) => people.command(owner.id, channelId, path, values);
    await asked("plain", {
      text: "a",
      who: owner.id,
      where: channelId,
      file: { filename: "c.json", contentType: "application/json", bytes: PNG },
    }).answered;
    await asked("slow").answered;
    await asked("gc start", { agents: "a" }).answered;
    expect(await people.autocomplete(owner.id, channelId, "plain", "text", { text: "a" })).toEqual([
      { name: "alpha", value: "alpha" },
    ]);
    await people.menu(owner.id, channelId, "Why this?", message.id).answered;
    await people.press(owner.id, channelId, message.id, "update").answered;
    const form = await people.press(owner.id, channelId, message.id, "form").answered;
    expect(form.modal?.custom_id).toBe("modal");
    const openers = [...loopback.world.interactions.values()].filter((one) => one.modal !== null);
    await people.submit(owner.id, openers[0]?.id ?? "", { reason: "Because" }).answered;
    await loopback.until(
      () => (loopback.requests.every((one) => one.status !== null) ? true : undefined),
      "all answers",
    );
    await made.delete();

    const problems = checker?.problems(loopback.requests);
    await client.destroy();
    await loopback.close();
    expect(problems).toEqual([]);
    expect(refused(loopback.requests)).toEqual([]);
  },
);

test.skipIf(!tolerant)(
  `refusals have the shape that Discord's API describes${reason}`,
  async () => {
    const loopback = await startTestLoopback();
    const client = await login(loopback);
    const channel = await textChannel(client, loopback.channelId);
    const webhook = await channel.createWebhook({ name: "Parley" });
    const attempts = [
      () => channel.send(""),
      () => channel.send("x".repeat(2001)),
      () => channel.messages.fetch("123456789012345678"),
      () => client.channels.fetch("123456789012345678"),
      () => webhook.send({ content: "Hi", username: "Clyde" }),
      () => webhook.send({ content: "Hi", embeds: [{ title: "x".repeat(300) }] }),
      () => client.application.commands.create({ name: "Bad Name", description: "x" }),
      () => channel.guild.roles.fetch("123456789012345678"),
    ];
    for (const attempt of attempts) await attempt().catch(() => undefined);
    const problems = tolerant?.problems(loopback.requests);
    await client.destroy();
    await loopback.close();
    expect(refused(loopback.requests).length).toBeGreaterThanOrEqual(6);
    expect(problems).toEqual([]);
  },
);

test.skipIf(!checker)(`a request that Discord would not understand is noticed${reason}`, () => {
  const wrong = { content: "Hi", embeds: "none" };
  const [problem] = checker?.problems([request({ body: wrong })]) ?? [];
  expect(problem).toContain("/embeds");
  const [unknownQuery] = checker?.problems([request({ query: { bogus: "1" } })]) ?? [];
  expect(unknownQuery).toContain("bogus");
  const [strange] = checker?.problems([request({ path: "/nothing" })]) ?? [];
  expect(strange).toContain("no such operation");
});

function request(part: Partial<RecordedRequest>): RecordedRequest {
  return {
    method: "POST",
    path: "/channels/123456789012345678/messages",
    query: {},
    authorization: null,
    contentType: "application/json",
    body: { content: "Hi" },
    files: [],
    status: null,
    responseBody: undefined,
    fault: null,
    atMs: 0,
    ...part,
  };
}

function refused(requests: readonly RecordedRequest[]): string[] {
  return requests
    .filter(({ status }) => status === null || status >= 400)
    .map(({ method, path, status, responseBody }) =>
      [method, path, status, JSON.stringify(responseBody)].join(" "),
    );
}

function dataUri(): string {
  return `data:image/png;base64,${Buffer.from(PNG).toString("base64")}`;
}

const COMMANDS = [
  {
    name: "plain",
    description: "Plain",
    defaultMemberPermissions: PermissionFlagsBits.ManageChannels,
    options: [
      {
        name: "text",
        description: "Text",
        type: ApplicationCommandOptionType.String,
        required: true,
        autocomplete: true,
      },
      { name: "who", description: "Who", type: ApplicationCommandOptionType.User },
      { name: "where", description: "Where", type: ApplicationCommandOptionType.Channel },
      { name: "file", description: "File", type: ApplicationCommandOptionType.Attachment },
    ],
  },
  { name: "slow", description: "Slow" },
  {
    name: "gc",
    description: "Chat",
    options: [
      {
        name: "start",
        description: "Start",
        type: ApplicationCommandOptionType.Subcommand,
        options: [
          {
            name: "agents",
            description: "Who",
            type: ApplicationCommandOptionType.String,
            required: true,
          },
        ],
      },
    ],
  },
  { name: "Why this?", type: ApplicationCommandType.Message },
] as const;

async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isAutocomplete()) {
    await interaction.respond([{ name: "alpha", value: "alpha" }]);
  } else if (interaction.isChatInputCommand() && interaction.commandName === "slow") {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.editReply("Done");
    const second = await interaction.followUp({ content: "More", flags: MessageFlags.Ephemeral });
    await interaction.editReply({ message: second, content: "More of it" });
    await interaction.deleteReply(second);
    await interaction.fetchReply();
  } else if (interaction.isChatInputCommand() || interaction.isMessageContextMenuCommand()) {
    await interaction.reply({ content: "Answer", withResponse: true });
  } else if (interaction.isButton() && interaction.customId === "update") {
    await interaction.deferUpdate();
    await interaction.editReply({ content: "Pressed" });
  } else if (interaction.isButton()) {
    const input = new TextInputBuilder()
      .setCustomId("reason")
      .setLabel("Reason")
      .setStyle(TextInputStyle.Short);
    await interaction.showModal(
      new ModalBuilder()
        .setCustomId("modal")
        .setTitle("Why")
        .addComponents(new ActionRowBuilder<TextInputBuilder>().addComponents(input)),
    );
  } else if (interaction.isModalSubmit()) {
    await interaction.reply({
      content: interaction.fields.getTextInputValue("reason"),
      flags: MessageFlags.Ephemeral,
    });
  }
}

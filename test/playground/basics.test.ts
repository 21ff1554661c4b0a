import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ButtonBuilder,
  ButtonStyle,
  Client,
  Events,
  GatewayIntentBits,
  MessageFlags,
  type TextChannel,
} from "discord.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";

let loopback: TestLoopback;
let client: Client;

beforeEach(async () => {
  loopback = await startTestLoopback();
  client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.GuildWebhooks,
      GatewayIntentBits.MessageContent,
    ],
    rest: { api: loopback.apiUrl, retries: 0 },
  });
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(loopback.token);
  await ready;
});

afterEach(async () => {
  await client.destroy();
  await loopback.close();
});

async function general(): Promise<TextChannel> {
  const channel = await client.channels.fetch(loopback.channelId);
  return channel as TextChannel;
}

test("the client sees the server, its owner's channel and its own rights", async () => {
  const guild = client.guilds.cache.get(loopback.guild.id);
  expect(guild?.name).toBe("Workshop");
  expect((await general()).name).toBe("general");
  expect(guild?.members.me?.permissions.has("ManageWebhooks")).toBe(true);
  expect(guild?.members.me?.permissions.has("Administrator")).toBe(false);
});

test("a person's message reaches the client with its text and sender", async () => {
  const received = new Promise<{ content: string; name: string }>((resolve) => {
    client.once(Events.MessageCreate, (message) =>
      resolve({ content: message.content, name: message.author.displayName }),
    );
  });
  loopback.people.post(loopback.owner.id, loopback.channelId, "Hello there");
  expect(await received).toEqual({ content: "Hello there", name: "Ada" });
});

test("a persona's message carries the webhook and no member", async () => {
  const webhook = await (await general()).createWebhook({ name: "Parley" });
  const received = new Promise<unknown>((resolve) => {
    client.once(Events.MessageCreate, (message) =>
      resolve([message.author.username, message.webhookId, message.member, message.applicationId]),
    );
  });
  const sent = await webhook.send({
    content: " Hi ",
    username: "Editor",
    avatarURL: "https://example.org/a.png",
  });
  expect(sent.content).toBe("Hi");
  expect(await received).toEqual(["Editor", webhook.id, null, loopback.world.application.id]);
});

test("a slash command with an option is answered and seen by its caller only", async () => {
  await client.application?.commands.set(
    [
      {
        name: "ask",
        description: "Asks",
        options: [
          {
            name: "text",
            description: "What",
            type: ApplicationCommandOptionType.String,
            required: true,
          },
        ],
      },
    ],
    loopback.guild.id,
  );
  client.once(Events.InteractionCreate, (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    void interaction.reply({
      content: `You said ${interaction.options.getString("text")}`,
      flags: MessageFlags.Ephemeral,
    });
  });
  const run = loopback.people.command(loopback.owner.id, loopback.channelId, "ask", {
    text: "hey",
  });
  const outcome = await run.answered;
  expect(outcome).toMatchObject({ state: "answered", isEphemeral: true, content: "You said hey" });
  expect((await (await general()).messages.fetch()).size).toBe(0);
});

test("a deferred answer is pending until it is edited in", async () => {
  await client.application?.commands.create({ name: "slow", description: "Slow" });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  client.once(Events.InteractionCreate, (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    void interaction
      .deferReply()
      .then(() => released)
      .then(() => interaction.editReply("Done"));
  });
  const run = loopback.people.command(loopback.owner.id, loopback.channelId, "slow");
  await loopback.until(() => run.outcome().state === "deferred" || undefined, "the deferral");
  expect(run.outcome().message?.flags).toBe(MessageFlags.Loading);
  release();
  expect((await run.answered).content).toBe("Done");
});

test("a button on a message of the bot is pressed and updates that message", async () => {
  const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
    new ButtonBuilder().setCustomId("stop").setLabel("Stop").setStyle(ButtonStyle.Danger),
  );
  const message = await (await general()).send({ content: "Running", components: [row] });
  client.once(Events.InteractionCreate, (interaction) => {
    if (interaction.isButton()) void interaction.update({ content: "Stopped", components: [] });
  });
  const run = loopback.people.press(loopback.owner.id, loopback.channelId, message.id, "stop");
  expect((await run.answered).message).toMatchObject({ content: "Stopped", components: [] });
});

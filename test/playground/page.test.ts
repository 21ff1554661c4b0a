import { request } from "node:http";
import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
  type Client,
  Events,
  MessageFlags,
  ModalBuilder,
  TextInputBuilder,
  TextInputStyle,
} from "discord.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { manualClock } from "../../src/playground/clock.js";
import type {
  PlaygroundChannel,
  PlaygroundChoices,
  PlaygroundCommand,
  PlaygroundEvent,
  PlaygroundInteraction,
  PlaygroundMessage,
  PlaygroundState,
} from "../../src/playground/peopleApi.js";
import type { CommandRecord } from "../../src/playground/world/records.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { login, textChannel } from "./client.js";
import { PNG } from "./pictures.js";

let loopback: TestLoopback;
let client: Client<true>;
let ada: string;
let ben: string;

beforeEach(async () => {
  loopback = await startTestLoopback();
  client = await login(loopback);
  ada = loopback.owner.id;
  ben = loopback.members[0]?.id ?? "";
});

afterEach(async () => {
  await client.destroy();
  await loopback.close();
});

function storedCommand(guildId: string): CommandRecord {
  return {
    id: "1",
    application_id: "1",
    version: "1",
    type: ApplicationCommandType.ChatInput,
    name: "plain",
    description: "Plain",
    default_member_permissions: null,
    guild_id: guildId,
  };
}

async function call<T>(method: string, path: string, body?: object | FormData): Promise<T> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${loopback.url}/playground/api${path}`, {
    method,
    ...(body === undefined
      ? {}
      : isForm
        ? { body }
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

const messagesPath = () => `/channels/${loopback.channelId}/messages`;

/** Reads the stream of one person until `count` events came. */
async function events(user: string, count: number): Promise<() => Promise<PlaygroundEvent[]>> {
  const stop = new AbortController();
  const response = await fetch(`${loopback.url}/playground/api/events?user=${user}`, {
    signal: stop.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  // The first chunk says that the stream is open.
  await reader?.read();
  return async () => {
    let text = "";
    const seen: PlaygroundEvent[] = [];
    while (seen.length < count) {
      const chunk = await reader?.read();
      text += chunk?.value ?? "";
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        if (block.startsWith("data: ")) seen.push(JSON.parse(block.slice(6)) as PlaygroundEvent);
      }
    }
    stop.abort();
    return seen;
  };
}

test("the state shows servers, members and channels", async () => {
  const state = await call<PlaygroundState>("GET", "/state");
  expect(state.guilds).toHaveLength(1);
  expect(state.guilds[0]).toMatchObject({
    name: "Workshop",
    ownerId: ada,
    channels: [{ name: "general", kind: "text", topic: null }],
  });
  expect(state.guilds[0]?.members.map((member) => member.name)).toEqual(["Ada", "Ben", "Parley"]);
});

test("a person writes, replies, edits and deletes", async () => {
  const first = await call<PlaygroundMessage>("POST", messagesPath(), {
    user: ada,
    content: "One",
  });
  const second = await call<PlaygroundMessage>("POST", messagesPath(), {
    user: ben,
    content: `Two <@${ada}>`,
    replyTo: first.id,
  });
  expect(second).toMatchObject({
    author: { name: "Ben", kind: "person" },
    replyTo: { messageId: first.id, authorName: "Ada", excerpt: "One" },
    mentionNames: { [ada]: "Ada" },
    pingsUserIds: [ada],
  });
  await call("PATCH", `${messagesPath()}/${first.id}`, { user: ada, content: "One more" });
  await call("DELETE", `${messagesPath()}/${second.id}?user=${ben}`);
  const shown = await call<PlaygroundMessage[]>("GET", `${messagesPath()}?user=${ada}`);
  expect(shown.map((message) => message.content)).toEqual(["One more"]);
  expect(shown[0]?.editedAt).not.toBeNull();
  await expect(
    call("PATCH", `${messagesPath()}/${first.id}`, { user: ben, content: "mine" }),
  ).rejects.toThrow("That is not your message.");
});

test("files are posted as multipart and shown under a path of this server", async () => {
  const form = new FormData();
  form.append("payload", JSON.stringify({ user: ada, content: "" }));
  form.append("file", new Blob([PNG], { type: "image/png" }), "dot.png");
  const { attachments } = await call<PlaygroundMessage>("POST", messagesPath(), form);
  expect(attachments).toMatchObject([{ filename: "dot.png", width: 1, height: 1 }]);
  const served = await fetch(`${loopback.url}${attachments[0]?.url}`);
  expect(new Uint8Array(await served.arrayBuffer())).toEqual(PNG);
});

test("a persona is shown with its name and the picture that the world holds", async () => {
  const channel = await textChannel(client, loopback.channelId);
  const emoji = await client.application.emojis.create({
    name: "editor",
    attachment: Buffer.from(PNG),
  });
  const webhook = await channel.createWebhook({ name: "Parley" });
  await webhook.send({ content: "Hi", username: "Editor", avatarURL: emoji.imageURL() });
  await webhook.send({ content: "Hi", username: "Other", avatarURL: "https://example.org/a.png" });
  const shown = await call<PlaygroundMessage[]>("GET", `${messagesPath()}?user=${ada}`);
  expect(shown.map((message) => message.author)).toMatchObject([
    { name: "Editor", kind: "persona", avatarUrl: `/emojis/${emoji.id}.png` },
    { name: "Other", kind: "persona", avatarUrl: null },
  ]);
});

test("commands are listed, suggested, run with a file, and answered to their caller", async () => {
  await client.application.commands.set(
    [
      {
        name: "import",
        description: "Import",
        options: [
          {
            name: "name",
            description: "Name",
            type: ApplicationCommandOptionType.String,
            required: true,
            autocomplete: true,
          },
          {
            name: "card",
            description: "Card",
            type: ApplicationCommandOptionType.Attachment,
            required: true,
          },
        ],
      },
    ],
    loopback.guild.id,
  );
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isAutocomplete()) {
      void interaction.respond([{ name: "Editor", value: "editor" }]);
    } else if (interaction.isChatInputCommand()) {
      const { name } = interaction.options.getAttachment("card", true);
      void interaction.reply({ content: `Got ${name}`, flags: MessageFlags.Ephemeral });
    }
  });
  const list = await call<PlaygroundCommand[]>(
    "GET",
    `/guilds/${loopback.guild.id}/commands?user=${ada}&channel=${loopback.channelId}`,
  );
  expect(list).toMatchObject([{ name: "import", options: [{ name: "name" }, { name: "card" }] }]);
  const base = { user: ada, channel: loopback.channelId, command: "import" };
  const { choices } = await call<PlaygroundChoices>("POST", "/interactions/autocomplete", {
    ...base,
    focused: "name",
    options: { name: "ed" },
  });
  expect(choices).toEqual([{ name: "Editor", value: "editor" }]);
  const form = new FormData();
  form.append("payload", JSON.stringify({ ...base, options: { name: "editor" } }));
  form.append("card", new Blob(["{}"], { type: "application/json" }), "card.json");
  const done = await call<PlaygroundInteraction>("POST", "/interactions/command", form);
  expect(done).toMatchObject({
    state: "answered",
    isEphemeral: true,
    message: { content: "Got card.json", isEphemeral: true, command: { name: "import" } },
  });
  const forAda = await call<PlaygroundMessage[]>("GET", `${messagesPath()}?user=${ada}`);
  const forBen = await call<PlaygroundMessage[]>("GET", `${messagesPath()}?user=${ben}`);
  expect([forAda.length, forBen.length]).toEqual([1, 0]);
});

test("the stream tells each person what that person may see, in order", async () => {
  const [adas, bens] = [await events(ada, 4), await events(ben, 2)];
  await client.application.commands.create({ name: "plain", description: "Plain" });
  const answered = new Promise<void>((resolve) => {
    client.once(Events.InteractionCreate, (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      void interaction
        .reply({ content: "Only you", flags: MessageFlags.Ephemeral })
        .then(() => resolve());
    });
  });
  loopback.people.command(ada, loopback.channelId, "plain");
  await answered;
  await (await textChannel(client, loopback.channelId)).sendTyping();
  loopback.people.post(ada, loopback.channelId, "Everybody");
  expect((await bens()).map((event) => event.type)).toEqual(["typing", "message"]);
  expect((await adas()).map((event) => event.type)).toEqual([
    "message",
    "interaction",
    "typing",
    "message",
  ]);
});

test("buttons are pressed, forms filled in and reactions given", async () => {
  const channel = await textChannel(client, loopback.channelId);
  const button = new ButtonBuilder()
    .setCustomId("why")
    .setLabel("Why")
    .setStyle(ButtonStyle.Primary);
  const input = new TextInputBuilder()
    .setCustomId("reason")
    .setLabel("Reason")
    .setStyle(TextInputStyle.Paragraph);
  const { id } = await channel.send({
    content: "Press",
    components: [new ActionRowBuilder<ButtonBuilder>().addComponents(button)],
  });
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isButton()) {
      void interaction.showModal(
        new ModalBuilder()
          .setCustomId("form")
          .setTitle("Why")
          .addComponents(new ActionRowBuilder<TextInputBuilder>().addComponents(input)),
      );
    } else if (interaction.isModalSubmit()) {
      void interaction.reply(interaction.fields.getTextInputValue("reason"));
    }
  });
  const pressed = await call<PlaygroundInteraction>("POST", "/interactions/component", {
    user: ada,
    channel: loopback.channelId,
    message: id,
    customId: "why",
  });
  expect(pressed).toMatchObject({ state: "answered", message: null, modal: { title: "Why" } });
  const sent = await call<PlaygroundInteraction>("POST", "/interactions/modal", {
    user: ada,
    interaction: pressed.id,
    values: { reason: "Because" },
  });
  expect(sent.message?.content).toBe("Because");
  expect(await call("GET", `/interactions/${sent.id}`)).toEqual(sent);
  const reaction = `${messagesPath()}/${id}/reactions/${encodeURIComponent("👍")}?user=${ada}`;
  await call("PUT", reaction);
  const [shown] = await call<PlaygroundMessage[]>("GET", `${messagesPath()}?user=${ben}`);
  expect(shown?.reactions).toEqual([{ emoji: { id: null, name: "👍" }, userIds: [ada] }]);
  await call("DELETE", reaction);
  await call("POST", `/channels/${loopback.channelId}/typing`, { user: ada });
});

test("an interaction that nobody answers fails before the person's eyes", async () => {
  const clock = manualClock();
  const quiet = await startTestLoopback({ clock });
  const { people, owner, channelId, world, guild } = quiet;
  world.commands.set("1", storedCommand(guild.id));
  const run = people.command(owner.id, channelId, "plain");
  clock.advance(3000);
  const response = await fetch(`${quiet.url}/playground/api/interactions/${run.id}`);
  expect(await response.json()).toMatchObject({ state: "failed", message: null });
  await quiet.close();
});

test("threads are made and channels change before everybody's eyes", async () => {
  const seen = await events(ben, 3);
  const thread = await call<PlaygroundChannel>("POST", `/channels/${loopback.channelId}/threads`, {
    user: ada,
    name: "Aside",
  });
  expect(thread).toMatchObject({ kind: "thread", parentId: loopback.channelId, isArchived: false });
  await call("DELETE", `/channels/${thread.id}?user=${ada}`);
  expect((await seen()).map((event) => event.type)).toEqual([
    "channel",
    "message",
    "channelDelete",
  ]);
});

test("refusals are a status and a sentence", async () => {
  const empty = call("POST", messagesPath(), { user: ada, content: " " });
  await expect(empty).rejects.toThrow('400 {"message":"The message is empty."}');
  await expect(call("POST", messagesPath(), { content: "x" })).rejects.toThrow("user is missing");
  const foreign = call("DELETE", `/channels/${loopback.channelId}?user=${ben}`);
  await expect(foreign).rejects.toThrow("403");
});

test("other websites and other names of this machine are turned away", async () => {
  const status = (headers: Record<string, string>) =>
    new Promise((resolve, reject) => {
      request(`${loopback.url}/playground/api/state`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
  expect(await status({})).toBe(200);
  expect(await status({ host: "evil.example:80" })).toBe(403);
  expect(await status({ origin: "https://evil.example" })).toBe(403);
  expect(await status({ origin: loopback.url })).toBe(200);
});

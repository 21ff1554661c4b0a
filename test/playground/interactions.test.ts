import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  type Client,
  Events,
  type Interaction,
  MessageFlags,
} from "discord.js";
import { PermissionFlagsBits as Permission } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ManualClock, manualClock } from "../../src/playground/clock.js";
import { PersonError } from "../../src/playground/people/personError.js";
import type { PersonInteraction } from "../../src/playground/people/personInteraction.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { ask } from "./api.js";
import { login } from "./client.js";

let loopback: TestLoopback;
let clock: ManualClock;
let client: Client<true>;

beforeEach(async () => {
  clock = manualClock();
  loopback = await startTestLoopback({ clock });
  client = await login(loopback);
  await client.application.commands.set(
    [
      { name: "plain", description: "Plain" },
      {
        name: "rich",
        description: "Rich",
        options: [
          {
            name: "text",
            description: "Text",
            type: ApplicationCommandOptionType.String,
            required: true,
            autocomplete: true,
          },
          {
            name: "kind",
            description: "Kind",
            type: ApplicationCommandOptionType.String,
            choices: [{ name: "Open", value: "open" }],
          },
          {
            name: "count",
            description: "Count",
            type: ApplicationCommandOptionType.Integer,
            minValue: 1,
            maxValue: 3,
          },
          { name: "file", description: "File", type: ApplicationCommandOptionType.Attachment },
        ],
      },
      {
        name: "guarded",
        description: "Guarded",
        defaultMemberPermissions: Permission.ManageChannels,
      },
      { name: "Why this?", type: ApplicationCommandType.Message },
    ],
    loopback.guild.id,
  );
});

afterEach(async () => {
  await client.destroy();
  await loopback.close();
});

const run = (path: string, values = {}, userId = loopback.owner.id): PersonInteraction =>
  loopback.people.command(userId, loopback.channelId, path, values);

/** The next interaction that reaches the client, unanswered. */
function nextInteraction(): Promise<Interaction> {
  return new Promise((resolve) => client.once(Events.InteractionCreate, resolve));
}

function callback(of: { id: string; token: string }, body: object) {
  return ask(loopback, "POST", `/interactions/${of.id}/${of.token}/callback`, body, {
    token: false,
  });
}

test("without an answer in three seconds the interaction fails, and a late answer is 10062", async () => {
  const received = nextInteraction();
  const interaction = run("plain");
  const { id, token } = await received;
  clock.advance(3001);
  expect(await interaction.answered).toMatchObject({ state: "failed", message: null });
  expect((await callback({ id, token }, { type: 5 })).code).toBe(10062);
});

test("a second response is 40060", async () => {
  const received = nextInteraction();
  run("plain");
  const interaction = await received;
  const answer = { type: 4, data: { content: "x" } };
  expect((await callback(interaction, answer)).status).toBe(204);
  expect((await callback(interaction, answer)).code).toBe(40060);
});

test("a wrong token is unknown, an unfitting response refused", async () => {
  const received = nextInteraction();
  run("plain");
  const { id, token } = await received;
  expect((await callback({ id, token: "nope" }, { type: 5 })).code).toBe(10062);
  expect((await callback({ id, token }, { type: 8, data: { choices: [] } })).code).toBe(50035);
  expect((await callback({ id, token }, { type: 7, data: { content: "x" } })).code).toBe(50035);
  expect((await callback({ id, token }, { type: 4, data: {} })).code).toBe(50006);
});

test("after fifteen minutes the token is void: 50027", async () => {
  const received = nextInteraction();
  run("plain");
  const { id, token } = await received;
  await callback({ id, token }, { type: 5 });
  const original = `/webhooks/${client.application.id}/${token}/messages/@original`;
  clock.advance(14 * 60_000);
  expect((await ask(loopback, "PATCH", original, { content: "x" })).status).toBe(200);
  clock.advance(2 * 60_000);
  expect(await ask(loopback, "PATCH", original, { content: "y" })).toMatchObject({
    status: 401,
    code: 50027,
  });
});

test("an answer is ephemeral as its deferral said, whatever the edit says", async () => {
  client.once(Events.InteractionCreate, (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    void interaction
      .deferReply({ flags: MessageFlags.Ephemeral })
      .then(() => interaction.editReply("secret"));
  });
  const outcome = await run("plain").answered;
  expect(outcome).toMatchObject({ isEphemeral: true, content: "secret" });
  expect((await ask(loopback, "GET", `/channels/${loopback.channelId}/messages`)).body).toEqual([]);
  const direct = `/channels/${loopback.channelId}/messages/${outcome.message?.id}`;
  expect((await ask(loopback, "GET", direct)).code).toBe(10008);
});

test("the first follow-up takes the place of the deferral, later ones reply to it", async () => {
  const received = nextInteraction();
  const interaction = run("plain");
  const command = await received;
  if (!command.isChatInputCommand()) throw new Error("not a command");
  await command.deferReply();
  await command.followUp("first");
  await command.followUp("second");
  expect(interaction.outcome()).toMatchObject({
    content: "first",
    followUps: [{ content: "second", type: 19 }],
  });
});

test("an answer tells which command it answers and has no member of a persona", async () => {
  const received = nextInteraction();
  const interaction = run("plain");
  const command = await received;
  if (!command.isChatInputCommand()) throw new Error("not a command");
  await command.reply("x");
  expect((await interaction.answered).message).toMatchObject({
    type: 20,
    webhook_id: client.application.id,
    application_id: client.application.id,
    interaction_metadata: { user: { id: loopback.owner.id }, type: 2 },
    interaction: { name: "plain" },
  });
});

test("options arrive typed, files with their content", async () => {
  const received = nextInteraction();
  const bytes = new TextEncoder().encode("{}");
  run("rich", {
    text: "hello",
    kind: "open",
    count: 2,
    file: { filename: "a.json", contentType: "application/json", bytes },
  });
  const command = await received;
  if (!command.isChatInputCommand()) throw new Error("not a command");
  expect(command.options.getString("text")).toBe("hello");
  expect(command.options.getInteger("count")).toBe(2);
  const file = command.options.getAttachment("file");
  expect(file).toMatchObject({ name: "a.json", size: 2, contentType: "application/json" });
  expect(await (await fetch(file?.url ?? "")).text()).toBe("{}");
});

test("a person cannot send what Discord's client would not send", () => {
  expect(() => run("unknown")).toThrow(PersonError);
  expect(() => run("rich")).toThrow("needs the option text");
  expect(() => run("rich", { text: "x", kind: "closed" })).toThrow("one of its choices");
  expect(() => run("rich", { text: "x", count: 4 })).toThrow("too big");
  expect(() => run("rich", { text: "x", bogus: 1 })).toThrow("has no option bogus");
  expect(() => run("guarded", {}, loopback.members[0]?.id)).toThrow("may not use");
});

test("suggestions come while an option is typed", async () => {
  client.once(Events.InteractionCreate, (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const typed = interaction.options.getFocused();
    void interaction.respond([{ name: `${typed}bc`, value: "abc" }]);
  });
  const { people, owner, channelId } = loopback;
  expect(await people.autocomplete(owner.id, channelId, "rich", "text", { text: "a" })).toEqual([
    { name: "abc", value: "abc" },
  ]);
});

test("more than 25 suggestions are refused and loading them fails for the person", async () => {
  const received = nextInteraction();
  const { people, owner, channelId } = loopback;
  const typing = people.autocomplete(owner.id, channelId, "rich", "text");
  const interaction = await received;
  const choices = Array.from({ length: 26 }, (_, index) => ({ name: `n${index}`, value: "v" }));
  expect((await callback(interaction, { type: 8, data: { choices } })).code).toBe(50035);
  const failure = expect(typing).rejects.toThrow("Loading options failed");
  clock.advance(3001);
  await failure;
});

test("a message menu delivers the message", async () => {
  const said = loopback.people.post(loopback.owner.id, loopback.channelId, "What is this?");
  const received = nextInteraction();
  loopback.people.menu(loopback.owner.id, loopback.channelId, "Why this?", said.id);
  const command = await received;
  if (!command.isMessageContextMenuCommand()) throw new Error("not a menu");
  expect(command.targetMessage.content).toBe("What is this?");
});

test("a form is opened, filled in and answered; a required field may not be empty", async () => {
  const received = nextInteraction();
  const opener = run("plain");
  const input = { type: 4, custom_id: "reason", style: 1, label: "Reason", min_length: 3 };
  const data = { custom_id: "form", title: "Why", components: [{ type: 1, components: [input] }] };
  expect((await callback(await received, { type: 9, data })).status).toBe(204);
  expect((await opener.answered).modal).toMatchObject({ custom_id: "form" });
  const { people, owner } = loopback;
  expect(() => people.submit(owner.id, opener.id, {})).toThrow("must be filled in");
  expect(() => people.submit(owner.id, opener.id, { reason: "x" })).toThrow("3 to 4000");
  client.once(Events.InteractionCreate, (interaction) => {
    if (interaction.isModalSubmit()) {
      void interaction.reply(interaction.fields.getTextInputValue("reason"));
    }
  });
  expect((await people.submit(owner.id, opener.id, { reason: "Because" }).answered).content).toBe(
    "Because",
  );
});

test("an ephemeral answer's buttons work for its owner only", async () => {
  const received = nextInteraction();
  const interaction = run("plain");
  const row = { type: 1, components: [{ type: 2, style: 1, label: "x", custom_id: "go" }] };
  await callback(await received, { type: 4, data: { content: "x", flags: 64, components: [row] } });
  const id = (await interaction.answered).message?.id ?? "";
  const { people, owner, channelId } = loopback;
  expect(() => people.press(loopback.members[0]?.id ?? "", channelId, id, "go")).toThrow(
    PersonError,
  );
  const pressed = nextInteraction();
  people.press(owner.id, channelId, id, "go");
  expect((await pressed).isButton()).toBe(true);
});

import { ApplicationCommandType, ButtonStyle, MessageFlags, PermissionFlagsBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { commands } from "../../../commands/index.js";
import { slash } from "../../../commands/slash.js";
import { pagesOf } from "../../../src/adapters/discord/interactions/answers.js";
import type { Handlers } from "../../../src/adapters/discord/interactions/handlers.js";
import { startInteractions } from "../../../src/adapters/discord/interactions/start.js";
import { createPainter } from "../../../src/adapters/painter.js";
import { systemClock } from "../../../src/adapters/system.js";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../src/app/operations/operation.js";
import type { Services } from "../../../src/app/services.js";
import { UserError } from "../../../src/domain/errors.js";
import { asId, type GuildId, type RoleId } from "../../../src/domain/ids.js";
import type { MessageRecord } from "../../../src/playground/world/records.js";
import { addAgent, addGroup } from "../../support/builders.js";
import { createTestServices, TEST_SETTINGS, type TestServices } from "../../support/services.js";
import { anAnnouncement, type Connected, connect, never } from "./connected.js";

let connected: Connected;
let doubles: TestServices;
let services: Services;
let guildId: GuildId;

beforeEach(async () => {
  connected = await connect();
  guildId = connected.place.guildId;
  doubles = await createTestServices({ storage: connected.storage });
  services = {
    ...doubles,
    chat: connected.chat,
    painter: createPainter(),
    clock: systemClock,
    log: connected.log,
  };
});
afterEach(() => connected.close());

const NONE: Handlers = { commands: [], buttons: new Map(), menus: [] };

function start(handlers: Partial<Handlers>, change: Partial<Services> = {}): Promise<void> {
  return startInteractions({
    client: connected.client,
    services: { ...services, ...change },
    handlers: { ...NONE, ...handlers },
  });
}

/** An operation that anybody may use, without input. */
function anOperation(change: Partial<Operation>): Operation {
  return defineOperation({
    name: "probe",
    description: "A probe",
    permission: "anyone",
    input: z.object({}),
    run: async () => ({ text: "Done." }),
    ...change,
  }) as Operation;
}

function use(path: string, values = {}, user = connected.loopback.owner.id) {
  return connected.loopback.people.command(user, connected.loopback.channelId, path, values);
}

function member(): string {
  const [ben] = connected.loopback.members;
  if (ben === undefined) throw new Error("Ben is missing.");
  return ben.id;
}

/** What an ephemeral answer looks like to its reader. */
function buttonsOf(
  message: { readonly components?: unknown } | null | undefined,
): readonly string[] {
  const rows = (message?.components ?? []) as readonly {
    readonly components: readonly { readonly custom_id: string; readonly label: string }[];
  }[];
  return rows.flatMap((row) =>
    row.components.map(({ label, custom_id }) => `${label} ${custom_id}`),
  );
}

async function manyAgents(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const number = String(index).padStart(3, "0");
    await addAgent(doubles, { guildId, displayName: `Agent ${number}`, name: `agent-${number}` });
  }
}

describe("registering commands", () => {
  const PUT = /^PUT \/applications\/\d+\/commands$/;
  const menu = {
    data: { name: "Why this?", type: ApplicationCommandType.Message as const },
    run: async () => ({ text: "Because." }),
  };

  it("tells Discord all of them, for servers only", async () => {
    await start({ commands, menus: [menu] });
    const registered = [...connected.loopback.world.commands.values()];
    expect(registered.map(({ name }) => name).sort()).toEqual(
      [...commands.map(({ data }) => data.name), "Why this?"].sort(),
    );
    expect(registered.find(({ name }) => name === "agent_create")).toMatchObject({
      default_member_permissions: "16",
      contexts: [0],
      integration_types: [0],
    });
    expect(registered.find(({ name }) => name === "agent_list")).toMatchObject({
      default_member_permissions: null,
    });
  });

  it("happens again only when something changed", async () => {
    await start({ commands });
    await start({ commands });
    expect(connected.asked(PUT)).toHaveLength(1);
    await start({ commands: [...commands, slash(anOperation({}))] });
    expect(connected.asked(PUT)).toHaveLength(2);
    await start({ commands: [...commands, slash(anOperation({ description: "Another" }))] });
    expect(connected.asked(PUT)).toHaveLength(3);
  });

  it("happens again when Discord has lost them", async () => {
    await start({ commands });
    connected.loopback.world.commands.clear();
    await start({ commands });
    expect(connected.asked(PUT)).toHaveLength(2);
  });

  it("is put off when Discord takes no more today, and tried at the next start", async () => {
    connected.loopback.faults.inject({
      method: "PUT",
      route: "/applications/:id/commands",
      fault: { kind: "status", status: 400, body: { message: "Too many", code: 30034 } },
    });
    await start({ commands });
    expect(connected.loopback.world.commands.size).toBe(0);
    await start({ commands });
    expect(connected.loopback.world.commands.size).toBe(commands.length);
  });
});

describe("a slash command", () => {
  it("makes an agent and answers the person alone", async () => {
    await start({ commands });
    const outcome = await use("agent_create", {
      display_name: "Reading room",
      prompt: "You know the library.",
    }).answered;
    expect(outcome).toMatchObject({ state: "answered", isEphemeral: true });
    expect(outcome.content).toContain("**Reading room** (`reading-room`) is ready");
    const agent = await connected.storage.agents.find(guildId, "reading-room");
    expect(connected.loopback.world.channel(agent?.channelId ?? "").name).toBe("reading-room");
    expect(agent?.picture?.url).toMatch(/^https:\/\/cdn\.discordapp\.com\/emojis\/\d+\.png/);
  });

  it("takes a list with commas, and a choice", async () => {
    await start({ commands });
    await addAgent(doubles, { guildId, displayName: "Researcher" });
    await addAgent(doubles, { guildId, displayName: "Editor" });
    const outcome = await use("group_create", {
      display_name: "Review",
      members: " Researcher ,@editor,",
      kind: "open",
    }).answered;
    expect(outcome.content).toContain("**Review** is open");
    const group = await connected.storage.groups.find(guildId, "review");
    expect(group?.members).toHaveLength(2);
  });

  it("hands an attachment to the operation", async () => {
    let given: unknown;
    const operation = anOperation({
      input: z.object({
        card: z.object({ name: z.string(), type: z.string().nullable(), bytes: z.number() }).meta({
          description: "A card",
          option: "attachment",
        }),
      }),
      run: async (_context: OperationContext, input: unknown) => {
        given = input;
        return { text: "Taken." };
      },
    });
    await start({ commands: [slash(operation)] });
    const bytes = new TextEncoder().encode("{}");
    await use("probe", { card: { filename: "card.json", contentType: "application/json", bytes } })
      .answered;
    expect(given).toEqual({ card: { name: "card.json", type: "application/json", bytes: 2 } });
  });

  it("says in one sentence what the person did wrong", async () => {
    await start({ commands });
    const outcome = await use("agent_create", { display_name: "Clyde", prompt: "x" }).answered;
    expect(outcome.isEphemeral).toBe(true);
    expect(outcome.content).toMatch(/clyde/i);
    expect(connected.log.messages("error")).toEqual([]);
  });

  it("checks the right again, also where an administrator opened it to everybody", async () => {
    const opened = commands.map((command) => ({
      ...command,
      data: { ...command.data, default_member_permissions: null },
    }));
    const values = { display_name: "Editor", prompt: "You edit." };
    await start({ commands: opened });
    const refused = await use("agent_create", values, member()).answered;
    expect(refused.content).toContain("Only people who may manage channels");
    expect(await connected.storage.agents.list(guildId)).toEqual([]);
  });

  it("lets a role from the settings do what managers do", async () => {
    const opened = commands.map((command) => ({
      ...command,
      data: { ...command.data, default_member_permissions: null },
    }));
    const managerRoleIds = [asId<RoleId>(guildId)];
    await start({ commands: opened }, { settings: { ...TEST_SETTINGS, managerRoleIds } });
    const values = { display_name: "Editor", prompt: "You edit." };
    const outcome = await use("agent_create", values, member()).answered;
    expect(outcome.content).toContain("is ready");
  });

  it("pings nobody with its answer", async () => {
    const text = `@everyone <@${connected.loopback.owner.id}>`;
    await start({ commands: [slash(anOperation({ run: async () => ({ text }) }))] });
    const outcome = await use("probe").answered;
    expect(outcome.message).toMatchObject({ mention_everyone: false, mentions: [] });
  });

  it("is deferred when it takes long, and answered when it is done", async () => {
    let finish = () => {};
    const isDone = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const operation = anOperation({
      run: async () => {
        await isDone;
        return { text: "At last." };
      },
    });
    // The pause of the clock is over at once here.
    await start({ commands: [slash(operation)] }, { clock: connected.clock });
    const run = use("probe");
    await connected.loopback.until(
      () => (run.outcome().state === "deferred" ? true : undefined),
      "the deferral",
    );
    expect(run.outcome().isEphemeral).toBe(true);
    finish();
    expect((await run.answered).content).toBe("At last.");
  });

  it("that fails unforeseen says so and is logged with its cause", async () => {
    const failure = new TypeError("x is not a function");
    await start({ commands: [slash(anOperation({ run: () => Promise.reject(failure) }))] });
    const outcome = await use("probe").answered;
    expect(outcome.content).toBe("Something went wrong on our side; it has been logged.");
    expect(connected.log.entries).toContainEqual(
      expect.objectContaining({
        level: "error",
        fields: expect.objectContaining({ err: failure }),
      }),
    );
  });

  it("knows where and by whom it was used", async () => {
    let context: OperationContext | undefined;
    const operation = anOperation({
      run: async (given: OperationContext) => {
        context = given;
        return { text: "Seen." };
      },
    });
    await start({ commands: [slash(operation)] });
    const { people, owner, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    await people.command(member(), thread.id, "probe").answered;
    expect(context?.place).toEqual({ ...connected.place, threadId: thread.id });
    expect(context?.asker).toEqual({
      userId: member(),
      name: "Ben",
      guildId,
      roleIds: [guildId],
      canManageChannels: false,
      canWriteHere: true,
    });
  });

  it("knows whether the person may write there", async () => {
    const seen: boolean[] = [];
    const operation = anOperation({
      run: async ({ asker }: OperationContext) => {
        seen.push(asker.canWriteHere);
        return { text: "Seen." };
      },
    });
    await start({ commands: [slash(operation)] });
    const { people, owner, guild, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    const everyone = guild.roles.get(guild.id);
    if (everyone === undefined) throw new Error("There is no such role.");
    everyone.permissions &= ~PermissionFlagsBits.SendMessages;
    everyone.permissions |= PermissionFlagsBits.SendMessagesInThreads;
    await people.command(member(), channelId, "probe").answered;
    await people.command(member(), thread.id, "probe").answered;
    expect(seen).toEqual([false, true]);
  });

  it("whose answer comes too late is given up without another try", async () => {
    connected.loopback.faults.inject({
      method: "POST",
      route: "/interactions/:id/:token/callback",
      times: 9,
      fault: { kind: "status", status: 404, body: { message: "Unknown", code: 10062 } },
    });
    await start({ commands: [slash(anOperation({}))] });
    use("probe");
    await connected.loopback.until(
      () => (connected.log.messages("warn").length > 0 ? true : undefined),
      "the warning",
    );
    expect(connected.asked(/callback$/)).toHaveLength(1);
    expect(connected.log.messages("error")).toEqual([]);
  });
});

describe("an answer with buttons", () => {
  const stop = { id: "stop:1", label: "Stop", style: "danger" as const };

  it("carries them, and on its last message when it is long", async () => {
    let text = "Short.";
    const operation = anOperation({
      input: z.object({ text: z.string().meta({ description: "A text" }) }),
      run: async () => ({ text, buttons: [stop] }),
    });
    await start({ commands: [slash(operation)] });
    const short = await use("probe", { text: "x" }).answered;
    expect(buttonsOf(short.message)).toEqual(["Stop stop:1"]);
    text = "word ".repeat(700);
    const run = use("probe", { text: "x" });
    const long = await run.answered;
    expect(buttonsOf(long.message)).toEqual([]);
    const [second] = await connected.loopback.until(
      () => (run.outcome().followUps.length > 0 ? run.outcome().followUps : undefined),
      "the second message",
    );
    expect(buttonsOf(second)).toEqual(["Stop stop:1"]);
  });
});

describe("a long answer", () => {
  it("goes on in further messages that only the person sees", async () => {
    const text = `${"word ".repeat(700)}\n\nThe end.`;
    const field = z.string().meta({ description: "A text" });
    const operation = anOperation({
      input: z.object({ text: field }),
      run: async () => ({ text }),
    });
    await start({ commands: [slash(operation)] });
    const run = use("probe", { text: "x" });
    await run.answered;
    const followUps = await connected.loopback.until(
      () => (run.outcome().followUps.length > 0 ? run.outcome().followUps : undefined),
      "the second message",
    );
    expect(run.outcome().content.length).toBeLessThanOrEqual(2000);
    expect(followUps.at(-1)?.content).toContain("The end.");
    expect(followUps.every(({ flags }) => ((flags ?? 0) & MessageFlags.Ephemeral) !== 0)).toBe(
      true,
    );
  });

  it("of a list has pages, made anew at each turn", async () => {
    await manyAgents(80);
    await start({ commands });
    const { people, owner, channelId } = connected.loopback;
    const first = await use("agent_list").answered;
    expect(first.content).toContain("-# Page 1 of 3");
    expect(buttonsOf(first.message)).toEqual(["Next page:agent_list:1"]);
    const id = first.message?.id ?? "";
    await addAgent(doubles, { guildId, displayName: "Newcomer" });
    await people.press(owner.id, channelId, id, "page:agent_list:1").answered;
    const second = shownTo(id);
    expect(second?.content).toContain("-# Page 2 of 3");
    expect(buttonsOf(second)).toEqual(["Previous page:agent_list:0", "Next page:agent_list:2"]);
    await people.press(owner.id, channelId, id, "page:agent_list:2").answered;
    expect(shownTo(id)?.content).toContain("Newcomer");
    expect(buttonsOf(shownTo(id))).toEqual(["Previous page:agent_list:1"]);
  });

  it("turns the page in its place also when that takes long", async () => {
    await manyAgents(80);
    await start({ commands }, { clock: connected.clock });
    const { people, owner, channelId } = connected.loopback;
    const first = await use("agent_list").answered;
    const id = first.message?.id ?? "";
    await people.press(owner.id, channelId, id, "page:agent_list:1").answered;
    await connected.loopback.until(
      () => (shownTo(id)?.content.includes("-# Page 2 of 3") === true ? true : undefined),
      "the second page",
    );
    expect(connected.shown()).toHaveLength(1);
  });

  it("breaks pages at lines and keeps every line", () => {
    const lines = Array.from({ length: 300 }, (_, index) => `- line ${index}`);
    const pages = pagesOf(lines.join("\n"));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.every((page) => page.length <= 1950)).toBe(true);
    expect(pages.join("\n").split("\n")).toEqual(lines);
  });

  it("breaks a line that is longer than a page", () => {
    const pages = pagesOf("word ".repeat(900));
    expect(pages.every((page) => page.length <= 2000)).toBe(true);
    expect(pages.join(" ").split(/\s+/).filter(Boolean)).toHaveLength(900);
  });

  function shownTo(messageId: string): MessageRecord | undefined {
    return connected.shown().find(({ id }) => id === messageId);
  }
});

describe("suggestions", () => {
  const suggestions = async (path: string, option: string, typed: string, others = {}) => {
    const { people, owner, channelId } = connected.loopback;
    const values = { ...others, [option]: typed };
    const choices = await people.autocomplete(owner.id, channelId, path, option, values);
    return choices.map(({ name, value }) => (name === value ? name : `${name} = ${value}`));
  };

  it("are the agents of this server that are not archived, best match first", async () => {
    await addAgent(doubles, { guildId, displayName: "Copy editor", name: "copy-editor" });
    await addAgent(doubles, { guildId, displayName: "Editor", name: "editor" });
    await addAgent(doubles, { guildId, displayName: "Old editor", name: "old", archivedAtMs: 1 });
    await addAgent(doubles, { displayName: "Editor elsewhere", name: "elsewhere" });
    await start({ commands });
    expect(await suggestions("agent_get", "agent", "@EDI")).toEqual([
      "Editor (editor) = editor",
      "Copy editor (copy-editor) = copy-editor",
    ]);
    expect(await suggestions("agent_get", "agent", "")).toHaveLength(2);
    expect(await suggestions("agent_get", "agent", "zzz")).toEqual([]);
  });

  it("complete the last entry of a list and leave out those before", async () => {
    await addAgent(doubles, { guildId, displayName: "researcher" });
    await addAgent(doubles, { guildId, displayName: "reader" });
    await start({ commands });
    expect(await suggestions("group_create", "members", "researcher, re")).toEqual([
      "researcher, reader",
    ]);
  });

  it("are groups, categories and models where those are asked for", async () => {
    const editor = await addAgent(doubles, {
      guildId,
      displayName: "Editor",
      model: "own-model",
      category: "Agents-Desk",
    });
    const reader = await addAgent(doubles, { guildId, displayName: "Reader" });
    await addGroup(doubles, { guildId, displayName: "Review", members: [editor, reader] });
    await start({ commands });
    expect(await suggestions("group_update", "group", "rev")).toEqual(["Review (review) = review"]);
    expect(await suggestions("agent_create", "category", "")).toEqual(["Agents", "Agents-Desk"]);
    expect(await suggestions("group_create", "category", "")).toEqual(["Groups"]);
    expect(await suggestions("agent_create", "model", "")).toEqual([
      "default",
      "test-model",
      "own-model",
    ]);
  });

  it("are never more than Discord takes", async () => {
    await manyAgents(40);
    await start({ commands });
    expect(await suggestions("agent_get", "agent", "agent")).toHaveLength(25);
  });

  it("are none when the database fails", async () => {
    const failing = {
      ...connected.storage,
      agents: { ...connected.storage.agents, list: () => Promise.reject(new Error("away")) },
    };
    await start({ commands }, { storage: failing });
    expect(await suggestions("agent_get", "agent", "e")).toEqual([]);
  });
});

describe("a button", () => {
  const button = (id: string) => ({ id, label: "Stop", style: "danger" as const });

  async function press(id: string) {
    const { people, channelId } = connected.loopback;
    const announcement = anAnnouncement(connected.place, { buttons: [button(id)], nonce: id });
    const messageId = await connected.chat.announce(announcement, never);
    const outcome = await people.press(member(), channelId, messageId, id).answered;
    return { outcome, messageId };
  }

  it("leads to its handler with the person, the argument and the message", async () => {
    const pressed: unknown[] = [];
    const stop = async (context: OperationContext, argument: string, messageId: string) => {
      pressed.push([context.asker.name, argument, messageId]);
      return { text: "Stopped." };
    };
    await start({ buttons: new Map([["stop", stop]]) });
    const { outcome, messageId } = await press("stop:round-1:now");
    expect(pressed).toEqual([["Ben", "round-1:now", messageId]]);
    expect(outcome).toMatchObject({ isEphemeral: true, content: "Stopped." });
    const [message] = connected.shown();
    const rows = message?.components as readonly { components: unknown[] }[] | undefined;
    expect(rows?.[0]?.components).toMatchObject([{ style: ButtonStyle.Danger }]);
  });

  it("that nobody knows any more is answered kindly", async () => {
    await start({ commands });
    expect((await press("gone:1")).outcome).toMatchObject({
      isEphemeral: true,
      content: "This button does nothing any more. Please give the command again.",
    });
    expect((await press("page:agent_create:1")).outcome.content).toContain("does nothing any more");
  });

  it("whose handler refuses tells the reason", async () => {
    const stop = () => Promise.reject(new UserError("conflict", "No round is running here."));
    await start({ buttons: new Map([["stop", stop]]) });
    expect((await press("stop:1")).outcome.content).toBe("No round is running here.");
  });
});

it("an entry in the menu of a message is told which message", async () => {
  let asked: string | undefined;
  const menu = {
    data: { name: "Why this?", type: ApplicationCommandType.Message as const },
    run: async (_context: OperationContext, messageId: string) => {
      asked = messageId;
      return { text: "Because." };
    },
  };
  await start({ menus: [menu] });
  const { people, channelId } = connected.loopback;
  const messageId = await connected.chat.announce(anAnnouncement(connected.place), never);
  const outcome = await people.menu(member(), channelId, "Why this?", messageId).answered;
  expect(asked).toBe(messageId);
  expect(outcome).toMatchObject({ isEphemeral: true, content: "Because." });
});

import { ButtonStyle, PermissionFlagsBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { commands } from "../../../commands/index.js";
import { slash } from "../../../commands/slash.js";
import type { OperationContext } from "../../../src/app/operations/operation.js";
import { UserError } from "../../../src/domain/errors.js";
import { asId, compareSnowflakes, type RoleId } from "../../../src/domain/ids.js";
import { addAgent } from "../../support/builders.js";
import { TEST_SETTINGS } from "../../support/services.js";
import { anAnnouncement, never } from "./connected.js";
import { anOperation, connectInteracting, type Interacting } from "./interacting.js";

let connected: Interacting;

beforeEach(async () => {
  connected = await connectInteracting();
});
afterEach(() => connected.close());

describe("a slash command", () => {
  it("makes an agent and answers the person alone", async () => {
    await connected.start({ commands });
    const outcome = await connected.use("agent_create", {
      display_name: "Reading room",
      prompt: "You know the library.",
    }).answered;
    expect(outcome).toMatchObject({ state: "answered", isEphemeral: true });
    expect(outcome.content).toContain("**Reading room** (`reading-room`) is ready");
    const agent = await connected.storage.agents.find(connected.place.guildId, "reading-room");
    expect(connected.loopback.world.channel(agent?.channelId ?? "").name).toBe("reading-room");
    expect(agent?.picture?.url).toMatch(/^https:\/\/cdn\.discordapp\.com\/emojis\/\d+\.png/);
  });

  it("takes a list with commas, and a choice", async () => {
    await connected.start({ commands });
    await addAgent(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "Researcher",
    });
    await addAgent(connected.doubles, { guildId: connected.place.guildId, displayName: "Editor" });
    const outcome = await connected.use("group_create", {
      display_name: "Review",
      members: " Researcher ,@editor,",
      kind: "open",
    }).answered;
    expect(outcome.content).toContain("**Review** is ready");
    const group = await connected.storage.groups.find(connected.place.guildId, "review");
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
    await connected.start({ commands: [slash(operation)] });
    const bytes = new TextEncoder().encode("{}");
    await connected.use("probe", {
      card: { filename: "card.json", contentType: "application/json", bytes },
    }).answered;
    expect(given).toEqual({ card: { name: "card.json", type: "application/json", bytes: 2 } });
  });

  it("says in one sentence what the person did wrong", async () => {
    await connected.start({ commands });
    const outcome = await connected.use("agent_create", { display_name: "Clyde", prompt: "x" })
      .answered;
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
    await connected.start({ commands: opened });
    const refused = await connected.use("agent_create", values, connected.memberId).answered;
    expect(refused.content).toContain("Only managers");
    expect(await connected.storage.agents.list(connected.place.guildId)).toEqual([]);
  });

  it("lets a role from the settings do what managers do", async () => {
    const opened = commands.map((command) => ({
      ...command,
      data: { ...command.data, default_member_permissions: null },
    }));
    const managerRoleIds = [asId<RoleId>(connected.place.guildId)];
    await connected.start({ commands: opened }, { settings: { ...TEST_SETTINGS, managerRoleIds } });
    const values = { display_name: "Editor", prompt: "You edit." };
    const outcome = await connected.use("agent_create", values, connected.memberId).answered;
    expect(outcome.content).toContain("is ready");
  });

  it("pings nobody with its answer", async () => {
    const text = `@everyone <@${connected.loopback.owner.id}>`;
    await connected.start({ commands: [slash(anOperation({ run: async () => ({ text }) }))] });
    const outcome = await connected.use("probe").answered;
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
    await connected.start({ commands: [slash(operation)] }, { clock: connected.clock });
    const run = connected.use("probe");
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
    await connected.start({
      commands: [slash(anOperation({ run: () => Promise.reject(failure) }))],
    });
    const outcome = await connected.use("probe").answered;
    expect(outcome.content).toBe("Something went wrong in the bot; it has been logged.");
    expect(connected.log.entries).toContainEqual(
      expect.objectContaining({
        level: "error",
        fields: expect.objectContaining({ err: failure }),
      }),
    );
  });

  it("knows when, where and by whom it was used", async () => {
    let context: OperationContext | undefined;
    const operation = anOperation({
      run: async (given: OperationContext) => {
        context = given;
        return { text: "Seen." };
      },
    });
    await connected.start({ commands: [slash(operation)] });
    const { people, owner, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    const before = people.post(owner.id, channelId, "Before it");
    await people.command(connected.memberId, thread.id, "probe").answered;
    const after = people.post(owner.id, channelId, "After it");
    const since = context?.sinceId ?? "";
    expect(compareSnowflakes(before.id, since)).toBeLessThan(0);
    expect(compareSnowflakes(since, after.id)).toBeLessThan(0);
    expect(context?.place).toEqual({ ...connected.place, threadId: thread.id });
    expect(context?.asker).toEqual({
      userId: connected.memberId,
      name: "Ben",
      guildId: connected.place.guildId,
      roleIds: [connected.place.guildId],
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
    await connected.start({ commands: [slash(operation)] });
    const { people, owner, guild, channelId } = connected.loopback;
    const thread = people.createThread(owner.id, channelId, "Details");
    const everyone = guild.roles.get(guild.id);
    if (everyone === undefined) throw new Error("There is no such role.");
    everyone.permissions &= ~PermissionFlagsBits.SendMessages;
    everyone.permissions |= PermissionFlagsBits.SendMessagesInThreads;
    await people.command(connected.memberId, channelId, "probe").answered;
    await people.command(connected.memberId, thread.id, "probe").answered;
    expect(seen).toEqual([false, true]);
  });

  it("whose answer comes too late is given up without another try", async () => {
    connected.loopback.faults.inject({
      method: "POST",
      route: "/interactions/:id/:token/callback",
      times: 9,
      fault: { kind: "status", status: 404, body: { message: "Unknown", code: 10062 } },
    });
    await connected.start({ commands: [slash(anOperation({}))] });
    connected.use("probe");
    await connected.loopback.until(
      () => (connected.log.messages("warn").length > 0 ? true : undefined),
      "the warning",
    );
    expect(connected.asked(/callback$/)).toHaveLength(1);
    expect(connected.log.messages("error")).toEqual([]);
  });
});

describe("a button", () => {
  const button = (id: string) => ({ id, label: "Stop", style: "danger" as const });

  async function press(id: string) {
    const { people, channelId } = connected.loopback;
    const announcement = anAnnouncement(connected.place, { buttons: [button(id)], nonce: id });
    const messageId = await connected.chat.announce(announcement, never);
    const outcome = await people.press(connected.memberId, channelId, messageId, id).answered;
    return { outcome, messageId };
  }

  it("leads to its handler with the person, the argument and the message", async () => {
    const pressed: unknown[] = [];
    const stop = async (context: OperationContext, argument: string, messageId: string) => {
      pressed.push([context.asker.name, argument, messageId]);
      return { text: "Stopped." };
    };
    await connected.start({ buttons: new Map([["stop", stop]]) });
    const { outcome, messageId } = await press("stop:round-1:now");
    expect(pressed).toEqual([["Ben", "round-1:now", messageId]]);
    expect(outcome).toMatchObject({ isEphemeral: true, content: "Stopped." });
    const [message] = connected.shown();
    const rows = message?.components as readonly { components: unknown[] }[] | undefined;
    expect(rows?.[0]?.components).toMatchObject([{ style: ButtonStyle.Danger }]);
  });

  it("that nobody knows any more is answered kindly", async () => {
    await connected.start({ commands });
    expect((await press("gone:1")).outcome).toMatchObject({
      isEphemeral: true,
      content: "This button does nothing any more. Please give the command again.",
    });
    expect((await press("page:agent_create:1")).outcome.content).toContain("does nothing any more");
  });

  it("whose handler refuses tells the reason", async () => {
    const stop = () => Promise.reject(new UserError("conflict", "No round is running here."));
    await connected.start({ buttons: new Map([["stop", stop]]) });
    expect((await press("stop:1")).outcome.content).toBe("No round is running here.");
  });
});

it("an entry in the menu of a message is told which message", async () => {
  let asked: string | undefined;
  const menu = {
    name: "Why this?",
    run: async (_context: OperationContext, messageId: string) => {
      asked = messageId;
      return { text: "Because." };
    },
  };
  await connected.start({ menus: [menu] });
  const { people, channelId } = connected.loopback;
  const messageId = await connected.chat.announce(anAnnouncement(connected.place), never);
  const outcome = await people.menu(connected.memberId, channelId, "Why this?", messageId).answered;
  expect(asked).toBe(messageId);
  expect(outcome).toMatchObject({ isEphemeral: true, content: "Because." });
});

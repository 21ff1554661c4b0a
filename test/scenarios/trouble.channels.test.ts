import {
  ChannelType,
  OverwriteType,
  PermissionFlagsBits as Permission,
} from "discord-api-types/v10";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import type { RestFault } from "../../src/playground/faults.js";
import {
  createChannel,
  deleteChannel,
  deleteOverwrite,
  setOverwrite,
  updateChannel,
} from "../../src/playground/world/channels.js";
import { setRolePermissions } from "../../src/playground/world/guilds.js";
import { briskClock } from "../support/briskClock.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre({ clock: briskClock() });
  await furnish(theatre);
});
afterEach(async () => {
  await theatre.idle();
  theatre.loopback.faults.clear();
  const { world, guild, botRole } = theatre.loopback;
  setRolePermissions(world, guild, botRole, NEEDED_BITS);
});
afterAll(() => theatre.close());

let made = 0;

/** A group of its own for one test; gives its channel. */
async function newGroup(): Promise<string> {
  made += 1;
  const display_name = `Group ${made}`;
  await theatre.command("group_create", { display_name, members: "Researcher, Editor" });
  return theatre.channel(`group-${made}`);
}

const bothSpeak = () =>
  theatre.endpoint.respond(cast({ researcher: 0.6, editor: 1 }, (name) => `${name} spoke.`));

/** A person writes, and everything that follows is waited for. */
async function hears(channelId: string, text: string): Promise<readonly string[]> {
  const before = theatre.lines(channelId).length;
  const rounds = theatre.log.messages("info").filter((line) => line === "round closed").length;
  theatre.say(channelId, text);
  await theatre.loopback.until(
    () =>
      theatre.log.messages("info").filter((line) => line === "round closed").length > rounds ||
      undefined,
    "the round ends",
  );
  await theatre.idle();
  return theatre.lines(channelId).slice(before + 1);
}

function deny(channelId: string, permissions: bigint): () => void {
  const { world, botRole } = theatre.loopback;
  const channel = world.channel(channelId);
  setOverwrite(world, channel, {
    id: botRole.id,
    type: OverwriteType.Role,
    allow: 0n,
    deny: permissions,
  });
  return () => deleteOverwrite(world, channel, botRole.id);
}

/** The next turn waits until it is released. */
function holdTurn() {
  const held = { release: (): void => undefined };
  const isReleased = new Promise<void>((resolve) => {
    held.release = resolve;
  });
  const index = theatre.endpoint.requests.length + 1;
  const speak = cast({ researcher: 0.6, editor: 1 }, (name) => `${name} spoke.`);
  theatre.endpoint.respond(async (request) => {
    if (request.index === index) await isReleased;
    return speak(request);
  });
  return { begins: () => theatre.endpoint.request(index), ...held, release: () => held.release() };
}

describe("the bot in a channel", () => {
  it("without Manage Webhooks says once which permission helps, and speaks again with it", async () => {
    const channelId = await newGroup();
    bothSpeak();
    const giveBack = deny(channelId, Permission.ManageWebhooks);
    const asked = theatre.endpoint.requests.length;
    expect(await hears(channelId, "Both?")).toEqual([
      expect.stringMatching(/^Parley: -# Researcher could not answer: .*Manage Webhooks/),
    ]);
    expect(theatre.endpoint.requests).toHaveLength(asked + 2);
    giveBack();
    expect(await hears(channelId, "Now?")).toEqual([
      "Researcher: Researcher spoke.",
      "Editor: Editor spoke.",
    ]);
  });

  it("that may not write there any more lets its agents speak, and leaves notices to the log", async () => {
    const channelId = await newGroup();
    theatre.endpoint.respond(
      cast({ researcher: 0.6, editor: 1 }, (name) => (name === "Editor" ? "Here." : "  ")),
    );
    deny(channelId, Permission.SendMessages);
    expect(await hears(channelId, "Both?")).toEqual(["Editor: Here."]);
    const logged = theatre.log.entries.find(({ message }) => message === "notice not posted");
    expect(logged?.fields).toMatchObject({ err: { kind: "forbidden" }, notice: "turnFailed" });
  });

  it("that may do neither any more ends the round without a word, and goes on when it may", async () => {
    const channelId = await newGroup();
    const turn = holdTurn();
    theatre.say(channelId, "Both?");
    await turn.begins();
    const asked = theatre.endpoint.requests.length;
    const giveBack = deny(channelId, Permission.SendMessages | Permission.ManageWebhooks);
    turn.release();
    await theatre.idle();
    expect(theatre.lines(channelId)).toEqual(["ada: Both?"]);
    expect(theatre.endpoint.requests).toHaveLength(asked);
    giveBack();
    bothSpeak();
    expect(await hears(channelId, "Now?")).toHaveLength(2);
  });

  it("that does not see it any more hears nothing there, and is back when it does", async () => {
    const channelId = await newGroup();
    bothSpeak();
    expect(await hears(channelId, "Both?")).toHaveLength(2);
    const giveBack = deny(channelId, Permission.ViewChannel);
    theatre.say(channelId, "In secret");
    await theatre.idle();
    expect(theatre.lines(channelId)).toHaveLength(4);
    giveBack();
    expect(await hears(channelId, "Again?")).toEqual([
      "Researcher: Researcher spoke.",
      "Editor: Editor spoke.",
    ]);
    expect(await theatre.command("group_list")).toContain(`<#${channelId}>`);
  });

  it("that loses everything in the whole server answers again when it has it back", async () => {
    const channelId = await newGroup();
    const { world, guild, botRole } = theatre.loopback;
    const turn = holdTurn();
    theatre.say(channelId, "Both?");
    await turn.begins();
    setRolePermissions(world, guild, botRole, 0n);
    turn.release();
    await theatre.idle();
    setRolePermissions(world, guild, botRole, NEEDED_BITS);
    bothSpeak();
    expect((await hears(channelId, "Now?")).slice(-2)).toEqual([
      "Researcher: Researcher spoke.",
      "Editor: Editor spoke.",
    ]);
  });
});

describe("a channel", () => {
  it("that is deleted while somebody writes ends the round, the model call included", async () => {
    const channelId = await newGroup();
    const turn = holdTurn();
    theatre.say(channelId, "Both?");
    const request = await turn.begins();
    const { world } = theatre.loopback;
    deleteChannel(world, world.channel(channelId));
    await request.left;
    await theatre.idle();
    turn.release();
    expect(theatre.endpoint.requests.at(-1)).toBe(request);
  });

  it("that is moved and renamed is the group's as before", async () => {
    const channelId = await newGroup();
    const { world, guild } = theatre.loopback;
    const turn = holdTurn();
    theatre.say(channelId, "Both?");
    await turn.begins();
    updateChannel(world, guild, world.channel(channelId), { parentId: null, name: "elsewhere" });
    turn.release();
    await theatre.lineCount(channelId, 3);
    await theatre.idle();
    expect(theatre.lines(channelId).slice(1)).toEqual([
      "Researcher: Researcher spoke.",
      "Editor: Editor spoke.",
    ]);
  });
});

describe("a category", () => {
  const inCategory = (channelId: string) => {
    const { world } = theatre.loopback;
    return world.channel(world.channel(channelId).parentId ?? "").name;
  };
  const categories = (name: string) => {
    const { world, guild } = theatre.loopback;
    return world.channelsOf(guild.id).filter((channel) => channel.name === name);
  };

  it("that was deleted is made again by the next group", async () => {
    await newGroup();
    const [groups] = categories("Groups");
    if (groups !== undefined) deleteChannel(theatre.loopback.world, groups);
    expect(inCategory(await newGroup())).toBe("Groups");
    expect(categories("Groups")).toHaveLength(1);
  });

  it("that was renamed keeps its channels, and the next group gets a new one of the name", async () => {
    const first = await newGroup();
    const { world, guild } = theatre.loopback;
    const [groups] = categories("Groups");
    if (groups !== undefined) updateChannel(world, guild, groups, { name: "Teams" });
    expect(inCategory(await newGroup())).toBe("Groups");
    expect(inCategory(first)).toBe("Teams");
  });

  it("that is full is one sentence, and nothing half-made is left", async () => {
    await newGroup();
    const { world, guild } = theatre.loopback;
    const [groups] = categories("Groups");
    while (world.channelsOf(guild.id).filter((one) => one.parentId === groups?.id).length < 50) {
      createChannel(world, guild, {
        name: "more",
        type: ChannelType.GuildText,
        parentId: groups?.id ?? null,
      });
    }
    const before = world.channelsOf(guild.id).length;
    expect(
      await theatre.command("group_create", {
        display_name: "No room",
        members: "Researcher, Editor",
      }),
    ).toBe(
      "The category **Groups** is full (50 channels). Move a channel out of it, then try again.",
    );
    expect(world.channelsOf(guild.id)).toHaveLength(before);
    expect(
      await theatre.command("group_create", {
        display_name: "No room",
        members: "Researcher, Editor",
        category: "Groups-more",
      }),
    ).toContain("No room");
    if (groups !== undefined) deleteChannel(world, groups);
  });
});

describe("a command that makes a channel", () => {
  const MAKE = { method: "POST", route: "/guilds/:id/channels" };
  const named = (name: string) => {
    const { world, guild } = theatre.loopback;
    return world.channelsOf(guild.id).filter((channel) => channel.name === name);
  };

  it.each<[string, RestFault]>([
    ["a short 429", { kind: "rateLimit", retryAfterSeconds: 0.2 }],
    ["a reset after it was made", { kind: "resetAfter" }],
    ["502 after it was made", { kind: "statusAfter", status: 502, body: {} }],
  ])("makes one, although Discord answers with %s", async (what, fault) => {
    theatre.loopback.faults.inject({ ...MAKE, fault });
    const name = what.replace(/[^a-z]/g, "");
    const members = "Researcher, Editor";
    expect(await theatre.command("group_create", { display_name: name, members })).toContain(name);
    expect(named(name)).toHaveLength(1);
  });

  it.each<[string, RestFault, RegExp]>([
    ["a reset", { kind: "resetBefore" }, /^The connection to Discord failed\.$/],
    ["500", { kind: "status", status: 500, body: {} }, /^Discord is in trouble \(status 500\)\.$/],
    ["a page", { kind: "html", status: 503 }, /^Discord is in trouble \(status 503\)\.$/],
    [
      "a long 429",
      { kind: "rateLimit", retryAfterSeconds: 8 },
      /^Discord asks for a pause of \d+ seconds: try again then\.$/,
    ],
    [
      "no permission",
      { kind: "status", status: 403, body: { code: 50013, message: "Missing Permissions" } },
      /^I need View Channel and Manage Channels here: allow it/,
    ],
  ])(
    "says so in one sentence and leaves nothing, when Discord answers with %s",
    async (what, fault, sentence) => {
      theatre.loopback.faults.inject({ ...MAKE, fault });
      const name = `not-${what.replace(/[^a-z]/g, "") || "made"}`;
      const wanted = { display_name: name, members: "Researcher, Editor" };
      expect(await theatre.command("group_create", wanted)).toMatch(sentence);
      expect(named(name)).toEqual([]);
      if (fault.kind === "rateLimit") return;
      expect(await theatre.command("group_create", wanted)).toContain(name);
      expect(named(name)).toHaveLength(1);
    },
  );
});

describe("a picture that cannot be uploaded", () => {
  it.each<[string, RestFault]>([
    ["500", { kind: "status", status: 500, body: {} }],
    ["a page", { kind: "html", status: 502 }],
    ["a reset", { kind: "resetBefore" }],
    ["a lost answer", { kind: "resetAfter" }],
    ["a long 429", { kind: "rateLimit", retryAfterSeconds: 8 }],
    ["no room", { kind: "status", status: 400, body: { code: 30008, message: "Maximum" } }],
  ])("stops neither the agent nor its messages (%s)", async (what, fault) => {
    theatre.loopback.faults.inject({ method: "POST", route: "/applications/:id/emojis", fault });
    const display_name = `Without ${what}`;
    const prompt = "You look different.";
    expect(await theatre.command("agent_create", { display_name, prompt })).toContain(display_name);
    expect(await theatre.command("agent_list")).toContain(display_name);
  });
});

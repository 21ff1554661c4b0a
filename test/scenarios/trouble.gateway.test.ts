import { GatewayDispatchEvents as Event } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteChannel } from "../../src/playground/world/channels.js";
import { addMember, removeMember, setUnavailable } from "../../src/playground/world/guilds.js";
import { viewMessageEvent } from "../../src/playground/world/messageViews.js";
import type { Dispatch } from "../../src/playground/world/world.js";
import { briskClock } from "../support/briskClock.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;

async function open(options: Parameters<typeof openTheatre>[0] = {}): Promise<void> {
  theatre = await openTheatre({ clock: briskClock(), ...options });
  review = await furnish(theatre);
  theatre.endpoint.respond(
    cast({ researcher: 0, editor: 1 }, (_, { index }) => `Answer ${index}.`),
  );
}

beforeEach(() => open());
afterEach(async () => {
  await theatre.idle();
  await theatre.close();
});

const isMessage = (text: string) => (dispatch: Dispatch) =>
  dispatch.t === Event.MessageCreate && dispatch.d.content === text;

const spoken = (text: string) =>
  theatre.lines(review).filter((line) => line.startsWith("Editor: ") && line.includes(text));

/** What people wrote is all answered, each once; gives how often somebody answered. */
async function answered(...texts: readonly string[]): Promise<number> {
  const heard = () => theatre.endpoint.requests.map(({ prompt }) => prompt).join("\n");
  await theatre.loopback.until(
    () => texts.every((text) => heard().includes(text)) || undefined,
    `${texts.join(", ")} are heard`,
  );
  await theatre.idle();
  return spoken("Answer").length;
}

/** Discord adds what a link leads to: an update that nobody made. */
function showPreview(messageId: string): void {
  const { world, guild } = theatre.loopback;
  const event = viewMessageEvent(world, world.message(review, messageId));
  const d = { ...event, embeds: [{ title: "Example" }] };
  world.dispatch({ t: Event.MessageUpdate, d }, guild.id, review);
}

describe("a connection that is lost", () => {
  const losses: readonly (readonly [string, () => void])[] = [
    ["and resumed", () => theatre.loopback.interference.drop({ isResumable: true })],
    ["and not resumable", () => theatre.loopback.interference.drop({ isResumable: false })],
    ["by op 7", () => theatre.loopback.interference.askToReconnect()],
    ["by op 9, resumable", () => theatre.loopback.interference.invalidateSession(true)],
    ["by op 9", () => theatre.loopback.interference.invalidateSession(false)],
    [
      "by close code 4009",
      () => theatre.loopback.interference.drop({ isResumable: false, code: 4009 }),
    ],
    [
      "by close code 4000",
      () => theatre.loopback.interference.drop({ isResumable: true, code: 4000 }),
    ],
  ];

  it.each(losses)("%s loses nothing and doubles nothing", async (_, lose) => {
    theatre.say(review, "Before");
    lose();
    theatre.say(review, "Meanwhile");
    const count = await answered("Before", "Meanwhile");
    expect([1, 2]).toContain(count);
    theatre.say(review, "After");
    expect(await answered("After")).toBe(count + 1);
  });

  it("in the middle of a round does not disturb it", async () => {
    const held = { release: (): void => undefined };
    const isReleased = new Promise<void>((resolve) => {
      held.release = resolve;
    });
    const speak = cast({ researcher: 0.6, editor: 1 }, (name) => `${name} spoke.`);
    theatre.endpoint.respond(async (request) => {
      if (request.index === 1) await isReleased;
      return speak(request);
    });
    theatre.say(review, "Both?");
    await theatre.endpoint.request(1);
    theatre.loopback.interference.drop({ isResumable: false });
    held.release();
    await theatre.lineCount(review, 3);
    await theatre.idle();
    expect(theatre.lines(review)).toEqual([
      "ada: Both?",
      "Researcher: Researcher spoke.",
      "Editor: Editor spoke.",
    ]);
  });

  it("whose gap cannot be read for a while is caught up with all the same", async () => {
    // The client itself repeats a reading three times.
    theatre.loopback.faults.inject({
      method: "GET",
      route: `/channels/${review}/messages`,
      times: 9,
      fault: { kind: "status", status: 503, body: {} },
    });
    const release = theatre.loopback.interference.holdBack(isMessage("Meanwhile"));
    theatre.say(review, "Meanwhile");
    theatre.loopback.interference.drop({ isResumable: false });
    expect(await answered("Meanwhile")).toBe(1);
    release();
  });

  it("for a while, with nobody to connect to, is caught up with", async () => {
    const { interference, gateway } = theatre.loopback;
    interference.isRefusing = true;
    interference.drop({ isResumable: false });
    theatre.say(review, "Is anybody there?");
    await theatre.loopback.until(() => gateway.refusals > 0 || undefined, "a try to connect");
    interference.isRefusing = false;
    expect(await answered("Is anybody there?")).toBe(1);
  });
});

it("a connection that is dead without being closed is given up and made anew", async () => {
  await theatre.close();
  await open({ loopback: { heartbeatIntervalMs: 400 } });
  const { interference, gateway } = theatre.loopback;
  const before = gateway.identifies + gateway.resumes;
  interference.isIgnoringHeartbeats = true;
  await theatre.loopback.until(
    () => gateway.identifies + gateway.resumes > before || undefined,
    "a new connection",
  );
  interference.isIgnoringHeartbeats = false;
  theatre.say(review, "Still there?");
  expect(await answered("Still there?")).toBe(1);
});

it.each([
  [4004, "Discord does not accept DISCORD_TOKEN"],
  [4014, "Discord refuses the Message Content intent"],
])("close code %i ends the bot for good, with the remedy", async (code, sentence) => {
  theatre.loopback.interference.drop({ isResumable: false, code });
  const end = await theatre.bot().fatal;
  expect(end.message).toContain(sentence);
});

describe("an event", () => {
  it("that comes twice is answered once", async () => {
    theatre.loopback.interference.sendTwice(isMessage("Twice"));
    theatre.say(review, "Twice");
    expect(await answered("Twice")).toBe(1);
    theatre.say(review, "Once more");
    expect(await answered("Once more")).toBe(2);
  });

  it("that comes after a later one is answered too", async () => {
    const release = theatre.loopback.interference.holdBack(isMessage("First"));
    theatre.say(review, "First");
    theatre.say(review, "Second");
    expect(await answered("Second")).toBe(1);
    release();
    expect(await answered("First")).toBe(2);
  });

  it.each<[string, (id: string) => void]>([
    [
      "the edit of its message",
      (id) => theatre.loopback.people.edit(theatre.ada, review, id, "Late, but edited"),
    ],
    ["the preview of its link", (id) => showPreview(id)],
    ["a reply to its message", (id) => void theatre.say(review, "A reply", { replyTo: id })],
  ])("that comes after %s is answered once", async (_, come) => {
    const release = theatre.loopback.interference.holdBack(isMessage("Late"));
    const { id } = theatre.say(review, "Late");
    come(id);
    theatre.say(review, "Other");
    await answered("Other");
    const count = spoken("Answer").length;
    const text = theatre.messages(review).find((message) => message.id === id)?.content ?? "";
    release();
    expect(await answered(`[Ada (person)] ${text}`)).toBe(count + 1);
    expect(theatre.endpoint.requests.at(-1)?.prompt).toContain(`[Ada (person)] ${text}`);
    theatre.say(review, "And now?");
    expect(await answered("And now?")).toBe(count + 2);
  });

  it("of a message that is deleted already is answered by nobody and is in no prompt", async () => {
    const release = theatre.loopback.interference.holdBack(isMessage("Never mind"));
    const { id } = theatre.say(review, "Never mind");
    theatre.loopback.people.remove(theatre.ada, review, id);
    theatre.say(review, "First");
    expect(await answered("First")).toBe(1);
    release();
    theatre.say(review, "Second");
    expect(await answered("Second")).toBe(2);
    await theatre.stopBot();
    await theatre.startBot();
    theatre.say(review, "Third");
    expect(await answered("Third")).toBe(3);
    const heard = theatre.endpoint.requests.map(({ prompt }) => prompt).join("\n");
    expect(heard).not.toContain("Never mind");
  });

  it("of a reply of its own that comes late or never changes nothing", async () => {
    const release = theatre.loopback.interference.holdBack(
      ({ t, d }) => t === Event.MessageCreate && d.webhook_id !== undefined,
    );
    theatre.say(review, "Hello?");
    expect(await answered("Hello?")).toBe(1);
    release();
    theatre.say(review, "And now?");
    expect(await answered("And now?")).toBe(2);
  });

  it("that arrives while its channel is being caught up with is answered once", async () => {
    await theatre.stopBot();
    theatre.say(review, "While away");
    const held = { release: (): void => undefined };
    const isReleased = new Promise<void>((resolve) => {
      held.release = resolve;
    });
    theatre.loopback.faults.inject({
      method: "GET",
      route: `/channels/${review}/messages`,
      fault: { kind: "delay", release: isReleased },
    });
    await theatre.startBot();
    const stored = () => theatre.log.messages("debug").filter((line) => line === "message stored");
    const before = stored().length;
    theatre.say(review, "Just now");
    await theatre.loopback.until(() => stored().length > before || undefined, "it is stored");
    held.release();
    const count = await answered("While away", "Just now");
    expect(count).toBeLessThanOrEqual(2);
    const last = theatre.endpoint.requests.length;
    await theatre.stopBot();
    await theatre.startBot();
    await theatre.idle();
    expect(theatre.endpoint.requests).toHaveLength(last);
  });

  it("of a kind that is not known is passed over", async () => {
    const { world, guild } = theatre.loopback;
    const unknown = { t: "SOMETHING_NEW", d: { guild_id: guild.id } } as unknown as Dispatch;
    world.dispatch(unknown, guild.id);
    theatre.say(review, "Still there?");
    expect(await answered("Still there?")).toBe(1);
  });
});

describe("a server", () => {
  it("that is out of order for a while is taken up where it was", async () => {
    const { world, guild } = theatre.loopback;
    setUnavailable(world, guild, true);
    theatre.say(review, "During the outage");
    setUnavailable(world, guild, false);
    expect(await answered("During the outage")).toBe(1);
    expect(await theatre.command("group_list")).toContain("Review");
  });

  it("that the bot is removed from ends its rounds, and everything is there when it is invited again", async () => {
    const { world, guild, botRole } = theatre.loopback;
    const botId = world.application.botUserId;
    await theatre.command("agent_create", { display_name: "Notes", prompt: "You take notes." });
    theatre.endpoint.hang();
    theatre.say(review, "Hello?");
    const request = await theatre.endpoint.request(0);
    removeMember(world, guild, botId);
    await request.left;
    await theatre.idle();
    expect(theatre.endpoint.requests).toHaveLength(1);
    deleteChannel(world, world.channel(theatre.channel("notes")));

    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, () => "Answer to it."));
    addMember(world, guild, botId, [botRole.id]);
    await theatre.loopback.until(
      () =>
        theatre.log.messages("info").includes("an agent or group has no channel any more") ||
        undefined,
      "the loss of a channel is noticed",
    );
    theatre.say(review, "Back again?");
    expect(await answered("Back again?")).toBe(1);
    const list = await theatre.command("agent_list");
    expect(list).toContain("Researcher");
    expect(list).toContain("Archived: Notes");
    expect(await theatre.command("group_list")).toContain("Review");
  });
});

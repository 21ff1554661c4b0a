import { Events, OverwriteType, PermissionFlagsBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asId, compareSnowflakes } from "../../../src/domain/ids.js";
import type { Place } from "../../../src/domain/message.js";
import { setOverwrite, webhooksIn } from "../../../src/playground/world/channels.js";
import { carryOut, NO_ANSWER, unanswered } from "../../support/late.js";
import {
  anAnnouncement,
  aPost,
  BEFORE_ALL,
  type Connected,
  connect,
  failureOf,
  never,
} from "./connected.js";

let connected: Connected;
let place: Place;

beforeEach(async () => {
  connected = await connect();
  place = connected.place;
});
afterEach(() => connected.close());

const EXECUTE = /^POST \/webhooks\/\d+\/[^/]+$/;
const EXECUTE_ROUTE = { method: "POST", route: "/webhooks/:id/:token" } as const;
const SAY_ROUTE = { method: "POST", route: "/channels/:id/messages" } as const;
const TEXT = "The second paragraph repeats the first.";

const post = (signal = never) => connected.chat.post(aPost(place), signal);
const find = () =>
  connected.chat.findPost(
    { place, personaName: "Editor", text: TEXT, afterId: BEFORE_ALL, except: [] },
    never,
  );
const ids = () => connected.shown().map(({ id }) => id);
const late = () => carryOut(connected.loopback, unanswered(connected.loopback, EXECUTE));

/** Until the bot knows of a message, which it reads from the gateway. */
async function heardOf(messageId: string | undefined): Promise<void> {
  await connected.loopback.until(() => known(messageId), "the bot hears of the message");
}
function known(messageId: string | undefined): true | undefined {
  const channel = connected.client.channels.cache.get(place.channelId);
  const newest = channel?.isTextBased() === true ? channel.lastMessageId : null;
  if (typeof newest !== "string" || messageId === undefined) return undefined;
  return compareSnowflakes(asId(newest), asId(messageId)) >= 0 || undefined;
}

/** The bot may not read the history any more, and knows it. */
async function hideHistory(): Promise<void> {
  const { world, botRole } = connected.loopback;
  const channel = world.channel(place.channelId);
  const deny = PermissionFlagsBits.ReadMessageHistory;
  setOverwrite(world, channel, { id: botRole.id, type: OverwriteType.Role, allow: 0n, deny });
  await connected.loopback.until(() => {
    const seen = connected.client.channels.cache.get(channel.id);
    if (seen === undefined || seen.isDMBased()) return undefined;
    return seen.permissionsFor(connected.client.user)?.has(deny) === false || undefined;
  }, "the bot knows of its lost permission");
}

describe("a post that Discord carries out late", () => {
  it("is taken away when the same was posted again meanwhile", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: NO_ANSWER });
    expect(await failureOf(post())).toMatchObject({ kind: "unknown" });
    expect(await find()).toBeNull();
    const again = await post();
    await late();
    expect(ids()).toHaveLength(2);
    await connected.loopback.until(() => ids().length === 1 || undefined, "one is taken away");
    expect(ids()).toEqual([again]);
  });

  it("is taken away although it came while the same was being posted again", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: NO_ANSWER });
    await failureOf(post());
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    connected.loopback.faults.inject({
      ...EXECUTE_ROUTE,
      fault: { kind: "delay", release: released },
    });
    const again = post();
    await connected.loopback.until(
      () => connected.asked(EXECUTE).length === 2 || undefined,
      "it is being posted again",
    );
    // The delayed one must not be delayed once more.
    connected.loopback.faults.clear();
    await late();
    await heardOf(ids()[0]);
    release();
    const id = await again;
    await connected.loopback.until(() => ids().length === 1 || undefined, "one is taken away");
    expect(ids()).toEqual([id]);
  });

  it.each(["while it is under way", "after it"])(
    "is taken away when nobody waits for it any more: stopped %s",
    async (when) => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      connected.loopback.faults.inject({
        ...EXECUTE_ROUTE,
        fault: { kind: "delay", release: released },
      });
      connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: NO_ANSWER });
      const stop = new AbortController();
      const stopped = post(stop.signal).catch(() => "failed");
      await connected.loopback.until(
        () => connected.asked(EXECUTE).length === 1 || undefined,
        "the post is under way",
      );
      if (when === "after it") {
        release();
        await stopped;
      }
      stop.abort(new Error("stopped"));
      release();
      expect(await stopped).toBe("failed");
      await late();
      expect(ids()).toHaveLength(1);
      await connected.loopback.until(() => ids().length === 0 || undefined, "it is taken away");
    },
  );

  it("is the one that was meant as long as it was not posted again", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: NO_ANSWER });
    await failureOf(post());
    await late();
    const [id] = ids();
    await heardOf(id);
    expect(await find()).toBe(id);
    expect(ids()).toEqual([id]);
  });

  it("costs none of those that say the same on purpose", async () => {
    const before = await post();
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: NO_ANSWER });
    await failureOf(post());
    const again = await post();
    const after = await post();
    await late();
    await connected.loopback.until(() => ids().length === 3 || undefined, "one is taken away");
    expect(ids()).toEqual([before, again, after]);
  });

  it("is taken away again and again until Discord does it", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: NO_ANSWER });
    await failureOf(post());
    const again = await post();
    connected.loopback.faults.inject({
      method: "DELETE",
      route: "/webhooks/:id/:token/messages/:message",
      times: 2,
      fault: NO_ANSWER,
    });
    await late();
    await connected.loopback.until(() => ids().length === 1 || undefined, "one is taken away");
    expect(ids()).toEqual([again]);
  });
});

describe("without Read Message History, an unknown outcome", () => {
  beforeEach(hideHistory);

  it("is settled by what the gateway tells", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: { kind: "resetAfter" } });
    expect(await failureOf(post())).toMatchObject({ kind: "unknown" });
    const [id] = ids();
    await heardOf(id);
    expect(await find()).toBe(id);
  });

  it("is settled by what the gateway does not tell", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: NO_ANSWER });
    await failureOf(post());
    expect(await find()).toBeNull();
  });

  it("stays unknown when the connection has begun anew since, which tells nothing of before", async () => {
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: NO_ANSWER });
    await failureOf(post());
    const isNew = new Promise((resolve) => {
      connected.client.once(Events.ShardReady, resolve);
    });
    connected.loopback.interference.drop({ isResumable: false });
    await isNew;
    expect(await failureOf(find())).toMatchObject({ kind: "forbidden" });
  });

  it("of the bot's own message is settled too, by its text or its button", async () => {
    connected.loopback.faults.inject({ ...SAY_ROUTE, times: 2, fault: { kind: "resetAfter" } });
    const buttons = [{ id: "stop:1", label: "Stop", style: "danger" }] as const;
    const line = anAnnouncement(place, { text: "Writing", buttons, nonce: "1" });
    const notice = anAnnouncement(place, { text: "Stopped", nonce: "2" });
    await failureOf(connected.chat.announce(line, never));
    await failureOf(connected.chat.announce(notice, never));
    const [lineId, noticeId] = ids();
    await heardOf(noticeId);
    const wanted = { place, buttonId: "stop:1", afterId: BEFORE_ALL };
    expect(await connected.chat.findOwn(wanted, never)).toBe(lineId);
    const repeated = { ...notice, isDoubtful: true, nonce: "3", afterId: BEFORE_ALL };
    expect(await connected.chat.announce(repeated, never)).toBe(noticeId);
  });
});

describe("an agent that speaks although this process did not let it", () => {
  const warnings = () =>
    connected.log.messages("warn").filter((message) => message.includes("another database"));

  /** The same bot in another process: it has made the webhook by which this one speaks too. */
  async function otherSays(content: string): Promise<void> {
    const [hook] = webhooksIn(connected.loopback.world, connected.loopback.channelId);
    if (hook === undefined) throw new Error("There is no webhook.");
    await connected.gateway.sender.post(`/webhooks/${hook.id}/${hook.token}`, {
      auth: false,
      body: { content, username: "Editor" },
    });
    await heardOf(ids().at(-1));
  }

  it("is said in the log, once: another process uses the token with another database", async () => {
    await post();
    await heardOf(ids()[0]);
    await otherSays("Right after the start it may be a request of the process before.");
    expect(warnings()).toEqual([]);
    connected.clock.now = () => Date.now() + 120_000;
    await otherSays("One");
    await otherSays("Two");
    expect(warnings()).toHaveLength(1);
  });

  it("is not believed of what this process posts", async () => {
    connected.clock.now = () => Date.now() + 120_000;
    await post();
    connected.loopback.faults.inject({ ...EXECUTE_ROUTE, fault: { kind: "resetAfter" } });
    await failureOf(post());
    for (const id of ids()) await heardOf(id);
    expect(warnings()).toEqual([]);
  });
});

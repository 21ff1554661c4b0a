import { GatewayDispatchEvents } from "discord.js";
import { beforeEach, describe, expect, it } from "vitest";
import { ChannelFirst } from "../../../src/adapters/discord/channelFirst.js";
import { TestClock } from "../../support/clock.js";

let clock: TestClock;
let known: Set<string>;
let handled: string[];
let channelFirst: ChannelFirst;
beforeEach(() => {
  clock = new TestClock();
  known = new Set();
  handled = [];
  channelFirst = new ChannelFirst({ knows: (id) => known.has(id), clock });
});

const written = (name: string, channelId: string) =>
  channelFirst.pass(
    {
      t: GatewayDispatchEvents.MessageCreate,
      d: { id: name, channel_id: channelId, guild_id: "1" },
    },
    () => handled.push(name),
  );
const told = (channelId: string) =>
  channelFirst.pass({ t: GatewayDispatchEvents.ThreadCreate, d: { id: channelId } }, () => {
    known.add(channelId);
  });

describe("an event about a message", () => {
  it("waits for its channel, in its order, and for no other", () => {
    written("a", "7");
    written("b", "7");
    written("c", "8");
    expect(handled).toEqual([]);
    told("7");
    expect(handled).toEqual(["a", "b"]);
    told("8");
    expect(handled).toEqual(["a", "b", "c"]);
  });

  it("waits no longer than a minute", async () => {
    written("a", "7");
    await clock.advance(60_001);
    told("7");
    expect(handled).toEqual([]);
  });

  it("waits among the newest 1,000", () => {
    for (let n = 0; n <= 1_000; n += 1) written(String(n), "7");
    told("7");
    expect(handled).toHaveLength(1_000);
    expect(handled[0]).toBe("1");
  });

  it("outside of servers waits for nothing", () => {
    const d = { id: "a", channel_id: "7" };
    channelFirst.pass({ t: GatewayDispatchEvents.MessageCreate, d }, () => handled.push("a"));
    expect(handled).toEqual(["a"]);
  });
});

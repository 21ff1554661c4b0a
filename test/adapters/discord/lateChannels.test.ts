import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelId } from "../../../src/domain/ids.js";
import { webhooksIn } from "../../../src/playground/world/channels.js";
import { carryOut, NO_ANSWER, unanswered } from "../../support/late.js";
import { aPost, type Connected, connect, failureOf, never } from "./connected.js";

let connected: Connected;
beforeEach(async () => {
  connected = await connect();
});
afterEach(() => connected.close());

const MAKE_ROUTE = { method: "POST", route: "/guilds/:id/channels" } as const;
const MAKE = /^POST \/guilds\/\d+\/channels$/;
const WEBHOOK_ROUTE = { method: "POST", route: "/channels/:id/webhooks" } as const;
const WEBHOOK = /^POST \/channels\/\d+\/webhooks$/;

function make(name: string): Promise<ChannelId> {
  const { guildId } = connected.place;
  return connected.chat.createChannel({ guildId, name, category: "Groups", topic: `${name} |` });
}

function idsOf(name: string): readonly string[] {
  const { world, guild } = connected.loopback;
  return world
    .channelsOf(guild.id)
    .filter((channel) => channel.name === name)
    .map(({ id }) => id);
}

const late = (pattern: RegExp) =>
  carryOut(connected.loopback, unanswered(connected.loopback, pattern));
const until = (isSo: () => boolean, what: string) =>
  connected.loopback.until(() => isSo() || undefined, what);

describe("a channel that Discord makes late", () => {
  beforeEach(() => make("first"));

  it("is waited for some seconds and then used", async () => {
    connected.loopback.faults.inject({ ...MAKE_ROUTE, fault: NO_ANSWER });
    connected.clock.sleep = async () => {
      if (idsOf("review").length === 0) await late(MAKE);
    };
    expect(idsOf("review")).toEqual([]);
    const id = await make("review");
    expect(idsOf("review")).toEqual([id]);
  });

  it("is taken away when its command has failed", async () => {
    connected.loopback.faults.inject({ ...MAKE_ROUTE, fault: NO_ANSWER });
    expect(await failureOf(make("review"))).toMatchObject({ kind: "unknown" });
    await late(MAKE);
    expect(idsOf("review")).toHaveLength(1);
    await until(() => idsOf("review").length === 0, "it is taken away");
  });

  it("is in doubt also when Discord is too ill to be asked", async () => {
    connected.loopback.faults.inject({ ...MAKE_ROUTE, fault: NO_ANSWER });
    connected.loopback.faults.inject({
      method: "GET",
      route: "/guilds/:id/channels",
      times: 9,
      fault: NO_ANSWER,
    });
    expect(await failureOf(make("review"))).toMatchObject({ kind: "unknown" });
  });

  it("is taken away, and not the one of the same command that was given again", async () => {
    connected.loopback.faults.inject({ ...MAKE_ROUTE, fault: NO_ANSWER });
    await failureOf(make("review"));
    const id = await make("review");
    await late(MAKE);
    expect(idsOf("review")).toHaveLength(2);
    await until(() => idsOf("review").length === 1, "one is taken away");
    expect(idsOf("review")).toEqual([id]);
  });

  it("is none of those that people make", async () => {
    connected.loopback.faults.inject({ ...MAKE_ROUTE, fault: NO_ANSWER });
    await failureOf(make("review"));
    const other = await make("other");
    await late(MAKE);
    await until(() => idsOf("review").length === 0, "it is taken away");
    expect(idsOf("other")).toEqual([other]);
  });

  it("was made although the answer names none", async () => {
    connected.loopback.faults.inject({
      ...MAKE_ROUTE,
      fault: { kind: "statusAfter", status: 201, body: {} },
    });
    const id = await make("review");
    expect(idsOf("review")).toEqual([id]);
  });
});

describe("a category that Discord makes late", () => {
  it("is taken away when its command has failed", async () => {
    connected.loopback.faults.inject({ ...MAKE_ROUTE, fault: NO_ANSWER });
    await failureOf(make("review"));
    await late(MAKE);
    expect(idsOf("Groups")).toHaveLength(1);
    await until(() => idsOf("Groups").length === 0, "it is taken away");
  });
});

describe("a webhook that Discord makes late", () => {
  const post = () => connected.chat.post(aPost(connected.place), never);
  const webhooks = () => webhooksIn(connected.loopback.world, connected.loopback.channelId);

  it("is taken away when another was made meanwhile", async () => {
    connected.loopback.faults.inject({ ...WEBHOOK_ROUTE, fault: NO_ANSWER });
    expect(await failureOf(post())).toMatchObject({ kind: "unknown" });
    await post();
    const [used] = webhooks();
    await late(WEBHOOK);
    expect(webhooks()).toHaveLength(2);
    await until(() => webhooks().length === 1, "one is taken away");
    expect(webhooks()).toEqual([used]);
  });

  it("is used when no other was made yet", async () => {
    connected.loopback.faults.inject({ ...WEBHOOK_ROUTE, fault: NO_ANSWER });
    await failureOf(post());
    await late(WEBHOOK);
    await post();
    expect(webhooks()).toHaveLength(1);
    expect(connected.shown()).toHaveLength(1);
  });
});

import { GatewayDispatchEvents, PermissionFlagsBits } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHistory } from "../../../src/adapters/discord/history.js";
import { asId, type MessageId } from "../../../src/domain/ids.js";
import type { RestFault } from "../../../src/playground/faults.js";
import { setRolePermissions } from "../../../src/playground/world/guilds.js";
import { aPost, BEFORE_ALL, failureOf, never } from "./connected.js";
import { connectHearing, type Hearing } from "./hearing.js";

let connected: Hearing;

beforeEach(async () => {
  connected = await connectHearing();
});
afterEach(() => connected.close());

describe("the history", () => {
  const since = (afterId: string | null, limit = 200) =>
    createHistory(connected.client).since(
      connected.place,
      afterId === null ? null : asId<MessageId>(afterId),
      limit,
    );

  it("gives the messages of people after a message, oldest first, over several pages", async () => {
    const first = connected.say("first");
    for (let written = 0; written < 120; written += 1) connected.say(`line ${written}`);
    await connected.chat.post(aPost(connected.place), never);
    connected.say("last");
    const messages = await since(first.id);
    expect(messages).toHaveLength(121);
    expect(messages[0]?.text).toBe("line 0");
    expect(messages.at(-1)?.text).toBe("last");
    expect(await since(first.id, 110)).toHaveLength(109);
  });

  it("looks at no more messages than asked, and then at the newest", async () => {
    for (let written = 0; written < 10; written += 1) connected.say(`line ${written}`);
    const texts = async (afterId: string | null) =>
      (await since(afterId, 3)).map(({ text }) => text);
    expect(await texts(BEFORE_ALL)).toEqual(["line 7", "line 8", "line 9"]);
    expect(await texts(null)).toEqual(["line 7", "line 8", "line 9"]);
  });

  it("knows what its authors may do, also those not met before", async () => {
    connected.say("Hello");
    await connected.settled();
    connected.client.guilds.cache.get(connected.loopback.guild.id)?.members.cache.clear();
    const [message] = await since(BEFORE_ALL);
    expect(message?.author).toMatchObject({ name: "Ada", canManageChannels: true });
  });

  it("does not keep a message from arriving", async () => {
    const { interference } = connected.loopback;
    const release = interference.holdBack(({ t }) => t === GatewayDispatchEvents.MessageCreate);
    connected.say("Seen in the history first");
    expect(await since(BEFORE_ALL)).toHaveLength(1);
    release();
    await connected.settled();
    expect(connected.heard.messages.map(({ text }) => text)).toContain("Seen in the history first");
  });

  it("is refused where the bot may not read it, unless nothing was written since", async () => {
    const { loopback, place } = connected;
    const history = createHistory(connected.client);
    const said = connected.say("Before");
    await connected.settled();
    expect(history.mayRead(place)).toBe(true);
    expect(history.mayReadServer(place.guildId)).toBe(true);
    const { world, guild } = loopback;
    for (const role of guild.roles.values()) {
      const permissions = role.permissions & ~PermissionFlagsBits.ReadMessageHistory;
      setRolePermissions(world, guild, role, permissions);
    }
    await loopback.until(() => !history.mayRead(place) || undefined, "it is taken away");
    expect(await failureOf(since(said.id))).toMatchObject({
      kind: "forbidden",
      needs: "Read Message History",
    });
    const newest = history.newestId(place);
    expect(newest).not.toBeNull();
    expect(await since(newest)).toEqual([]);
    expect(history.mayReadServer(place.guildId)).toBe(false);
  });

  it.each<[string, RestFault]>([
    ["an empty object", { kind: "status", status: 200, body: {} }],
    ["a list of something else", { kind: "status", status: 200, body: [{}] }],
    ["a page of a proxy", { kind: "html", status: 200 }],
  ])("that is answered with %s is trouble that may pass", async (_, fault) => {
    const { faults, channelId } = connected.loopback;
    faults.inject({ method: "GET", route: `/channels/${channelId}/messages`, fault });
    connected.say("Hello");
    expect((await failureOf(since(BEFORE_ALL))).kind).toBe("unavailable");
    expect(await since(BEFORE_ALL)).toHaveLength(1);
  });

  it("lists the servers, and their channels with active threads", () => {
    const { people, owner, channelId, guild } = connected.loopback;
    const history = createHistory(connected.client);
    expect(history.servers()).toEqual([guild.id]);
    expect(history.places(asId(guild.id))).toEqual([connected.place]);
    const thread = people.createThread(owner.id, channelId, "Details");
    return connected.loopback.until(
      () =>
        history.places(asId(guild.id)).find(({ threadId }) => threadId === asId(thread.id)) ??
        undefined,
      "the thread",
    );
  });
});

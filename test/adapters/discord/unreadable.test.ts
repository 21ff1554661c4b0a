import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectHearing, type Hearing } from "./hearing.js";

let connected: Hearing;

beforeEach(async () => {
  connected = await connectHearing();
});
afterEach(() => connected.close());

describe("an event that cannot be read", () => {
  const said = (guildId: string, channelId: string) => ({
    guild_id: guildId,
    channel_id: channelId,
  });

  it.each<[string, string, (guildId: string, channelId: string) => unknown]>([
    ["without data", "MESSAGE_CREATE", () => null],
    ["of a server, without data", "GUILD_CREATE", () => null],
    ["that is no event", "MESSAGE_CREATE", () => "text"],
    [
      "of a command, without its parts",
      "INTERACTION_CREATE",
      (...place) => ({
        id: "1000000000000000000",
        type: 3,
        token: "token",
        version: 1,
        ...said(...place),
      }),
    ],
  ])("is logged, and the next one is heard: one %s", async (_, t, d) => {
    const { loopback, log } = connected;
    loopback.interference.sendRaw({ t, d: d(loopback.guild.id, loopback.channelId) });
    await connected.settled();
    const logged = log.entries.filter(({ level }) => level === "error");
    expect(logged).toEqual([
      expect.objectContaining({
        message: "an event of Discord could not be read",
        fields: expect.objectContaining({ event: t }) as object,
      }),
    ]);
  });
});

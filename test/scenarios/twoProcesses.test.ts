/** The program started twice with one token on one database. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ParleyHost } from "../support/parleyProcess.js";
import { cast } from "../support/theatre.js";

let host: ParleyHost;
beforeEach(async () => {
  host = await ParleyHost.open();
});
afterEach(() => host.close());

const isAnswer = (line: string) => line === "Editor: An answer.";
const STANDS_BY = "Another Parley process is using this database.";

describe("a second process on the same database", () => {
  it("stands by and says why, and takes over when the first is killed: nothing is answered twice", async () => {
    host.endpoint.respond(cast({ researcher: 0, editor: 0.9 }, () => "An answer."));
    const first = host.start();
    await first.says('"ready"');
    const second = host.start();
    await second.says(STANDS_BY);
    const channelId = await host.furnish();

    host.say(channelId, "One?");
    await host.until(channelId, (lines) => lines.at(-1) === "Editor: An answer.");
    expect(host.loopback.gateway.identifies).toBe(1);
    expect(second.output).not.toContain('"ready"');

    first.send("SIGKILL");
    host.say(channelId, "Two?");
    await second.says('"ready"');
    await host.until(channelId, (lines) => lines.filter(isAnswer).length === 2);
    second.send("SIGTERM");
    expect(await second.exit).toEqual({ code: 0, signal: null });
    expect(host.lines(channelId).slice(-4)).toEqual([
      "ada: One?",
      "Editor: An answer.",
      "ada: Two?",
      "Editor: An answer.",
    ]);
  });

  it("ends with 0 when it is stopped while it stands by", async () => {
    const first = host.start();
    await first.says('"ready"');
    const second = host.start();
    await second.says(STANDS_BY);
    second.send("SIGINT");
    expect(await second.exit).toEqual({ code: 0, signal: null });
    first.send("SIGTERM");
    expect(await first.exit).toEqual({ code: 0, signal: null });
  });
});

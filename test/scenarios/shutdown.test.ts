/** The program itself, asked to end: what it finishes, what it leaves for the next start, and its exit codes. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deferred } from "../support/callPlans.js";
import type { EndpointAnswer, EndpointRequest } from "../support/modelEndpoint.js";
import { ParleyHost, type ParleyProcess } from "../support/parleyProcess.js";
import { cast } from "../support/theatre.js";

let host: ParleyHost;
beforeEach(async () => {
  host = await ParleyHost.open();
});
afterEach(() => host.close());

type Turn = (name: string, request: EndpointRequest) => string | Promise<string>;

/** Both members are chosen, Researcher before Editor. */
function script(turn: Turn) {
  const judge = cast({ researcher: 0.6, editor: 0.9 }, () => "");
  host.endpoint.respond((request): EndpointAnswer | string | Promise<string> => {
    if (request.body.response_format !== undefined) return judge(request);
    return turn(request.system.includes("You are Editor") ? "Editor" : "Researcher", request);
  });
}

/** A round whose first turn is being composed. */
async function inTheMiddle(
  turn: Turn,
): Promise<{ readonly parley: ParleyProcess; readonly channelId: string }> {
  const begun = deferred<void>();
  script((name, request) => {
    begun.resolve();
    return turn(name, request);
  });
  const parley = host.start();
  await parley.says('"ready"');
  const channelId = await host.furnish();
  host.say(channelId, "When was that?");
  await begun.promise;
  return { parley, channelId };
}

const isStatusLine = (line: string) => line.startsWith("Parley: -# ");
const STOPPED = { code: 0, signal: null };

describe("a process that is asked to end", () => {
  it("finishes the turn in flight and begins no other; the next start goes on there", async () => {
    const answer = deferred<string>();
    const { parley, channelId } = await inTheMiddle(() => answer.promise);
    parley.send("SIGTERM");
    await parley.says('"stopping"');
    host.say(channelId, "And who did it?");
    answer.resolve("In 1912.");
    expect(await parley.exit).toEqual(STOPPED);
    expect(host.lines(channelId)).toEqual([
      "ada: When was that?",
      "ada: And who did it?",
      "Researcher: In 1912.",
    ]);

    script((name) => `${name} goes on.`);
    const next = host.start();
    await next.says('"ready"');
    const lines = await host.until(
      channelId,
      (shown) => shown.length >= 6 && !shown.some(isStatusLine),
    );
    expect(lines.slice(3)).toEqual([
      "Editor: Editor goes on.",
      "Researcher: Researcher goes on.",
      "Editor: Editor goes on.",
    ]);
    next.send("SIGINT");
    expect(await next.exit).toEqual(STOPPED);
  });

  it("cuts off a model that hangs, and asks it again after the next start", async () => {
    const { parley, channelId } = await inTheMiddle((_, { left }) => left.then(() => ""));
    parley.send("SIGINT");
    expect(await parley.exit).toEqual(STOPPED);
    expect(host.lines(channelId)).toEqual(["ada: When was that?"]);

    script((name) => `${name} is back.`);
    const next = host.start();
    const lines = await host.until(
      channelId,
      (shown) => shown.length === 3 && !shown.some(isStatusLine),
    );
    expect(lines).toEqual([
      "ada: When was that?",
      "Researcher: Researcher is back.",
      "Editor: Editor is back.",
    ]);
    next.send("SIGTERM");
    expect(await next.exit).toEqual(STOPPED);
  });

  it("ends at once at the second signal; the next start takes away its status line", async () => {
    const { parley, channelId } = await inTheMiddle((_, { left }) => left.then(() => ""));
    await host.until(channelId, (lines) => lines.some(isStatusLine));
    parley.send("SIGTERM");
    await parley.says('"stopping"');
    parley.send("SIGTERM");
    expect(await parley.exit).toEqual({ code: null, signal: "SIGTERM" });
    expect(host.lines(channelId).some(isStatusLine)).toBe(true);

    script((name) => `${name} is back.`);
    host.start();
    const lines = await host.until(
      channelId,
      (shown) => shown.length === 3 && !shown.some(isStatusLine),
    );
    expect(lines.at(-1)).toBe("Editor: Editor is back.");
  });

  it("ends while Discord keeps it waiting for the login", async () => {
    const never = new Promise(() => undefined);
    host.loopback.faults.inject({
      method: "GET",
      route: "/gateway/bot",
      nth: 2,
      times: 100,
      fault: { kind: "delay", release: never },
    });
    const parley = host.start();
    await host.loopback.until(
      () => host.loopback.requests.find(({ path }) => path.endsWith("/gateway/bot")),
      "a login",
    );
    parley.send("SIGTERM");
    expect(await parley.exit).toEqual(STOPPED);
  });

  it("ends in order too while the program is still being loaded", async () => {
    const early = join(host.folder, "early.cjs");
    await writeFile(
      early,
      `const { Module } = require("node:module");
       const load = Module._load;
       Module._load = function (...given) {
         if (given[0].includes("discord")) {
           Module._load = load;
           process.kill(process.pid, "SIGTERM");
         }
         return load.apply(this, given);
       };`,
    );
    const parley = host.start({ NODE_OPTIONS: `--require ${early}` });
    expect(await parley.exit).toEqual(STOPPED);
  });
});

describe("the exit code", () => {
  it("is 78 for a wrong setting, which it names", async () => {
    const parley = host.start({ MAX_REPLIES: "99" });
    expect(await parley.exit).toEqual({ code: 78, signal: null });
    expect(parley.errors).toMatch(/MAX_REPLIES: expected a whole number from 1 to 8/);
  });

  it("is 78 for a token that Discord does not know", async () => {
    const parley = host.start({ DISCORD_TOKEN: "not.a.token" });
    expect(await parley.exit).toEqual({ code: 78, signal: null });
    expect(parley.errors).toMatch(/Discord does not accept DISCORD_TOKEN/);
    expect(parley.errors + parley.output).not.toContain("not.a.token");
  });

  it("is 1 when the database cannot be reached", async () => {
    const parley = host.start({ DATABASE_URL: "postgres://ana:s3cret@127.0.0.1:1/parley" });
    expect(await parley.exit).toEqual({ code: 1, signal: null });
    expect(parley.errors).toMatch(/cannot be reached/);
    expect(parley.errors + parley.output).not.toContain("s3cret");
  });
});

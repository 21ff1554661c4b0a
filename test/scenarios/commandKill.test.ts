/**
 * The process is killed around every write and every announcement of a `!gc` command, and started
 * again: the command is done once, it is said once, and a debate that it opens is held. Every third
 * point runs always, all of them with KILL_POINTS=all.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { KillableBot, type KillPoint } from "../support/killing.js";

const STEP = process.env["KILL_POINTS"] === "all" ? 1 : 3;
const MEMBERS = ["Researcher", "Editor"];
/** Each with what takes it back, so that it does the same again. */
const STORIES = [
  { command: "!gc add Planner", undo: "!gc remove Planner" },
  { command: "!gc debate 1 Is it art?", undo: null },
] as const;
const SAY = { method: "POST", route: "/channels/:id/messages" } as const;

let bot: KillableBot;
let panel: string;

beforeAll(async () => {
  bot = await KillableBot.open();
  await bot.start();
  const { people, owner, channelId } = bot.loopback;
  const command = (path: string, values: Readonly<Record<string, string>>) =>
    people.command(owner.id, channelId, path, values).answered;
  for (const display_name of [...MEMBERS, "Planner"]) {
    await command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
  }
  const members = MEMBERS.join(", ");
  await command("group_create", { display_name: "Panel", members, kind: "hosted" });
  const channel = [...bot.loopback.world.channels.values()].find(({ name }) => name === "panel");
  if (channel === undefined) throw new Error("The group has no channel.");
  panel = channel.id;
  await bot.untilDeadOrIdle();
  bot.endpoint.respond(({ system }) => `${/^You are (.+)\.$/mu.exec(system)?.[1]} says so.`);
});
afterAll(() => bot.close());

function write(text: string): string {
  const { people, owner } = bot.loopback;
  return people.post(owner.id, panel, text).id;
}

/** Waits until the channel reads like this since then, or until that does not come about any more. */
async function reads(since: string, lines: readonly string[]): Promise<readonly string[]> {
  const isRight = () => JSON.stringify(bot.linesSince(panel, since)) === JSON.stringify(lines);
  await bot.loopback
    .until(() => isRight() || undefined, "the channel is as it should be")
    .catch(() => undefined);
  await bot.untilDeadOrIdle();
  return bot.linesSince(panel, since);
}

it("does and says once what was commanded, wherever it is killed", async () => {
  const wrong: unknown[] = [];
  for (const { command, undo } of STORIES) {
    const takeBack = async () => {
      if (undo === null) return;
      const since = write(undo);
      await bot.loopback.until(() => bot.linesSince(panel, since)[1], "it is taken back");
      await bot.untilDeadOrIdle();
    };
    await bot.arm({ nth: 0, when: "before" });
    const first = write(command);
    const isDone = () => bot.linesSince(panel, first).length > (undo === null ? 2 : 1) || undefined;
    await bot.loopback.until(isDone, "the command is done");
    await bot.untilDeadOrIdle();
    const lines = bot.linesSince(panel, first);
    const writes = await bot.writes();
    await takeBack();
    const points: KillPoint[] = [];
    for (const when of ["before", "after"] as const) {
      points.push({ at: "request", ...SAY, nth: 1, when });
      for (let nth = 1; nth <= writes; nth += 1) points.push({ at: "write", nth, when });
    }
    for (const point of points.filter((_, index) => index % STEP === 0)) {
      if (!bot.isAlive) await bot.start();
      if (point.at === "write") await bot.arm(point);
      else {
        const { method, route, nth, when } = point;
        const kind = when === "before" ? "resetBefore" : "resetAfter";
        bot.loopback.faults.inject({
          method,
          route,
          nth,
          fault: { kind, onMet: () => bot.kill() },
        });
      }
      const since = write(command);
      await bot.loopback.until(() => !bot.isAlive || undefined, "it is killed");
      bot.loopback.faults.clear();
      await bot.start();
      const found = await reads(since, lines);
      if (JSON.stringify(found) !== JSON.stringify(lines)) wrong.push({ command, point, found });
      await takeBack();
    }
  }
  expect(wrong).toEqual([]);
}, 3_600_000);

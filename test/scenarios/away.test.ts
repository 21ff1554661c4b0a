import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KillableBot } from "../support/killing.js";
import { structured } from "../support/modelEndpoint.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;
beforeEach(async () => {
  theatre = await openTheatre();
  review = await furnish(theatre);
});
afterEach(() => theatre.close());

describe("what people do while the bot is off", () => {
  it("counts: what they deleted is in no prompt, and what they edited is there as it is now", async () => {
    const { endpoint, loopback } = theatre;
    endpoint.respond(cast({ researcher: 0, editor: 1 }, (_, { index }) => `Answer ${index}`));
    const secret = theatre.say(review, "The password is TOPSECRET");
    await theatre.lineCount(review, 2);
    const old = theatre.say(review, "It was in OLDTEXT");
    const lines = await theatre.lineCount(review, 4);
    await theatre.idle();
    const bad = theatre.messages(review)[1];
    await theatre.stopBot();
    loopback.people.remove(theatre.ada, review, secret.id);
    loopback.people.remove(theatre.ada, review, bad?.id ?? "");
    loopback.people.edit(theatre.ada, review, old.id, "It was in NEWTEXT");
    await theatre.startBot();
    theatre.say(review, "And now?");
    await theatre.lineCount(review, 4);
    await theatre.idle();
    const prompt = endpoint.requests.at(-1)?.prompt ?? "";
    expect(prompt).toContain("NEWTEXT");
    expect(prompt).not.toContain("OLDTEXT");
    expect(prompt).not.toContain("TOPSECRET");
    expect(prompt).not.toContain(lines[1]?.split(": ")[1]);
  });
});

describe("a stop that was written while the process was dead", () => {
  it("ends the interrupted round before anything is asked again", async () => {
    const bot = await KillableBot.open();
    try {
      await bot.start();
      const review = await bot.furnish(["Researcher", "Editor"]);
      const { people, owner } = bot.loopback;
      let isDead = false;
      bot.endpoint.respond((request) => {
        if (request.body.response_format !== undefined) {
          return structured({ researcher: 0, editor: 1 });
        }
        return isDead ? "Too late." : { type: "hang" };
      });
      const trigger = people.post(owner.id, review, "Begin");
      await bot.endpoint.request(1);
      await bot.stop();
      isDead = true;
      people.post(owner.id, review, "Stop!");
      await bot.start();
      await bot.loopback.until(
        () =>
          bot.linesSince(review, trigger.id).some((line) => line.includes("Stopped")) || undefined,
        "the round is stopped",
      );
      await bot.untilDeadOrIdle();
      expect(bot.linesSince(review, trigger.id)).toEqual([
        "ada: Begin",
        "ada: Stop!",
        "Parley: -# Stopped by Ada.",
      ]);
    } finally {
      await bot.close();
    }
  });
});

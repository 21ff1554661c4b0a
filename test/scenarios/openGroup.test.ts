import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
beforeEach(async () => {
  theatre = await openTheatre();
});
afterEach(() => theatre.close());

describe("an open group on Discord's protocol", () => {
  it("is made by slash commands, and its members answer under their own names and pictures", async () => {
    const review = await furnish(theatre);
    theatre.endpoint.respond(cast({ researcher: 0.6, editor: 0.9 }, (name) => `${name} was here.`));
    theatre.say(review, "Who is there?");
    expect(await theatre.lineCount(review, 3)).toEqual([
      "ada: Who is there?",
      "Researcher: Researcher was here.",
      "Editor: Editor was here.",
    ]);
    await theatre.idle();
    const [, first, second] = theatre.messages(review);
    expect(first?.webhook_id).toBeDefined();
    expect(second?.webhook_id).toBe(first?.webhook_id);
    const pictures = theatre.loopback.requests
      .filter(({ method, path }) => method === "POST" && path.startsWith("/webhooks/"))
      .map(({ body }) => body as { username?: string; avatar_url?: string })
      .filter(({ username }) => username !== "Coordinator")
      .map(({ avatar_url }) => avatar_url);
    expect(new Set(pictures).size).toBe(2);
    for (const picture of pictures) {
      expect(picture).toMatch(/^https:\/\/cdn\.discordapp\.com\/emojis\/\d+\.png/);
    }
    const channel = theatre.loopback.world.channel(review);
    expect(channel.topic).toBe("Review | Members: Researcher, Editor | Host: Researcher");
  });

  it("goes on after a restart with what was written meanwhile", async () => {
    const review = await furnish(theatre);
    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, () => "Yes."));
    theatre.say(review, "First");
    await theatre.lineCount(review, 2);
    await theatre.stopBot();
    theatre.say(review, "While you were away");
    theatre.say(review, "And again");
    await theatre.startBot();
    expect(await theatre.lineCount(review, 5)).toEqual([
      "ada: First",
      "Editor: Yes.",
      "ada: While you were away",
      "ada: And again",
      "Editor: Yes.",
    ]);
    await theatre.idle();
    expect(theatre.lines(review)).toHaveLength(5);
  });
});

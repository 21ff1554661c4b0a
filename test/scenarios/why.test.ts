import { type APIMessage, ComponentType } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failure, structured } from "../support/modelEndpoint.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;
beforeEach(async () => {
  theatre = await openTheatre();
  review = await furnish(theatre, ["Researcher", "Editor", "Critic"]);
});
afterEach(() => theatre.close());

/** Scores, reasons when they are asked for, and an Editor whose model is out of order. */
function answerAll() {
  const scores = cast({ researcher: 0.62, editor: 0.9, critic: 0.1 }, (name) => `${name} here.`);
  theatre.endpoint.respond((request) => {
    if (request.answerName === "reasons") {
      return structured({ researcher: "Dates.", editor: "Words.", critic: "No claim to doubt." });
    }
    if (/^You are Editor\.$/mu.test(request.system)) return failure(500, { message: "broken" });
    return scores(request);
  });
}

/** Ids of the buttons under a message. */
function buttonsOf(message: APIMessage | null | undefined): readonly string[] {
  return (message?.components ?? []).flatMap((row) =>
    row.type === ComponentType.ActionRow
      ? row.components.flatMap((one) => ("custom_id" in one ? [one.custom_id] : []))
      : [],
  );
}

describe("asking why", () => {
  it("is answered by command, menu and button, to the asker alone, and explained once", async () => {
    const { people } = theatre.loopback;
    const { ben } = theatre;
    answerAll();
    const asked = theatre.say(review, "When was that?");
    await theatre.lineCount(review, 3);
    await theatre.idle();
    const [, first, notice] = theatre.messages(review);
    expect(notice?.content).toBe("-# Editor could not answer: its model is not working just now.");

    const command = await people.command(ben, review, "round_why").answered;
    expect(command.isEphemeral).toBe(true);
    const lines = command.content.split("\n");
    expect(lines[0]).toMatch(/^\*\*Finished\*\*, 1 reply in \d+(\.\d)? s$/u);
    expect(lines.slice(1, 10)).toEqual([
      `> Ada: “When was that?” [↗](https://discord.com/channels/${theatre.loopback.guild.id}/${review}/${asked.id})`,
      "The judge scored 3 members; a member answers from 0.50 on.",
      "```",
      "Researcher ▓▓▓▓▓▓░░░░ 0.62 ✓",
      "Editor     ▓▓▓▓▓▓▓▓▓░ 0.90 ✓",
      "Critic     ▓░░░░░░░░░ 0.10",
      "```",
      "**Whose turn it was**, in this order",
      "1. **Researcher**: score 0.62",
    ]);
    expect(lines[10]).toBe(
      "2. **Editor** could not answer, its model is not working just now: score 0.90",
    );

    const [why = ""] = buttonsOf(notice);
    const pressed = await people.press(ben, review, notice?.id ?? "", why).answered;
    expect(pressed.isEphemeral).toBe(true);
    expect(pressed.content).toBe(command.content);

    const menu = await people.menu(ben, review, "Why this?", first?.id ?? "").answered;
    expect(menu.isEphemeral).toBe(true);
    expect(menu.content).toContain("\nThis message: **Researcher** spoke, score 0.62.\n");

    const [explain = ""] = buttonsOf(menu.message);
    const [one, other] = await Promise.all([
      people.press(ben, review, menu.message?.id ?? "", explain).answered,
      people.press(ben, review, command.message?.id ?? "", explain).answered,
    ]);
    expect(one.isEphemeral).toBe(true);
    expect(one.content).toBe(
      [
        "**The judge explains** its scores",
        "- **Researcher**: Dates.",
        "- **Editor**: Words.",
        "- **Critic**: No claim to doubt.",
      ].join("\n"),
    );
    expect(other.content).toBe(one.content);
    const asksForReasons = theatre.endpoint.requests.filter(
      ({ answerName }) => answerName === "reasons",
    );
    expect(asksForReasons).toHaveLength(1);

    const link = `https://discord.com/channels/${theatre.loopback.guild.id}/${review}/${asked.id}`;
    const again = await people.command(ben, review, "round_why", { message: link }).answered;
    expect(again.content).toContain("**The judge explains**\n- **Researcher**: Dates.");
    expect(buttonsOf(again.message)).toEqual([]);
    expect(theatre.lines(review)).toHaveLength(3);
  });

  it("in advance shows who would answer, and leaves nothing behind", async () => {
    answerAll();
    const shown = await theatre.command(
      "round_preview",
      { text: "@Critic When was that?" },
      { in: review, as: theatre.ben },
    );
    expect(shown.split("\n").slice(-4)).toEqual([
      "**Who would answer**, in this order",
      "1. Critic: named by you",
      "2. Researcher: score 0.62",
      "3. Editor: score 0.90",
    ]);
    await theatre.idle();
    expect(theatre.lines(review)).toEqual([]);
    expect(await theatre.command("round_why", {}, { in: review, as: theatre.ben })).toBe(
      "No agent has been asked anything here yet.",
    );
    expect(await theatre.command("round_preview", { text: "Hello?" })).toBe(
      "This works only in the channel of an open group, or in one of its threads.",
    );
  });
});

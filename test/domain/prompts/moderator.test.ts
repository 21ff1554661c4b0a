import { describe, expect, it } from "vitest";
import { type AgentId, asId } from "../../../src/domain/ids.js";
import type { Message } from "../../../src/domain/message.js";
import { floorPrompt, moderatorPrompt } from "../../../src/domain/prompts/moderator.js";
import { beginModeration } from "../../../src/domain/round/moderation.js";
import { estimateTokens } from "../../../src/domain/usage.js";
import { aFile, person } from "./transcript.js";

const self = { agentId: asId<AgentId>("a1"), displayName: "Editor", role: "Edits.", isHost: true };
const seat = { self, group: { displayName: "Review" }, members: [self] };
const asked: Message = {
  ...person(1, "Ana", "What do they say?"),
  attachments: Array.from({ length: 10 }, (_, n) =>
    aFile(`${n}.txt`, { kind: "text", text: `${n} `.repeat(32_000) }),
  ),
};
const tokensIn = (prompt: readonly { readonly text: string }[]) =>
  prompt.reduce((sum, { text }) => sum + estimateTokens(text), 0);

describe("files that people attach on a floor", () => {
  it("keep to the budget of who is given a turn, what it is to do included", () => {
    const prompt = floorPrompt(
      { seat, transcript: [asked], omitted: 0, tokenBudget: 24_000 },
      { topic: "t".repeat(1_000), instruction: "i".repeat(1_000), isSummary: false },
    );
    expect(tokensIn(prompt)).toBeLessThanOrEqual(24_000);
    expect(prompt.at(-1)?.text).toContain("--- file: 9.txt, only its beginning");
    expect(prompt.at(-1)?.shortened).toHaveLength(10);
  });

  it("are named for the host that moderates, with their beginning", () => {
    const prompt = moderatorPrompt({
      seat,
      topic: null,
      moderation: beginModeration("Decide."),
      history: Array.from({ length: 20 }, () => asked),
      mustClose: false,
    });
    expect(tokensIn(prompt)).toBeLessThanOrEqual(10_000);
    expect(prompt[1]?.text).toContain(
      "[Ana (person)] What do they say? [file: 0.txt, which begins: 0 0",
    );
  });
});

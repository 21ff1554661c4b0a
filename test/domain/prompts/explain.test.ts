import { describe, expect, it } from "vitest";
import { explainPrompt } from "../../../src/domain/prompts/explain.js";
import { judgePrompt } from "../../../src/domain/prompts/judge.js";
import { person } from "./transcript.js";

const input = {
  members: [
    { name: "editor", displayName: "Editor", role: "Edits." },
    { name: "ops-team", displayName: "Ops team", role: "Runs\nservers." },
  ],
  history: [person(1, "Ana", "Before")],
  fresh: [person(2, "Bo", "Now")],
};

describe("the prompt for reasons", () => {
  it("shows the members and what was said exactly as the judge saw them", () => {
    const asked = explainPrompt({ ...input, scores: null });
    const judged = judgePrompt(input);
    expect(asked.user).toBe(judged.user);
    expect(judged.system).toContain(
      "\n- editor (Editor): Edits.\n- ops-team (Ops team): Runs servers.",
    );
    expect(asked.system).toContain(
      "\n- editor (Editor): Edits.\n- ops-team (Ops team): Runs servers.",
    );
  });

  it("asks for one text per member and nothing else", () => {
    expect(explainPrompt({ ...input, scores: null }).schema).toEqual({
      type: "object",
      properties: { editor: { type: "string" }, "ops-team": { type: "string" } },
      required: ["editor", "ops-team"],
      additionalProperties: false,
    });
  });

  it("tells the scores that there are", () => {
    const scored = explainPrompt({ ...input, scores: new Map([["editor", 0.75]]) }).system;
    expect(scored.split("\n").slice(-2)).toEqual([
      "How they were scored, from 0 to 1; 0.5 or more answers:",
      "- editor: 0.75",
    ]);
    expect(explainPrompt({ ...input, scores: null }).system).not.toContain("scored");
  });
});

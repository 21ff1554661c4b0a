import { describe, expect, it } from "vitest";
import type { FloorNotice } from "../../src/domain/floor.js";
import { spokenNotice } from "../../src/domain/floorText.js";
import { type AgentId, asId } from "../../src/domain/ids.js";
import { noticeWords } from "../../src/domain/notices.js";
import type { Notice } from "../../src/domain/round/round.js";

const a = asId<AgentId>("a");

describe("the bot's notices", () => {
  it("give agents the names as they are", () => {
    const words = (notice: Notice) => noticeWords(notice, { nameOf: () => "A_b*", cap: 8 });
    expect(words({ type: "changed", agentId: a, changes: ["**B** is made."] })).toBe(
      "Done by A_b*: **B** is made.",
    );
    expect(words({ type: "stopped", by: "[a](b)" })).toBe("Stopped by [a](b).");
  });

  it("stand in the transcript of a floor without their own marks, and with those of people", () => {
    const notice: FloorNotice = {
      type: "turnsGranted",
      by: "Ana",
      order: "batch",
      agentIds: [a],
      rounds: 1,
      instruction: "-# small\n>>> all\n-# of it",
    };
    expect(spokenNotice(notice, () => "A")).toBe(
      "One turn for everybody, given by **Ana**: **A**\n-# small\n>>> all\n-# of it",
    );
  });
});

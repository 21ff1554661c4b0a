import { describe, expect, it } from "vitest";
import type { FloorNotice, TurnOrder } from "../../src/domain/floor.js";
import { floorNoticeText } from "../../src/domain/floorText.js";
import { type AgentId, asId } from "../../src/domain/ids.js";

const nameOf = (id: string) => `${id.toUpperCase()}_`;
const granted = (order: TurnOrder, agents: string, rounds = 1): FloorNotice => ({
  type: "turnsGranted",
  by: "You",
  order,
  agentIds: agents.split("").map((agent) => asId<AgentId>(agent)),
  rounds,
  instruction: null,
});

describe("what the bot says on the floor", () => {
  it.each<[string, FloorNotice, string]>([
    [
      "a round",
      granted("round_robin", "ab"),
      "One round of turns, given by **You**: **A\\_** and **B\\_**",
    ],
    [
      "rounds",
      granted("round_robin", "ab", 3),
      "3 rounds of turns, given by **You**: **A\\_** and **B\\_**",
    ],
    [
      "a batch",
      granted("batch", "ab"),
      "One turn for everybody, given by **You**: **A\\_** and **B\\_**",
    ],
    ["one turn", granted("selective", "a"), "A turn for **A\\_**, given by **You**."],
    [
      "a selection in its order, repeats included",
      granted("selective", "abaab"),
      "5 turns, given by **You**: **A\\_**, **B\\_**, **A\\_** (2 turns) and **B\\_**",
    ],
    [
      "a long selection by member",
      granted("selective", "ab".repeat(12)),
      "24 turns, given by **You**: **A\\_** (12 turns) and **B\\_** (12 turns)",
    ],
    [
      "a host that moderates",
      { type: "moderating", by: "You", hostId: asId<AgentId>("a"), goal: "Tea" },
      "**A\\_** moderates, asked by **You**:\n>>> Tea",
    ],
    [
      "the same from a journal of old",
      { type: "moderating", by: "You", goal: "Tea" },
      "The host moderates, asked by **You**:\n>>> Tea",
    ],
  ])("tells of %s without a verb for who is called You", (_what, notice, line) => {
    expect(floorNoticeText(notice, nameOf)).toBe(`-# ${line}`);
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planTurns } from "../../src/domain/floor.js";
import { type AgentId, asId } from "../../src/domain/ids.js";

const ids = (...names: readonly string[]) => names.map((name) => asId<AgentId>(name));
const members = ids("a", "b", "c");
const plan = (change: Partial<Parameters<typeof planTurns>[0]>) =>
  planTurns({ order: "round_robin", members, chosen: null, rounds: null, ...change });

describe("the plan of turns", () => {
  it.each([
    ["round robin goes once through the members", {}, ["a", "b", "c"]],
    ["round robin goes round as often as asked", { rounds: 2 }, ["a", "b", "c", "a", "b", "c"]],
    ["round robin keeps the members' order", { chosen: ids("c", "a") }, ["a", "c"]],
    ["selective keeps the order given", { order: "selective", chosen: ids("c", "a") }, ["c", "a"]],
    [
      "selective may give somebody two turns",
      { order: "selective", chosen: ids("c", "a", "c") },
      ["c", "a", "c"],
    ],
    ["batch gives everybody one", { order: "batch" }, ["a", "b", "c"]],
    ["one round is said needlessly, and allowed", { order: "batch", rounds: 1 }, ["a", "b", "c"]],
  ] as const)("%s", (_what, change, expected) => {
    expect(plan(change)).toEqual(expected);
  });

  it.each([
    ["no round", { rounds: 0 }, "from 1 to 5"],
    ["six rounds", { rounds: 6 }, "from 1 to 5"],
    ["half a round", { rounds: 1.5 }, "from 1 to 5"],
    ["rounds of a batch", { order: "batch", rounds: 2 }, "round_robin"],
    ["rounds of a selection", { order: "selective", chosen: members, rounds: 2 }, "round_robin"],
    ["a selection of nobody", { order: "selective" }, "Name the `agents`"],
    ["a batch of some", { order: "batch", chosen: ids("a") }, "selective"],
    ["nobody who can speak", { members: [] }, "every member is muted"],
    [
      "a selection without end",
      { order: "selective", chosen: Array.from({ length: 25 }, () => asId<AgentId>("a")) },
      "24 turns",
    ],
  ] as const)("refuses %s", (_what, change, sentence) => {
    expect(() => plan(change)).toThrow(sentence);
  });

  it("gives each member of a round robin as many turns as there are rounds", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 6 }),
        (rounds, count) => {
          const all = ids(...Array.from({ length: count }, (_, index) => `m${index}`));
          const turns = plan({ members: all, rounds });
          for (const id of all) expect(turns.filter((one) => one === id)).toHaveLength(rounds);
        },
      ),
    );
  });
});

import { expect, it } from "vitest";
import { closingText } from "../../src/domain/closingText.js";
import type { FloorEnd, Unclosed } from "../../src/domain/floor.js";
import { asId, type RoundId } from "../../src/domain/ids.js";

const said = (by: string, why?: Unclosed) =>
  closingText({
    type: "floorClosed",
    by,
    floorId: asId("f1"),
    ...(why === undefined ? {} : { why }),
  });

it("a closing says by whom", () => {
  expect(said("A*na")).toBe("**The floor is closed**, by **A\\*na**.");
});

it.each<[Unclosed, string]>([
  ["turns", "all 24 turns are used"],
  ["calls", "**Editor** did not close it within 60 steps"],
  ["silent", "**Editor** did nothing 5 times in a row"],
  ["wrong", "**Editor** asked 5 times in a row for something it cannot do here"],
  ["idle", "**Editor** did nothing that can be done here, 5 times in a row"],
  ["votes", "**Editor** wanted further votes after all 8 that it may hold"],
  ["posts", "**Editor** wanted to post further messages after all 24 that it may post"],
  ["ended", "the moderated run is over"],
  ["timeout", "**Editor** cannot go on moderating: its model took too long"],
  ["gone", "**Editor** cannot go on moderating: it is no longer in this group"],
])("a closing for the host says why: %s", (why, reason) => {
  expect(said("Editor", why)).toBe(`**The floor is closed**, since ${reason}.`);
});

it.each<[FloorEnd, string]>([
  [{ because: "stopped", by: "A*na" }, "**A\\*na** stopped the run"],
  [{ because: "stopped", by: null }, "the run was stopped"],
  [{ because: "archived" }, "this channel was archived"],
  [{ because: "budget" }, "today's tokens are used up"],
  [{ because: "left" }, "the bot was removed from this server"],
  [{ because: "away" }, "I was away for more than 15 minutes"],
  [{ because: "failed" }, "nobody could go on"],
])("a closing after a run that was ended says by what: %j", (end, reason) => {
  const notice = {
    type: "floorClosed",
    by: "Editor",
    floorId: asId<RoundId>("f1"),
    why: "ended",
  } as const;
  expect(closingText({ ...notice, end })).toBe(`**The floor is closed**, since ${reason}.`);
});

it("a closing whose summary was stopped says that there is none", () => {
  const notice = {
    type: "floorClosed",
    by: "Ana",
    floorId: asId<RoundId>("f1"),
    why: "ended",
  } as const;
  const end = { because: "stopped", by: "Ben" } as const;
  expect(closingText({ ...notice, end, isUnsummed: true })).toBe(
    "**The floor is closed** without a summary, since **Ben** stopped it.",
  );
});

import { expect, it } from "vitest";
import { closingText } from "../../src/domain/closingText.js";
import type { Unclosed } from "../../src/domain/floor.js";
import { asId } from "../../src/domain/ids.js";

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
  ["calls", "**Editor** was asked 60 times what comes next, and has not closed it"],
  ["silent", "**Editor** gave no turn and did nothing else, 5 times in a row"],
  ["wrong", "**Editor** wanted what cannot be done here, 5 times in a row"],
  ["idle", "**Editor** did nothing that can be done here, 5 times in a row"],
  ["votes", "**Editor** wanted further votes after all 8 that it may hold"],
  ["posts", "**Editor** wanted to post further messages after all 24 that it may post"],
  ["ended", "the moderated run is over"],
  ["timeout", "**Editor** cannot go on moderating: its model took too long"],
  ["gone", "**Editor** cannot go on moderating: it is no longer in this group"],
])("a closing for the host says why: %s", (why, reason) => {
  expect(said("Editor", why)).toBe(`**The floor is closed**, since ${reason}.`);
});

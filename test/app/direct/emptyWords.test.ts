import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calling, type Direct, openDirect } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

describe("an answer after calls of tools", () => {
  it.each(["", "** **", "||\u200b||"])(
    "of which nothing is shown is asked for once more, whatever was said beside the calls: %j",
    async (empty) => {
      direct.services.model.answerTo(
        "direct",
        { ...calling(["agent_list", {}]), text: "Let me look." },
        empty,
        "There are three.",
      );
      await direct.say("Coordinator", "Who is there?");
      expect(direct.lines("Coordinator")).toEqual([
        "Coordinator: Let me look.\n\nThere are three.",
      ]);
    },
  );
});

import { z } from "zod";
import type { AgentId } from "../../domain/ids.js";
import { MESSAGE_CHARACTERS } from "../../domain/limits.js";
import { conversationOf } from "../../domain/message.js";
import { nameIn } from "../../domain/round/common.js";
import { resultText } from "../../domain/tally.js";
import { Journal } from "../journal.js";
import { floorHere } from "./floor.js";
import { defineOperation, type OperationContext } from "./operation.js";

/** How far back votes are looked for, and how many are shown. */
const ROUNDS = 100;
const SHOWN = 10;
/** So that each stands whole on a page of the answer. */
const RESULT_CHARACTERS = MESSAGE_CHARACTERS - 100;

/** The results of votes, counted again from what is stored. */
export const floorResults = defineOperation({
  name: "floor_results",
  description: "Show the results of the votes held here, newest first",
  permission: "anyone",
  input: z.object({}),
  async run(context) {
    await floorHere(context);
    const results = await resultsIn(context);
    return {
      text:
        results.length === 0
          ? "No vote was held here yet; `/floor_vote` holds one."
          : results.slice(0, SHOWN).join("\n\n"),
    };
  },
});

async function resultsIn(context: OperationContext): Promise<readonly string[]> {
  const { storage, place } = context;
  const texts: string[] = [];
  for (const round of await storage.floors.rounds(conversationOf(place), ROUNDS)) {
    const { state } = await Journal.of(context, round);
    if (state.kind !== "moderated") continue;
    const { members, results } = state;
    const nameOf = (id: AgentId) => nameIn(members, id);
    texts.push(
      ...results.toReversed().map((tally) => resultText(tally, nameOf, RESULT_CHARACTERS)),
    );
    if (texts.length >= SHOWN) break;
  }
  return texts;
}

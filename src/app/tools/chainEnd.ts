/** That agents have written to each other often enough is said where they stop, and to the person. */
import { conversationOf, type Place } from "../../domain/message.js";
import type { DirectRound } from "../../domain/round/direct.js";
import type { Round } from "../../domain/round/round.js";
import type { ChainEnd } from "../../domain/round/toolUse.js";
import type { Services } from "../services.js";
import { isTold } from "../told.js";
import { keyOf } from "./messageAgent.js";

/**
 * Where it is to be said: in the conversation that goes on no further, and in the one where the
 * person asked. In each it is said once for a chain: by the first step that finds it so.
 */
export async function chainEndOf(
  { storage }: Pick<Services, "storage">,
  over: {
    readonly round: Round;
    readonly state: DirectRound;
    readonly count: number;
    /** Where it goes on no further, when that is not where the round is. */
    readonly stoppedAt?: Place;
  },
): Promise<ChainEnd> {
  const { round, state, count, stoppedAt = round.place } = over;
  const chainId = state.chain?.id ?? round.id;
  const first = await storage.rounds.get(chainId);
  const places = new Map(
    [stoppedAt, ...(first === null ? [] : [first.place])].map((place) => [
      conversationOf(place),
      place,
    ]),
  );
  const at: Place[] = [];
  for (const [conversationId, place] of places) {
    const key = `chain over ${chainId} ${conversationId}`;
    // The same for the same step, so that a restart says it all the same.
    const mine = keyOf(round, state);
    if (!(await isTold({ storage }, key, mine))) at.push(place);
  }
  return { count, at };
}

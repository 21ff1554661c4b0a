import { z } from "zod";
import { planTurns, TURN_ORDERS } from "../../domain/floor.js";
import { MAX_FLOOR_ROUNDS } from "../../domain/limits.js";
import {
  assertFloorBudget,
  begin,
  chosenOf,
  defineOnFloor,
  floorHere,
  floorText,
} from "./floor.js";
import { field } from "./operation.js";

const ROUNDS = `\`rounds\` is a number from 1 to ${MAX_FLOOR_ROUNDS}`;

/** Gives turns: each speaker reads the channel and posts one message; the next one sees it. */
export const floorTurns = defineOnFloor({
  name: "floor_turns",
  description: "Give members of this moderated group the word, one after another",
  permission: "talker",
  input: z.object({
    order: field(z.enum(TURN_ORDERS, { error: "There is no such order" }), {
      description: "round_robin: in the members' order; selective: those named; batch: all once",
    }),
    agents: field(z.array(z.string()), {
      description: "Who speaks, separated by commas; selective keeps this order",
      suggests: "unmutedMember",
      option: "list",
    }).optional(),
    rounds: field(
      z.number({ error: ROUNDS }).int(ROUNDS).min(1, ROUNDS).max(MAX_FLOOR_ROUNDS, ROUNDS),
      {
        description: "How often round_robin goes round, 1 to 5",
      },
    ).optional(),
    instruction: floorText("instruction", "What they are asked to speak about").optional(),
  }),
  async run(context, { order, agents, rounds, instruction }) {
    const here = await floorHere(context);
    const chosen = await chosenOf(context, here, agents);
    const turns = planTurns({ order, members: here.speakers, chosen, rounds: rounds ?? null });
    await assertFloorBudget(context, here);
    return begin(
      context,
      here,
      { do: "turns", order, turns, rounds: rounds ?? 1, instruction: instruction ?? null },
      turns.length === 1
        ? { now: "One turn follows.", later: "One turn will follow what is running here." }
        : {
            now: `${turns.length} turns follow.`,
            later: `${turns.length} turns will follow what is running here.`,
          },
    );
  },
});

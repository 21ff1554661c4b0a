import { z } from "zod";
import { checkOptions, checkSecrecy } from "../../domain/ballot.js";
import { UserError } from "../../domain/errors.js";
import { MAX_MEMBERS } from "../../domain/limits.js";
import {
  AFTERWARDS,
  assertFloorBudget,
  begin,
  chosenOf,
  defineOnFloor,
  floorHere,
  floorText,
} from "./floor.js";
import { field } from "./operation.js";

const QUESTION_CHARACTERS = 300;
const QUORUM = `\`quorum\` is a number from 1 to ${MAX_MEMBERS}`;

/** Asks members privately, one after another, for one of the options; the tally is posted. */
export const floorVote = defineOnFloor({
  name: "floor_vote",
  description: "Have members of this moderated group vote; each is asked privately",
  permission: "talker",
  input: z.object({
    question: floorText("question", "What is voted on, up to 300 characters", QUESTION_CHARACTERS),
    options: field(z.array(z.string(), { error: "Give a list of options" }), {
      description: "Two to ten options, separated by commas",
      option: "list",
    }),
    agents: field(z.array(z.string()), {
      description: "Who votes, separated by commas; everybody when left out",
      suggests: "unmutedMember",
      option: "list",
    }).optional(),
    secret: field(z.boolean({ error: "Say yes or no" }), {
      description: "Show only the counts, not who voted what; with two voters or more",
    }).optional(),
    quorum: field(z.number({ error: QUORUM }).int(QUORUM).min(1, QUORUM).max(MAX_MEMBERS, QUORUM), {
      description: "How many have to vote for the result to count",
    }).optional(),
  }),
  async run(context, given) {
    const { question, secret = false, quorum = null } = given;
    const here = await floorHere(context);
    const options = checkOptions(given.options);
    const voters = (await chosenOf(context, here, given.agents)) ?? here.speakers;
    if (voters.length === 0) throw new UserError("conflict", "Every member is muted here.");
    if (new Set(voters).size < voters.length) {
      throw new UserError("invalid", "Everybody has one vote; an agent is in the list twice.");
    }
    checkSecrecy({ isSecret: secret, voters });
    if (quorum !== null && quorum > voters.length) {
      throw new UserError(
        "invalid",
        `The quorum is ${quorum}, and only ${voters.length} can vote.`,
      );
    }
    await assertFloorBudget(context, here);
    const ballot = { question, options, voters, isSecret: secret, quorum };
    return begin(
      context,
      here,
      { do: "vote", ballot },
      { now: "The vote begins.", later: `The vote will begin ${AFTERWARDS}.` },
    );
  },
});

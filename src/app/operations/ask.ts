import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import { conversationOf, said } from "../../domain/message.js";
import { assertBudget } from "../budgets.js";
import { beginWith, wordsFor } from "../words.js";
import { text, written } from "./fields.js";
import { memberHere, openGroupHere } from "./here.js";
import { defineOperation, field } from "./operation.js";
import { bold } from "./show.js";

/** Leaves room in one message for both names. */
const QUESTION_CHARACTERS = 1_700;

/**
 * Puts a question to one member, visibly. It is stored before it is shown, and waits for its round
 * like a message, so that a restart loses nothing; in that round nobody is judged and nobody else
 * answers.
 */
export const ask = defineOperation({
  name: "ask",
  description: "Ask one member of this group; nobody else answers",
  permission: "talker",
  input: z.object({
    agent: text({
      description: "The member, by name or display name",
      suggests: "unmutedMember",
    }),
    text: field(
      written({
        most: QUESTION_CHARACTERS,
        error: "Write the question as a text",
        empty: "The question must not be empty",
        long: `A question can have ${QUESTION_CHARACTERS.toLocaleString("en")} characters at most`,
      }),
      { description: "The question, up to 1,700 characters; everybody here sees it", isSaid: true },
    ),
  }),
  async run(context, given) {
    const { clock, mailboxes, asker, place } = context;
    const group = await openGroupHere(context);
    const agent = await memberHere(context, group, given.agent);
    const name = bold(agent.displayName);
    if (group.muted.includes(agent.id)) {
      throw new UserError("conflict", `${name} is muted here; \`/unmute\` brings it back.`);
    }
    await assertBudget(context, { ...asker, groupId: group.id });
    const isBusy = mailboxes.isBusy(conversationOf(place));
    const question = await wordsFor(context, {
      place,
      // Everything after this sign is a quotation up to the end of the message: nothing that a
      // person writes can look like words of the bot.
      text: `${name} is asked by ${bold(asker.name)}:\n>>> ${given.text}`,
      isSilent: false,
      trigger: said({
        place,
        author: { kind: "person", userId: asker.userId, name: asker.name },
        text: given.text,
        askedId: agent.id,
        createdAtMs: clock.now(),
      }),
    });
    await beginWith(context, [question]);
    return {
      text: isBusy ? `${name} will answer when this round is over.` : `${name} is asked.`,
    };
  },
});

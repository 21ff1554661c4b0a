import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import { asId, type MessageId } from "../../domain/ids.js";
import { conversationOf, type Message } from "../../domain/message.js";
import { plain } from "../../domain/plain.js";
import { explanationText } from "../../domain/why.js";
import { explain } from "../explain.js";
import { text } from "./fields.js";
import { type Answer, assertMayTalk, defineOperation, type OperationContext } from "./operation.js";
import { assertSeesPlace, roundOfButton, unknownMessage, whyView } from "./whyView.js";

/** Why agents spoke or kept silent: in the last round of the conversation, or at a message. */
export const roundWhy = defineOperation({
  name: "round_why",
  description: "Show why agents answered or kept silent: scores, order, handoffs, failures, tokens",
  permission: "anyone",
  input: z.object({
    message: text({
      description: "A message of a person or an agent, by its link or id; else the last round here",
    }).optional(),
  }),
  async run(context, { message }) {
    if (message !== undefined) return whyOfMessage(context, messageIdIn(message));
    const round = await context.storage.rounds.latest(conversationOf(context.place));
    if (round === null) return { text: "No agent has been asked anything here yet." };
    return whyView(context, round, null);
  },
});

/** The same view for the round that a button `why:<round>` belongs to. */
export async function whyByButton(context: OperationContext, roundId: string): Promise<Answer> {
  return whyView(context, await roundOfButton(context, roundId), null);
}

/** What the judge says, for a button `explain:<round>`: asked for once, and given from then on. */
export async function explainByButton(context: OperationContext, roundId: string): Promise<Answer> {
  assertMayTalk(context);
  const round = await roundOfButton(context, roundId);
  const reasons = await explain(context, round, context.asker.userId);
  const journal = await context.storage.rounds.journal(round.id);
  return {
    text: explanationText(
      round.kind,
      journal.map((entry) => entry.event),
      reasons,
    ),
  };
}

async function whyOfMessage(context: OperationContext, id: MessageId): Promise<Answer> {
  const { storage } = context;
  const message = await storage.messages.get(id);
  if (message === null) throw unknownMessage();
  assertSeesPlace(context, message.place);
  const round = await storage.rounds.ofMessage(id);
  if (round !== null) return whyView(context, round, id);
  return { text: await withoutRound(context, message) };
}

/** A message that started nothing, or not yet. */
async function withoutRound({ storage }: OperationContext, message: Message): Promise<string> {
  const name = plain(message.author.name);
  if (message.deletedAtMs !== null) {
    return `The message of ${name} was deleted before an agent was asked.`;
  }
  const conversationId = conversationOf(message.place);
  const pending = await storage.messages.pending(conversationId);
  if (pending.some(({ id }) => id === message.id)) {
    const latest = await storage.rounds.latest(conversationId);
    const isRunning = latest !== null && latest.closedAtMs === null;
    return isRunning
      ? `The message of ${name} waits: those who still speak in the present round see it, and when that ends it starts the next one.`
      : `The message of ${name} waits for its turn; nobody has been asked yet.`;
  }
  return `No agent was asked about the message of ${name}: it had nothing in it to answer, or it was more than 15 minutes old when I saw it.`;
}

/** The id in a link to a message, or the id itself, also as Discord copies it: channel-message. */
function messageIdIn(given: string): MessageId {
  const [, id] =
    /^<?(?:https?:\/\/\S+\/)?(?:\d{17,20}-)?(\d{17,20})\/?>?$/u.exec(given.trim()) ?? [];
  if (id === undefined) throw new UserError("invalid", "Give the link or the id of a message.");
  return asId(id);
}

import type { Agent } from "../domain/agent.js";
import type { Chain } from "../domain/chain.js";
import type { MessageId } from "../domain/ids.js";
import { conversationOf, type Place } from "../domain/message.js";
import { answerPending } from "./answerPending.js";
import type { OperationContext } from "./operations/operation.js";
import { unstoppable } from "./stopping.js";
import { taskAuthor, taskHeading } from "./taskAuthor.js";

/** Leaves room in one message for both names. */
const PIECE_CHARACTERS = 1_700;

/**
 * Puts a new agent's first task in its channel, visibly as the words of who has written it,
 * where it waits for a round like a message of a person. `chain`: when another agent made the new
 * one, what that goes back to. Nothing happens when something stands in the channel already.
 */
export async function giveTask(
  context: OperationContext,
  agent: Pick<Agent, "displayName" | "guildId" | "channelId">,
  task: string,
  chain: Chain | null,
): Promise<void> {
  const { storage, clock, asker } = context;
  if (agent.channelId === null) return;
  const place: Place = { guildId: agent.guildId, channelId: agent.channelId, threadId: null };
  if ((await storage.messages.newestId(conversationOf(place))) !== null) return;
  const author = taskAuthor(asker, chain);
  const id = await show(context, place, taskHeading(author, agent.displayName, chain), task);
  await storage.messages.record(
    {
      id,
      place,
      author,
      text: task,
      attachments: [],
      replyToId: null,
      askedId: null,
      ...(chain === null ? {} : { chain }),
      createdAtMs: clock.now(),
      editedAtMs: null,
      deletedAtMs: null,
      roundId: null,
      turn: null,
      seenThroughId: null,
    },
    { isPending: true },
  );
  answerPending(context, place);
}

/** The last of the messages that show it. */
async function show(
  { chat, ids }: OperationContext,
  place: Place,
  heading: string,
  task: string,
): Promise<MessageId> {
  const [first = "", ...rest] = piecesOf(task);
  const say = (text: string) =>
    chat.announce(
      {
        place,
        text,
        buttons: [],
        isSilent: false,
        nonce: `task${ids.round()}`,
        isDoubtful: false,
        afterId: null,
      },
      unstoppable(),
    );
  // Everything after this sign is a quotation up to the end of the message: nothing that a person
  // writes can look like words of the bot.
  let id = await say(`${heading}:\n>>> ${first}`);
  for (const piece of rest) id = await say(`>>> ${piece}`);
  return id;
}

/** Cut at a line or a word where there is one near the end. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let left = text;
  while (left.length > PIECE_CHARACTERS) {
    const begin = left.slice(0, PIECE_CHARACTERS);
    const at = Math.max(begin.lastIndexOf("\n"), begin.lastIndexOf(" "));
    const isSplitCharacter = /[\ud800-\udbff]$/u.test(begin);
    const end = at > PIECE_CHARACTERS / 2 ? at : begin.length - (isSplitCharacter ? 1 : 0);
    pieces.push(left.slice(0, end));
    left = left.slice(end).trimStart();
  }
  return left === "" ? pieces : [...pieces, left];
}

import type { Agent } from "../domain/agent.js";
import type { Chain } from "../domain/chain.js";
import { conversationOf, type Place, said } from "../domain/message.js";
import type { OperationContext } from "./operations/operation.js";
import { taskAuthor, taskHeading } from "./taskAuthor.js";
import { beginWith, wordsFor } from "./words.js";

/** Leaves room in one message for the names. */
const PIECE_CHARACTERS = 1_700;

/**
 * Puts a new agent's first task in its channel, visibly as the words of who has written it,
 * where it waits for a round like a message of a person. `chain`: when another agent made the new
 * one, what that goes back to. Nothing happens when something stands in the channel already, or
 * is about to.
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
  // In this order: what is said meanwhile goes from the one to the other.
  if (await storage.words.owes(conversationOf(place))) return;
  if ((await storage.messages.newestId(conversationOf(place))) !== null) return;
  const author = taskAuthor(asker, chain);
  const trigger = said({
    place,
    author,
    text: task,
    ...(chain === null ? {} : { chain }),
    createdAtMs: clock.now(),
  });
  const pieces = piecesOf(task);
  const words = await Promise.all(
    pieces.map((piece, index) =>
      wordsFor(context, {
        place,
        // Everything after this sign is a quotation up to the end of the message: nothing that a
        // person writes can look like words of the bot.
        text:
          index === 0
            ? `${taskHeading(author, agent.displayName, chain)}:\n>>> ${piece}`
            : `>>> ${piece}`,
        isSilent: false,
        trigger: index === pieces.length - 1 ? trigger : null,
      }),
    ),
  );
  await beginWith(context, words);
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

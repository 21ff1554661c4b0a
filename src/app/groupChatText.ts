/** `!gc` messages: commands that people write as ordinary messages. They are no part of the conversation. */
import { UserError } from "../domain/errors.js";
import type { ChannelId, MessageId } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import {
  GROUP_CHAT_COMMANDS,
  type GroupChatCommand,
  type GroupChatWord,
  readDebate,
  readGroupChatCommand,
} from "../domain/textCommand.js";
import type { ReceivedMessage } from "../ports/chat.js";
import { gcDebate, gcEnd, gcStart } from "./operations/gcChat.js";
import { gcAdd, gcJoin, gcLeave, gcRemove } from "./operations/gcMembers.js";
import { gcHelp, gcList, gcStatus } from "./operations/gcShow.js";
import {
  type Answer,
  mayTalk,
  type Operation,
  type OperationContext,
  runOperation,
} from "./operations/operation.js";
import { isForeseen, sentenceOf } from "./report.js";
import type { Services } from "./services.js";
import { ShuttingDown } from "./stopping.js";
import { sayOwed, wordsFor } from "./words.js";

const OPERATIONS: Readonly<Record<GroupChatWord, Operation>> = {
  start: gcStart,
  add: gcAdd,
  remove: gcRemove,
  join: gcJoin,
  leave: gcLeave,
  list: gcList,
  status: gcStatus,
  debate: gcDebate,
  end: gcEnd,
  help: gcHelp,
};

/** What anybody may ask who can see the channel, also who may not talk to agents. */
const LOOKING: ReadonlySet<GroupChatWord> = new Set(["list", "status", "help"]);

/**
 * Does what a `!gc` message says, once for each message, and answers in the channel. That it is done,
 * what it changed and what it answers are stored together: a command that was not done when the
 * process ended is done when the message is read again. Nothing happens where there is neither a
 * group nor an agent, and for people who may not talk to agents and do not only look.
 */
export async function obeyGroupChat(services: Services, message: ReceivedMessage): Promise<void> {
  const { storage, clock, log, settings } = services;
  const { id, place, author } = message;
  if (clock.now() - message.createdAtMs > STALE_ROUND_MS) return;
  if (!(await isOurs(services, place.channelId))) return;
  const command = readGroupChatCommand(message.text);
  const isLooking = command.word !== null && LOOKING.has(command.word);
  if (!isLooking && !mayTalk({ asker: author, settings })) return;
  // What was said first and made a command by an edit is none.
  if ((await storage.obeyed.has(id)) || (await storage.messages.get(id)) !== null) return;
  const context: OperationContext = {
    ...services,
    asker: author,
    place,
    commandId: id,
    sinceId: id,
  };
  const { text, isSaid = false, later } = await answerTo(context, command);
  if (!isSaid) await answerWith(services, message, text, id);
  later?.catch(async (error: unknown) => {
    // It goes on after the next start.
    if (error instanceof ShuttingDown) return;
    if (!isForeseen(error)) log.error({ err: error, messageId: id }, "a command failed");
    await answerWith(services, message, sentenceOf(error), null);
  });
}

/** `obeyed`: the command that is done by that. */
async function answerWith(
  services: Services,
  { id, place }: ReceivedMessage,
  text: string,
  obeyed: MessageId | null,
): Promise<void> {
  const words = [await wordsFor(services, { place, text, afterId: id })];
  await services.storage.words.owe({ words, obeyed, atMs: services.clock.now() });
  sayOwed(services, words);
}

/** The channel of a group, or of an agent. */
async function isOurs({ storage }: Services, channelId: ChannelId): Promise<boolean> {
  if ((await storage.groups.byChannel(channelId)) !== null) return true;
  const agent = await storage.agents.byChannel(channelId);
  return agent !== null && agent.archivedAtMs === null;
}

async function answerTo(context: OperationContext, command: GroupChatCommand): Promise<Answer> {
  try {
    if (command.word === null) throw unknownWord(command);
    return await runOperation(OPERATIONS[command.word], context, inputOf(command));
  } catch (error) {
    if (!isForeseen(error)) {
      context.log.error({ err: error, messageId: context.commandId }, "a command failed");
    }
    return { text: sentenceOf(error) };
  }
}

/** What stands after the word, as the operation takes it. */
function inputOf({ word, rest }: GroupChatCommand & { word: GroupChatWord }): object {
  switch (word) {
    case "start":
      return rest === "" ? {} : { agents: rest };
    case "add":
    case "remove":
      if (rest === "") throw incomplete(word, "Say which agent");
      return { agent: rest };
    case "join":
    case "leave":
      return rest === "" ? {} : { agent: rest };
    case "debate": {
      const { passes, topic } = readDebate(rest);
      if (topic === "") throw incomplete(word, "Say what the debate is about");
      return { topic, ...(passes === null ? {} : { passes }) };
    }
    case "list":
    case "status":
    case "end":
      // What somebody means with more words than these is not known.
      if (rest !== "") throw surplus(word);
      return {};
    case "help":
      return {};
  }
}

function incomplete(word: GroupChatWord, sentence: string): UserError {
  return new UserError("invalid", `${sentence}: \`!gc ${GROUP_CHAT_COMMANDS[word].usage}\`.`);
}

function surplus(word: GroupChatWord): UserError {
  return new UserError("invalid", `Nothing was done: write just \`!gc ${word}\`.`);
}

function unknownWord({ given, nearest }: Extract<GroupChatCommand, { word: null }>): UserError {
  const shown = given.replace(/[`\s]+/gu, " ").slice(0, 34);
  return new UserError(
    "invalid",
    `There is no \`${shown}\`. Did you mean \`!gc ${GROUP_CHAT_COMMANDS[nearest].usage}\`?`,
  );
}

/** `!gc` messages: commands that people write as ordinary messages. They are no part of the conversation. */
import { UserError } from "../domain/errors.js";
import type { ChannelId } from "../domain/ids.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import {
  GROUP_CHAT_COMMANDS,
  type GroupChatCommand,
  type GroupChatWord,
  readDebate,
  readGroupChatCommand,
} from "../domain/textCommand.js";
import { ChatError, type ReceivedMessage } from "../ports/chat.js";
import { gcDebate, gcEnd, gcStart } from "./operations/gcChat.js";
import { gcAdd, gcJoin, gcLeave, gcRemove } from "./operations/gcMembers.js";
import { gcHelp, gcList, gcStatus } from "./operations/gcShow.js";
import {
  mayTalk,
  type Operation,
  type OperationContext,
  runOperation,
} from "./operations/operation.js";
import { isForeseen, sentenceOf } from "./report.js";
import type { Services } from "./services.js";
import { unstoppable } from "./stopping.js";

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

/**
 * Does what a `!gc` message says, once for each message, and answers in the channel. Nothing happens
 * where there is neither a group nor an agent, and for people who may not talk to agents.
 */
export async function obeyGroupChat(services: Services, message: ReceivedMessage): Promise<void> {
  const { storage, chat, clock, log, settings } = services;
  const { id, place, author } = message;
  const isStale = clock.now() - message.createdAtMs > STALE_ROUND_MS;
  if (isStale || !mayTalk({ asker: author, settings })) return;
  if (!(await isOurs(services, place.channelId))) return;
  if (!(await storage.obeyed.claim(id, clock.now()))) return;
  const text = await answerTo(
    { ...services, asker: author, place, isAnsweredInPublic: true },
    message,
  );
  if (text === "") return;
  try {
    await chat.announce(
      { place, text, buttons: [], isSilent: true, nonce: `g${id}`, isDoubtful: false, afterId: id },
      unstoppable(),
    );
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    log.warn({ err: error, messageId: id }, "a command could not be answered");
  }
}

/** The channel of a group, or of an agent. */
async function isOurs({ storage }: Services, channelId: ChannelId): Promise<boolean> {
  if ((await storage.groups.byChannel(channelId)) !== null) return true;
  const agent = await storage.agents.byChannel(channelId);
  return agent !== null && agent.archivedAtMs === null;
}

async function answerTo(context: OperationContext, { id, text }: ReceivedMessage): Promise<string> {
  try {
    const command = readGroupChatCommand(text);
    if (command.word === null) throw unknownWord(command);
    const answer = await runOperation(OPERATIONS[command.word], context, inputOf(command));
    return answer.text;
  } catch (error) {
    if (!isForeseen(error)) context.log.error({ err: error, messageId: id }, "a command failed");
    return sentenceOf(error);
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
    case "help":
      return {};
  }
}

function incomplete(word: GroupChatWord, sentence: string): UserError {
  return new UserError("invalid", `${sentence}: \`!gc ${GROUP_CHAT_COMMANDS[word].usage}\`.`);
}

function unknownWord({ given, nearest }: Extract<GroupChatCommand, { word: null }>): UserError {
  const shown = given.replace(/[`\s]+/gu, " ").slice(0, 34);
  return new UserError(
    "invalid",
    `There is no \`${shown}\`. Did you mean \`!gc ${GROUP_CHAT_COMMANDS[nearest].usage}\`?`,
  );
}

/**
 * Lines of ours between which the words of others stand in prompts. Prompts take them from here, so
 * that no text of others gets to begin a line like one of them (`escapeLabels`).
 */

export const ROLE = "Your role:";
export const MEMBERS = "Members:";
export const HOW_TO_TAKE_PART = "How to take part:";
export const HOW_TO_ANSWER = "How to answer:";
export const HOW_TO_MODERATE = "How to moderate:";
export const AGENTS_BY_KEY = "Agents, by their key in the answer:";
export const SAID_BEFORE = "Said before:";
export const NEW_MESSAGES = "New messages:";
export const SAID_IN_THE_CHANNEL = "Said in the channel:";
export const TOPIC = "Topic:";
export const GOAL = "Goal:";

/** They end with a colon; something of theirs follows, in the line or in the next one. */
export const HEADINGS: readonly string[] = [
  ROLE,
  MEMBERS,
  HOW_TO_TAKE_PART,
  HOW_TO_ANSWER,
  HOW_TO_MODERATE,
  AGENTS_BY_KEY,
  SAID_BEFORE,
  NEW_MESSAGES,
  SAID_IN_THE_CHANNEL,
  TOPIC,
  GOAL,
];

export const TO_BE_ANSWERED = "(You have heard what follows before; it is to be answered now.)";
export const NOTHING_NEW = "(Nothing new was said.)";
export const NOTHING_SAID = "Nothing was said yet.";
export const NOTHING_IN_THE_CHANNEL = "Nothing was said in the channel yet.";
/** What stands for messages that a turn was about, once all of them are deleted. */
export const GONE = "(The message was deleted.)";
/** The sentence that ends every message to a participant. */
export const REPLY_ONCE = "Reply once; do not message other participants.";

export function leftOutLine(messages: number): string {
  return `(${messages} earlier ${messages === 1 ? "message is" : "messages are"} left out.)`;
}

export function debateLine(passes: number): string {
  return `(A debate of ${passes} passes; this is the first.)`;
}

/** Whole lines; numbers in them do not count. */
export const REMARKS: readonly string[] = [
  TO_BE_ANSWERED,
  NOTHING_NEW,
  NOTHING_SAID,
  NOTHING_IN_THE_CHANNEL,
  GONE,
  REPLY_ONCE,
  leftOutLine(1),
  leftOutLine(2),
  debateLine(2),
];

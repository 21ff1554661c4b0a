/** Words that the bot itself understands in an ordinary message. */

const STOP = /^stop[!.]*$/iu;
const GROUP_CHAT = /^\s*!gc(?=\s|$)/iu;

/** Whether a message is just `stop`: in any case, with `!` or `.` after it or not. */
export function isStopWord(text: string): boolean {
  return STOP.test(text.trim());
}

/**
 * Whether a message is a `!gc` command. It has to begin with `!gc` as a word of its own: `!gcfoo`
 * and `!gc-x` are ordinary messages.
 */
export function isGroupChatCommand(text: string): boolean {
  return GROUP_CHAT.test(text);
}

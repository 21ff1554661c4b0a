/** How names, texts and channels are written in answers (Markdown as Discord shows it). */
import type { GroupKind } from "../../domain/group.js";
import type { ChannelId } from "../../domain/ids.js";
import { lackText, listOf } from "../../domain/phrases.js";
import { bold, plain, quote } from "../../domain/plain.js";

export { bold, plain };

const QUOTED_CHARACTERS = 60;

/** Something that a person typed, in quotation marks, cut when it is long. */
export function quoted(text: string): string {
  return quote(text, QUOTED_CHARACTERS);
}

/** `an open`, `a hosted`. */
export function aKind(kind: GroupKind): string {
  return kind === "open" ? "an open" : `a ${kind}`;
}

/** A link to a channel, or that there is none. */
export function channelLink(channelId: ChannelId | null): string {
  return channelId === null ? "no channel" : `<#${channelId}>`;
}

/** An agent that is not archived has lost its channel, which only the coordinator survives. */
export function withoutChannel({ name }: { readonly name: string }): string {
  return `its channel is gone; \`/agent_restore ${name}\` makes a new one.`;
}

/** A code block with exactly this text. A zero-width space keeps backticks in it from ending it. */
export function codeBlock(text: string): string {
  return `\`\`\`\n${text.replace(/`(?=``)/gu, "`\u200b")}\n\`\`\``;
}

/** What keeps agents from speaking in a new channel; nothing where they can. */
export function lackingLines(lacking: readonly string[]): readonly string[] {
  return lacking.length === 0
    ? []
    : [`**Agents cannot speak there yet**. ${lackText(listOf(lacking), "in that channel")}`];
}

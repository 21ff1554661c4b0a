import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  DiscordAPIError,
  type InteractionEditReplyOptions,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  RESTJSONErrorCodes,
} from "discord.js";
import type { Answer } from "../../../app/operations/operation.js";
import { MESSAGE_CHARACTERS } from "../../../domain/limits.js";
import { splitReply } from "../../../domain/split.js";
import type { Button } from "../../../ports/chat.js";
import { rowsOf } from "../announcements.js";
import { hasCode } from "../errors.js";

/** What a person can answer to. */
export type Question =
  | ChatInputCommandInteraction<"cached">
  | MessageContextMenuCommandInteraction<"cached">
  | ButtonInteraction<"cached">;

/** Room for the line that says which page it is. */
const PAGE_CHARACTERS = MESSAGE_CHARACTERS - 50;

/** Shows a text to the person who asked, and to nobody else, in as many messages as it takes. */
export async function answer(
  question: Question,
  { text, buttons = [], later }: Answer,
): Promise<void> {
  const [first, ...rest] = splitReply(text);
  const file = first?.file ?? null;
  const components = rowsOf(buttons);
  await say(question, {
    content: first?.content ?? "Done.",
    ...(file === null ? {} : { files: [{ attachment: Buffer.from(file), name: "answer.md" }] }),
    ...(rest.length === 0 ? { components } : {}),
  });
  for (const [index, { content }] of rest.entries()) {
    const isLast = index === rest.length - 1;
    await question.followUp({
      content,
      flags: MessageFlags.Ephemeral,
      ...(isLast ? { components } : {}),
    });
  }
  // After fifteen minutes Discord takes no change any more, and the answer stays as it is.
  if (later !== undefined) await answer(question, await later);
}

/** Shows one page of a list, with buttons to the pages beside it. */
export async function answerPage(
  question: Question,
  command: string,
  text: string,
  wanted: number,
): Promise<void> {
  const pages = pagesOf(text);
  // The list may have become shorter since the button was made.
  const index = Math.max(0, Math.min(wanted, pages.length - 1));
  const isOnly = pages.length <= 1;
  const place = isOnly ? "" : `\n-# Page ${index + 1} of ${pages.length}`;
  const page = {
    content: `${pages[index] ?? ""}${place}`,
    components: isOnly ? [] : rowsOf(pageButtons(command, index, pages.length)),
  };
  if (isPageTurn(question) && !question.deferred) await question.update(page);
  else await say(question, page);
}

/** The beginning of the ids of these buttons. */
export const PAGE_BUTTON = "page";

/** Whether the answer takes the place of the message that carries the button. */
export function isPageTurn(question: Question): question is ButtonInteraction<"cached"> {
  return question.isButton() && question.customId.startsWith(`${PAGE_BUTTON}:`);
}

function pageButtons(command: string, index: number, count: number): readonly Button[] {
  const buttons: Button[] = [];
  const add = (label: string, page: number) =>
    buttons.push({ id: `${PAGE_BUTTON}:${command}:${page}`, label, style: "plain" });
  if (index > 0) add("Previous", index - 1);
  if (index < count - 1) add("Next", index + 1);
  return buttons;
}

/**
 * As many whole paragraphs as fit on each page, and of one that is longer than a page as many whole
 * lines; a code block is not cut where it fits on one.
 */
export function pagesOf(text: string): readonly string[] {
  const pages: string[] = [];
  let page = "";
  const add = (piece: string, gap: string) => {
    if (page !== "" && page.length + gap.length + piece.length > PAGE_CHARACTERS) {
      pages.push(page);
      page = piece;
    } else page = page === "" ? piece : `${page}${gap}${piece}`;
  };
  for (const lines of paragraphsOf(text)) {
    const paragraph = lines.join("\n");
    if (paragraph.length <= PAGE_CHARACTERS) add(paragraph, "\n\n");
    else for (const [index, line] of lines.entries()) add(line, index === 0 ? "\n\n" : "\n");
  }
  return [...pages, page];
}

/** What stands between empty lines, as lines that fit on a page; a code block is one line. */
function paragraphsOf(text: string): readonly (readonly string[])[] {
  const paragraphs: string[][] = [[]];
  for (const line of text.match(/^```[^`]*^```$|^.*$/gmu) ?? []) {
    if (line === "") paragraphs.push([]);
    else {
      const fitting =
        line.length <= PAGE_CHARACTERS ? [line] : splitReply(line).map(({ content }) => content);
      paragraphs.at(-1)?.push(...fitting);
    }
  }
  return paragraphs.filter((lines) => lines.length > 0);
}

async function say(question: Question, message: InteractionEditReplyOptions): Promise<void> {
  if (question.deferred || question.replied) {
    await twice(() => question.editReply(message));
    return;
  }
  const isTaken = await unlessAcknowledged(() =>
    question.reply({
      ...message,
      content: message.content ?? "",
      flags: MessageFlags.Ephemeral,
    }),
  );
  if (isTaken) return;
  question.replied = true;
  await twice(() => question.editReply(message));
}

/** False when Discord has a first answer already: the same one, whose confirmation was lost. */
export async function unlessAcknowledged(respond: () => Promise<unknown>): Promise<boolean> {
  try {
    await twice(respond);
    return true;
  } catch (error) {
    if (!hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged)) throw error;
    return false;
  }
}

/** Once more when the connection failed, which discord.js does only for some failures. */
async function twice(request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (error instanceof DiscordAPIError) throw error;
    await request();
  }
}

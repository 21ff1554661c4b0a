import type { ButtonInteraction } from "discord.js";
import type { Answer } from "../../../app/operations/operation.js";
import { MESSAGE_CHARACTERS } from "../../../domain/limits.js";
import type { ReplyPart } from "../../../domain/round/round.js";
import { splitReply } from "../../../domain/split.js";
import { type Button, ChatError } from "../../../ports/chat.js";
import type { Log } from "../../../ports/system.js";
import { rowsOf } from "../announcements.js";
import { type Question, type Sending, say, sayMore, unlessAcknowledged } from "./saying.js";

/** Room for the line that says which page it is. */
const PAGE_CHARACTERS = MESSAGE_CHARACTERS - 50;

/**
 * Shows a text to the person who asked, and to nobody else, in as many messages as it takes. Where
 * one of the further messages does not arrive, or may have, the first becomes the beginning with
 * the whole as a file: nothing is lost, and nothing stands there twice.
 */
export async function answer(
  question: Question,
  sending: Sending & { readonly log: Log },
  { text, buttons = [], later }: Answer,
): Promise<void> {
  const [first, ...rest] = splitReply(text);
  await say(question, sending, shownOf(first, rest.length === 0 ? buttons : []));
  try {
    for (const [index, { content }] of rest.entries()) {
      const isLast = index === rest.length - 1;
      await sayMore(question, sending, { content, buttons: isLast ? buttons : [] });
    }
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    sending.log.warn(
      { err: error, interactionId: question.id },
      "the whole answer is sent as a file",
    );
    const [whole] = splitReply(text, 1);
    await say(question, sending, shownOf(whole, buttons));
  }
  // After fifteen minutes Discord takes no change any more, and the answer stays as it is.
  if (later !== undefined) await answer(question, sending, await later);
}

function shownOf(part: ReplyPart | undefined, buttons: readonly Button[]) {
  const file = part?.file ?? null;
  return {
    content: part?.content ?? "Done.",
    ...(file === null ? {} : { files: [{ attachment: Buffer.from(file), name: "answer.md" }] }),
    components: rowsOf(buttons),
  };
}

/** Shows one page of a list, with buttons to the pages beside it. */
export async function answerPage(
  question: Question,
  sending: Sending,
  list: { readonly command: string; readonly text: string; readonly page: number },
): Promise<void> {
  const { command } = list;
  const pages = pagesOf(list.text);
  // The list may have become shorter since the button was made.
  const index = Math.max(0, Math.min(list.page, pages.length - 1));
  const isOnly = pages.length <= 1;
  const place = isOnly ? "" : `\n-# Page ${index + 1} of ${pages.length}`;
  const page = {
    content: `${pages[index] ?? ""}${place}`,
    components: isOnly ? [] : rowsOf(pageButtons(command, index, pages.length)),
  };
  if (isPageTurn(question) && !question.deferred) {
    await unlessAcknowledged(sending.clock, () => question.update(page));
  } else await say(question, sending, page);
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

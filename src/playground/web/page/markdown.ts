import { type Inline, parseInline } from "./markdownInline.js";

/** What a message is made of, from top to bottom. */
export type Block =
  | { readonly type: "paragraph"; readonly children: readonly Inline[] }
  | { readonly type: "heading"; readonly level: number; readonly children: readonly Inline[] }
  /** A line of small text: `-# …`. */
  | { readonly type: "small"; readonly children: readonly Inline[] }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | List;

export interface List {
  readonly type: "list";
  /** The number of the first item; null when the items have points. */
  readonly start: number | null;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  readonly children: readonly Inline[];
  readonly lists: readonly List[];
}

const QUOTE = /^> ?(?!>)(.*)$/;
const HEADING = /^(#{1,3})[ \t]+(\S.*)$/;
const SMALL = /^-#[ \t]+(\S.*)$/;
const ITEM = /^([ \t]*)(?:[-*]|(\d{1,9})\.)[ \t]+(\S.*)$/;

/** Reads the markdown that Discord shows in messages. Never throws: what is no markup is text. */
export function parseMarkdown(text: string): readonly Block[] {
  return parseBlocks(text.replaceAll("\r\n", "\n"), false);
}

function parseBlocks(text: string, isInQuote: boolean): readonly Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let rest = text;
  const flush = () => {
    const joined = paragraph.join("\n").replace(/^\n+|\s+$/g, "");
    paragraph = [];
    if (joined !== "") blocks.push({ type: "paragraph", children: parseInline(joined) });
  };
  while (rest !== "") {
    const taken = (isInQuote ? undefined : takeQuote(rest)) ?? takeLine(rest) ?? takeList(rest);
    if (taken) {
      flush();
      blocks.push(taken.block);
      rest = taken.rest;
      continue;
    }
    const fenced = takeCode(rest);
    if (fenced) {
      if (fenced.before !== "") paragraph.push(fenced.before);
      flush();
      blocks.push(fenced.block);
      rest = fenced.rest;
      continue;
    }
    const [line, after] = firstLine(rest);
    paragraph.push(line);
    rest = after;
  }
  flush();
  return blocks;
}

interface Taken {
  readonly block: Block;
  readonly rest: string;
}

function takeQuote(text: string): Taken | undefined {
  if (text.startsWith(">>> ")) {
    return { block: { type: "quote", blocks: parseBlocks(text.slice(4), true) }, rest: "" };
  }
  const lines: string[] = [];
  let rest = text;
  while (rest !== "") {
    const [line, after] = firstLine(rest);
    const quoted = line === ">" ? "" : line.startsWith("> ") ? QUOTE.exec(line)?.[1] : undefined;
    if (quoted === undefined) break;
    lines.push(quoted);
    rest = after;
  }
  if (lines.length === 0) return undefined;
  return { block: { type: "quote", blocks: parseBlocks(lines.join("\n"), true) }, rest };
}

/** A heading or a line of small text. */
function takeLine(text: string): Taken | undefined {
  const [line, rest] = firstLine(text);
  const small = SMALL.exec(line)?.[1];
  if (small !== undefined) return { block: { type: "small", children: parseInline(small) }, rest };
  const [, signs = "", title] = HEADING.exec(line) ?? [];
  if (title === undefined) return undefined;
  return { block: { type: "heading", level: signs.length, children: parseInline(title) }, rest };
}

function takeCode(
  text: string,
): { readonly before: string; readonly block: Block; readonly rest: string } | undefined {
  const [line] = firstLine(text);
  const start = line.indexOf("```");
  if (start === -1) return undefined;
  const end = text.indexOf("```", start + 3);
  if (end === -1 || text.slice(start + 3, end).trim() === "") return undefined;
  const inner = text.slice(start + 3, end);
  const [, language = "", body] = /^([\w+#.-]{1,30})\n([\s\S]*)$/.exec(inner) ?? [];
  return {
    before: text.slice(0, start),
    block: {
      type: "code",
      language,
      text: (body ?? inner).replace(/^\n/, "").replace(/\s+$/, ""),
    },
    rest: text.slice(end + 3).replace(/^\n/, ""),
  };
}

interface Line {
  readonly indent: number;
  readonly number: number | null;
  text: string;
}

function takeList(text: string): Taken | undefined {
  const lines: Line[] = [];
  let rest = text;
  while (rest !== "") {
    const [line, after] = firstLine(rest);
    const item = ITEM.exec(line);
    const last = lines.at(-1);
    if (item) {
      const [, indent = "", number, content = ""] = item;
      lines.push({
        indent: indent.replaceAll("\t", "  ").length,
        number: number === undefined ? null : Number(number),
        text: content,
      });
    } else if (last && /^[ \t]{2,}\S/.test(line)) {
      last.text += `\n${line.trim()}`;
    } else {
      break;
    }
    rest = after;
  }
  const [first] = lines;
  return first && { block: nest(lines), rest };
}

/** Puts items that stand further right below the item before them. */
function nest(lines: readonly Line[]): List {
  const [first] = lines;
  const items: ListItem[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line) break;
    let end = at + 1;
    while ((lines[end]?.indent ?? -1) > line.indent) end += 1;
    const below = lines.slice(at + 1, end);
    items.push({
      children: parseInline(line.text),
      lists: below.length > 0 ? [nest(below)] : [],
    });
    at = end;
  }
  return { type: "list", start: first?.number ?? null, items };
}

function firstLine(text: string): readonly [line: string, rest: string] {
  const end = text.indexOf("\n");
  return end === -1 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
}

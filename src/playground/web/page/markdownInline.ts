/** What stands inside of a line: marks, code, links, and Discord's own tokens. */
export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "break" }
  | { readonly type: Mark; readonly children: readonly Inline[] }
  | { readonly type: "code"; readonly text: string }
  /** `url` begins with `http://` or `https://`. */
  | { readonly type: "link"; readonly url: string; readonly children: readonly Inline[] }
  | { readonly type: "mention"; readonly of: "user" | "role" | "channel"; readonly id: string }
  | { readonly type: "everyone"; readonly text: string }
  | { readonly type: "command"; readonly name: string }
  | { readonly type: "emoji"; readonly name: string; readonly id: string }
  | { readonly type: "time"; readonly atMs: number; readonly style: string };

export type Mark = "bold" | "italic" | "underline" | "strike" | "spoiler";

/** Deeper marks are shown as they were typed. */
const MAX_DEPTH = 12;

const MARKS: readonly (readonly [string, Mark])[] = [
  ["**", "bold"],
  ["__", "underline"],
  ["~~", "strike"],
  ["||", "spoiler"],
  ["*", "italic"],
  ["_", "italic"],
];

interface Found {
  readonly node: Inline;
  /** Where reading goes on. */
  readonly end: number;
}

/** Reads one or more lines without block structure. Never throws: what is no markup is text. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const nodes: Inline[] = [];
  let plain = "";
  let at = 0;
  const flush = () => {
    if (plain !== "") nodes.push({ type: "text", text: plain });
    plain = "";
  };
  while (at < text.length) {
    const escaped = escapedAt(text, at);
    if (escaped !== undefined) {
      plain += escaped;
      at += 2;
      continue;
    }
    const found = nodeAt(text, at, depth);
    if (found) {
      flush();
      nodes.push(found.node);
      at = found.end;
      continue;
    }
    // A run of one mark is read as a whole, so that what did not open is not tried again inside.
    const run = /([`*_~|])\1*/y;
    run.lastIndex = at;
    const taken = run.exec(text)?.[0] ?? text.charAt(at);
    plain += taken;
    at += taken.length;
  }
  flush();
  return nodes;
}

function nodeAt(text: string, at: number, depth: number): Found | undefined {
  switch (text.charAt(at)) {
    case "\n":
      return { node: { type: "break" }, end: at + 1 };
    case "`":
      return codeAt(text, at);
    case "*":
    case "_":
    case "~":
    case "|":
      return depth < MAX_DEPTH ? markAt(text, at, depth) : undefined;
    case "[":
      return depth < MAX_DEPTH ? namedLinkAt(text, at, depth) : undefined;
    case "<":
      return tokenAt(text, at);
    case "h":
      return bareLinkAt(text, at);
    case "@":
      return everyoneAt(text, at);
    default:
      return undefined;
  }
}

function escapedAt(text: string, at: number): string | undefined {
  if (text.charAt(at) !== "\\") return undefined;
  const next = text.charAt(at + 1);
  return /[^0-9A-Za-z\s]/.test(next) ? next : undefined;
}

function codeAt(text: string, at: number): Found | undefined {
  const fence = match(/`+/y, text, at)?.[0] ?? "";
  const end = codeEnd(text, at + fence.length, fence.length);
  if (end === -1) return undefined;
  const inner = text.slice(at + fence.length, end);
  // One space on both sides is padding, which lets code begin with the mark itself.
  const isPadded = inner.length > 2 && inner.startsWith(" ") && inner.endsWith(" ");
  const code = isPadded && inner.includes("`") ? inner.slice(1, -1) : inner;
  return { node: { type: "code", text: code }, end: end + fence.length };
}

/** Where a run of exactly `length` backticks begins, or -1. */
function codeEnd(text: string, from: number, length: number): number {
  for (const run of text.slice(from).matchAll(/`+/g)) {
    if (run[0].length === length && run.index > 0) return from + run.index;
  }
  return -1;
}

function markAt(text: string, at: number, depth: number): Found | undefined {
  for (const [mark, type] of MARKS) {
    if (!text.startsWith(mark, at)) continue;
    const from = at + mark.length;
    if (!mayOpen(text, at, mark)) continue;
    const end = markEnd(text, from, mark);
    if (end === -1) continue;
    const children = parseInline(text.slice(from, end), depth + 1);
    return { node: { type, children }, end: end + mark.length };
  }
  return undefined;
}

function mayOpen(text: string, at: number, mark: string): boolean {
  const next = text.charAt(at + mark.length);
  if (next === "") return false;
  const run = match(/([*_~|])\1*/y, text, at)?.[0].length ?? 0;
  if (mark.length === 1 && run % 2 === 0) return false;
  if (mark === "_") return !isWord(text.charAt(at - 1)) && !isSpace(next);
  return mark !== "*" || !isSpace(next);
}

/** Where the closing mark stands, or -1. Code and escaped characters in between do not count. */
function markEnd(text: string, from: number, mark: string): number {
  const sign = mark.charAt(0);
  let at = from;
  while (at < text.length) {
    if (text.charAt(at) === "\\") {
      at += 2;
      continue;
    }
    if (text.charAt(at) === "`") {
      at = codeAt(text, at)?.end ?? at + (match(/`+/y, text, at)?.[0].length ?? 1);
      continue;
    }
    if (text.charAt(at) !== sign) {
      at += 1;
      continue;
    }
    let length = 1;
    while (text.charAt(at + length) === sign) length += 1;
    const end = at + length;
    // Of a longer run the last signs close, so that `***both***` nests.
    const fits = mark.length === 2 ? length >= 2 : length % 2 === 1;
    const close = end - mark.length;
    if (fits && close > from && mayClose(text, close, end, mark)) return close;
    at = end;
  }
  return -1;
}

function mayClose(text: string, close: number, end: number, mark: string): boolean {
  if (mark.length === 2) return true;
  if (isSpace(text.charAt(close - 1))) return false;
  return mark === "*" || !isWord(text.charAt(end));
}

function namedLinkAt(text: string, at: number, depth: number): Found | undefined {
  const found = match(
    /\[((?:[^[\]\n\\]|\\.|\[[^[\]\n]*\])+)\]\(\s*<?(https?:\/\/(?:[^\s<>()]|\([^\s<>()]*\))+)>?(?:\s+"[^"\n]*")?\s*\)/iy,
    text,
    at,
  );
  const [whole = "", label = "", url = ""] = found ?? [];
  if (!found || !isUrl(url)) return undefined;
  const children = withoutLinks(parseInline(label, depth + 1));
  return { node: { type: "link", url, children }, end: at + whole.length };
}

function withoutLinks(nodes: readonly Inline[]): readonly Inline[] {
  return nodes.flatMap((node) => (node.type === "link" ? node.children : [node]));
}

function bareLinkAt(text: string, at: number): Found | undefined {
  if (isWord(text.charAt(at - 1))) return undefined;
  const raw = match(/https?:\/\/[^\s<>]+/iy, text, at)?.[0];
  if (raw === undefined) return undefined;
  const url = withoutTail(raw);
  if (!isUrl(url)) return undefined;
  const children = [{ type: "text", text: url }] as const;
  return { node: { type: "link", url, children }, end: at + url.length };
}

/** Punctuation after an address belongs to the sentence. */
function withoutTail(url: string): string {
  let end = url.length;
  for (; end > 0; end -= 1) {
    const last = url.charAt(end - 1);
    if (/[.,:;!?'"*_~|\]]/.test(last)) continue;
    const head = url.slice(0, end);
    if (last === ")" && count(head, ")") > count(head, "(")) continue;
    break;
  }
  return url.slice(0, end);
}

const TOKENS: readonly (readonly [
  RegExp,
  (found: readonly (string | undefined)[]) => Inline | undefined,
])[] = [
  [/<@!?(\d{1,20})>/y, ([, id = ""]) => ({ type: "mention", of: "user", id })],
  [/<@&(\d{1,20})>/y, ([, id = ""]) => ({ type: "mention", of: "role", id })],
  [/<#(\d{1,20})>/y, ([, id = ""]) => ({ type: "mention", of: "channel", id })],
  [/<\/([^:<>\n]{1,100}):\d{1,20}>/y, ([, name = ""]) => ({ type: "command", name })],
  [/<a?:(\w{1,32}):(\d{1,20})>/y, ([, name = "", id = ""]) => ({ type: "emoji", name, id })],
  [
    /<t:(-?\d{1,12})(?::([tTdDfFsSR]))?>/y,
    ([, seconds = "", style = "f"]) => ({ type: "time", atMs: Number(seconds) * 1000, style }),
  ],
  [
    /<(https?:\/\/[^\s<>]+)>/iy,
    ([, url = ""]) =>
      isUrl(url) ? { type: "link", url, children: [{ type: "text", text: url }] } : undefined,
  ],
];

function tokenAt(text: string, at: number): Found | undefined {
  for (const [pattern, read] of TOKENS) {
    const found = match(pattern, text, at);
    const node = found ? read(found) : undefined;
    if (found && node) return { node, end: at + found[0].length };
  }
  return undefined;
}

function everyoneAt(text: string, at: number): Found | undefined {
  const found = match(/@(?:everyone|here)\b/y, text, at)?.[0];
  if (found === undefined || isWord(text.charAt(at - 1))) return undefined;
  return { node: { type: "everyone", text: found }, end: at + found.length };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern.source, pattern.flags);
  sticky.lastIndex = at;
  return sticky.exec(text);
}

function isUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function isWord(character: string): boolean {
  return /^[\p{L}\p{N}_]$/u.test(character);
}

function isSpace(character: string): boolean {
  return /^\s$/.test(character);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

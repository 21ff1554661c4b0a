/**
 * A reply without the thoughts that local reasoning models write in front of it: `<think>` blocks,
 * also one that never ends, and one whose beginning the chat template has swallowed.
 */
export function withoutThoughts(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const opening = /^<(think|thinking)>/i.exec(rest);
    if (opening === null) break;
    const closing = new RegExp(`</${opening[1]}>`, "i").exec(rest);
    if (closing === null) return "";
    rest = rest.slice(closing.index + closing[0].length).trimStart();
  }
  const orphan = /(?:^|\n)[ \t]*<\/think(?:ing)?>[ \t]*(?:\n|$)/i.exec(rest);
  if (orphan !== null && !/<think(?:ing)?>/i.test(rest.slice(0, orphan.index))) {
    rest = rest.slice(orphan.index + orphan[0].length);
  }
  return rest.trim();
}

/**
 * The JSON object in a structured answer: without code fence and without the sentences around it.
 * Text that holds no JSON object comes back as it is, for the caller to refuse.
 */
export function jsonIn(text: string): string {
  const trimmed = text.trim();
  if (isJson(trimmed)) return trimmed;
  const fenced = /```[a-z]*\s*\n?([\s\S]*?)```/i.exec(trimmed)?.[1]?.trim();
  if (fenced !== undefined && isJson(fenced)) return fenced;
  let longest: string | null = null;
  let from = trimmed.indexOf("{");
  for (let tries = 0; from !== -1 && tries < mostBraces; tries += 1) {
    const end = endOfObject(trimmed, from);
    const candidate = end === -1 ? null : trimmed.slice(from, end);
    const isObject = candidate !== null && isJson(candidate);
    if (isObject && candidate.length >= (longest?.length ?? 0)) longest = candidate;
    from = trimmed.indexOf("{", isObject ? end : from + 1);
  }
  return longest ?? trimmed;
}

/** Where more braces than this are opened in vain the text is no answer. */
const mostBraces = 200;

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Index after the brace that closes the one at `from`, or -1. */
function endOfObject(text: string, from: number): number {
  let depth = 0;
  let isInString = false;
  for (let index = from; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === "\\") index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

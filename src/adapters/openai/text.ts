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

/** A text in one line, without marks and without what a spoiler hides. */
export function plainText(text: string): string {
  return text
    .replace(/\|\|[\s\S]*?\|\|/g, "▇▇▇")
    .replace(/[*_~`]+|^(?:>{1,3}|#{1,3}|-#)\s+/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Text in columns of equal width, as a monospaced font shows it: letters of East Asian scripts and
 * emoji take two columns (Unicode Standard Annex 11, "East Asian Width").
 */

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\u{fe0f}|\p{RI}\p{RI}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}])/u;

/** How many columns a text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of characters.segment(text)) width += widthOf(segment);
  return width;
}

/** Exactly so many columns: filled with spaces, or cut with an ellipsis. */
export function fit(text: string, columns: number, side: "left" | "right" = "left"): string {
  const shown = cutTo(text, columns);
  const space = " ".repeat(columns - displayWidth(shown));
  return side === "left" ? shown + space : space + shown;
}

/** At most so many columns. */
export function cutTo(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let shown = "";
  let width = 0;
  for (const { segment } of characters.segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    shown += segment;
  }
  return `${shown.trimEnd()}…`;
}

/** One line of a code block: nothing in it can end the block or begin another line. */
export function cell(text: string): string {
  return text
    .replaceAll("`", "'")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

function widthOf(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}

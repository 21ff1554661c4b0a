/** Sentences of a text, as Unicode tells them apart (Standard Annex 29). */
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** What ends with a full stop and ends no sentence: a number, an initial, a title. */
const ABBREVIATED = /(?:^|\s)(?:\p{N}+|\p{Lu}\p{L}{0,2})\.\s*$/u;
const FEWEST_WORDS = 3;

/**
 * The first sentence of a text, in one line. A beginning of one or two words (`No.`, `1.`, `Dr.`)
 * says little and goes on.
 */
export function leadingSentence(text: string): string {
  let said = "";
  for (const { segment } of sentences.segment(text.replace(/\s+/gu, " ").trim())) {
    said += segment;
    const isShort = said.trim().split(" ").length < FEWEST_WORDS && /^[\p{ASCII}\s]*$/u.test(said);
    if (!isShort && !ABBREVIATED.test(said)) break;
  }
  return said.trim();
}

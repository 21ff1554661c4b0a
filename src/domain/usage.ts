/** What an outcome ends in where the tokens of the call are an estimate, at least in part. */
export const ESTIMATE_MARK = ", estimated";

/** The outcome of a call that succeeded, and whose tokens are an estimate. */
export const ESTIMATED = `ok${ESTIMATE_MARK}`;

/**
 * An estimate of how many tokens a text takes: a quarter of its ASCII characters and one for each
 * other character. Tokenizers differ; this is meant for budgets of prompts, and, where
 * an endpoint tells nothing, of days, never for bills.
 */
export function estimateTokens(text: string): number {
  let ascii = 0;
  let others = 0;
  for (const character of text) {
    if (character <= "\u007f") ascii++;
    else others++;
  }
  return Math.ceil(ascii / 4) + others;
}

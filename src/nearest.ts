/** More changes than this make another word. */
const MAX_CHANGES = 2;

/** The word that somebody who mistyped most likely meant; null when none is near. */
export function nearest(typed: string, words: readonly string[]): string | null {
  const ranked = words
    .map((word) => ({ word, changes: changesBetween(typed.toLowerCase(), word) }))
    .filter(({ word, changes }) => changes <= MAX_CHANGES && changes < word.length)
    .toSorted((a, b) => a.changes - b.changes);
  return ranked[0]?.word ?? null;
}

/** How many letters have to be added, taken out or replaced (Levenshtein). */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === one[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

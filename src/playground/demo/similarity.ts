import { wordsOf } from "./words.js";

/** How close texts are in meaning, with the bounds that fit this way of measuring. */
export interface Similarity {
  /** Closeness of `text` to each of the others, 0 (nothing in common) to 1 (the same). */
  measure(
    text: string,
    others: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly number[]>;
  readonly bounds: Bounds;
}

export interface Bounds {
  /** Below this closeness a role has nothing to do with a text. */
  readonly least: number;
  /** How much closer than small talk a role must be; less than 0 where small talk measures high. */
  readonly overSmallTalk: number;
  /** A role that is so much less close than the closest one does not fit. */
  readonly behindClosest: number;
  /** How much closer a role is for having a word in common with the text. */
  readonly sharedWord: number;
}

/** Longer texts are cut: the sense of a chat message is at its beginning. */
const longestText = 300;

/**
 * By embeddings: `embed` gives a vector for a text. Vectors are kept, since roles are measured for
 * every message. The bounds were found on the cases in the tests.
 */
export function embeddingSimilarity(
  embed: (text: string) => Promise<readonly number[]>,
): Similarity {
  const known = new Map<string, readonly number[]>();

  async function vector(text: string): Promise<readonly number[]> {
    const key = text.slice(0, longestText).trim();
    // The embedding model fails on empty text.
    if (key === "") return [];
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = await embed(key);
    if (known.size >= mostVectors) known.clear();
    known.set(key, made);
    return made;
  }

  return {
    measure: async (text, others, signal) => {
      const one = await vector(text);
      const result: number[] = [];
      for (const other of others) {
        signal?.throwIfAborted();
        result.push(cosine(one, await vector(other)));
      }
      return result;
    },
    bounds: { least: 0.15, overSmallTalk: -0.09, behindClosest: 0.05, sharedWord: 0.06 },
  };
}

const mostVectors = 2_000;

/**
 * By the words that two texts share. Knows nothing of meaning; needs no package. Small talk shares
 * none with a role, so that it need not be compared with.
 */
export function wordSimilarity(): Similarity {
  return {
    measure: async (text, others) => {
      const words = wordsOf(text);
      return others.map((other) => overlap(words, wordsOf(other)));
    },
    bounds: { least: 0.05, overSmallTalk: -1, behindClosest: 0.1, sharedWord: 0 },
  };
}

function cosine(one: readonly number[], other: readonly number[]): number {
  let product = 0;
  let oneSquared = 0;
  let otherSquared = 0;
  for (const [index, value] of one.entries()) {
    const counterpart = other[index] ?? 0;
    product += value * counterpart;
    oneSquared += value * value;
    otherSquared += counterpart * counterpart;
  }
  return product === 0 ? 0 : product / Math.sqrt(oneSquared * otherSquared);
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / Math.sqrt(one.size * other.size);
}

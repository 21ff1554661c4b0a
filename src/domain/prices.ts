/** What models cost, as whoever runs the bot has set it: US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of input that the provider had cached; else `input`. */
  readonly cached: number;
}

export type Prices = ReadonlyMap<string, Price>;

/** Null: it is not known. Endpoints often name a model with its version, `gpt-5-mini-2025-08-07`. */
export function priceOf(prices: Prices, model: string): Price | null {
  const exact = prices.get(model);
  if (exact !== undefined) return exact;
  const [longest] = [...prices.keys()]
    .filter((name) => model.startsWith(`${name}-`) || model.startsWith(`${name}:`))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? null : (prices.get(longest) ?? null);
}

/** `cachedTokens` is the part of the input that was cached. */
export function costOf(
  price: Price,
  tokens: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens: number;
  },
): number {
  const { inputTokens, outputTokens, cachedTokens } = tokens;
  const fresh = Math.max(0, inputTokens - cachedTokens);
  return (
    (fresh * price.input + cachedTokens * price.cached + outputTokens * price.output) / 1_000_000
  );
}

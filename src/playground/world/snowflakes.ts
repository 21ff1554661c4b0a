/** First millisecond of Discord's ids: https://docs.discord.com/developers/reference#snowflakes */
const EPOCH_MS = 1_420_070_400_000n;

export interface Snowflakes {
  /** The next id: 17 to 19 digits, greater than every id before it. */
  next(): string;
}

export function createSnowflakes(now: () => number): Snowflakes {
  let lastId = 0n;
  return {
    next() {
      const fromClock = (BigInt(Math.floor(now())) - EPOCH_MS) << 22n;
      lastId = fromClock > lastId ? fromClock : lastId + 1n;
      return String(lastId);
    },
  };
}

/** The time that an id carries, in milliseconds since 1970. */
export function snowflakeTime(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH_MS);
}

export function isSnowflake(text: string): boolean {
  return /^\d{17,20}$/.test(text);
}

/** Sorts ids by age, oldest first. */
export function compareIds(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

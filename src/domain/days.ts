/** Days are those of UTC, everywhere: a server may have people of all time zones. */
export const DAY_MS = 86_400_000;

/** When the day of this moment began. */
export function dayStart(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}

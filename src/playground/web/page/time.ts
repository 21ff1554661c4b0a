/** `14:05` today, else with the day. */
export function clockTime(date: Date): string {
  return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function fullTime(date: Date): string {
  return date.toLocaleString([], { dateStyle: "full", timeStyle: "short" });
}

export function dayName(date: Date): string {
  return date.toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });
}

export function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
}

const STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  s: { dateStyle: "short", timeStyle: "short" },
  S: { dateStyle: "short", timeStyle: "medium" },
  F: { dateStyle: "full", timeStyle: "short" },
};

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000_000],
  ["month", 2_592_000_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** A time in one of the styles of `<t:…:style>`. */
export function styledTime(atMs: number, style: string, nowMs: number): string {
  if (style !== "R") return new Date(atMs).toLocaleString([], STYLES[style] ?? {});
  const distance = atMs - nowMs;
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ["second", 1_000];
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  return relative.format(Math.round(distance / length), unit);
}

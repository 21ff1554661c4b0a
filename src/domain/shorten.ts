const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** At most `limit` UTF-16 units, cut between words where it can be, never inside a character. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let cut = "";
  for (const { segment } of characters.segment(text)) {
    if (cut.length + segment.length > limit - 1) break;
    cut += segment;
  }
  const space = cut.lastIndexOf(" ");
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

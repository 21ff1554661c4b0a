/** Characters that nobody sees, and those of them that a script or an emoji needs. */

/** Not visible although not whitespace: controls, formats, lone surrogates, private use, blank letters. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Variation_Selector}\u2800]|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/u;
const NEEDED = [
  // Emoji made of several: person, joiner, thing.
  String.raw`(?<=[\p{Extended_Pictographic}\p{EMod}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
  // Flags of regions: black flag, then tag letters.
  String.raw`(?<=\u{1f3f4}[\u{e0020}-\u{e007e}]*)[\u{e0020}-\u{e007f}]`,
  // One selector after something visible.
  String.raw`(?<=[\p{L}\p{N}\p{P}\p{S}])\p{Variation_Selector}`,
  // Persian and Indic spelling.
  String.raw`(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}])[\u200c\u200d](?=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L})`,
].join("|");
const NEEDED_INVISIBLE = new RegExp(NEEDED, "gu");
const ANY_INVISIBLE = new RegExp(`(${NEEDED})|${INVISIBLE.source}`, "gu");

/** Something that is seen. */
export const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether a text holds characters that show nothing and are not needed. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text.replace(NEEDED_INVISIBLE, ""));
}

/** A text on one line as it is seen: without those characters, which may also turn its direction. */
export function asSeen(text: string): string {
  return text
    .replace(/\s+/gu, " ")
    .replace(ANY_INVISIBLE, (_found, needed: string | undefined) => needed ?? "")
    .replace(/ +/gu, " ")
    .trim();
}

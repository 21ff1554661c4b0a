/** Characters that nobody sees, and those of them that a script or an emoji needs. */

/** Not visible although not whitespace: controls, formats, lone surrogates, private use, blank letters. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]|\u{16fe4}/u;
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
const UNSEEN = new RegExp(String.raw`(?!\s)${INVISIBLE.source}`, "gu");
const UNSEEN_BEFORE = new RegExp(String.raw`^(?:[\s\p{M}]|${INVISIBLE.source})+`, "u");
const ANY_INVISIBLE = new RegExp(`(${NEEDED})|${INVISIBLE.source}`, "gu");

/** Something that is seen. */
export const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether a text holds characters that show nothing and are not needed. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text.replace(NEEDED_INVISIBLE, ""));
}

/** A text without any character that shows nothing, needed or not; whitespace stays. */
export function withoutInvisible(text: string): string {
  return text.replace(UNSEEN, "");
}

/** How many UTF-16 units a text begins with in which nothing is seen, whitespace and marks of no letter included. */
export function unseenBefore(text: string): number {
  return UNSEEN_BEFORE.exec(text)?.[0].length ?? 0;
}

/** A text on one line as it is seen: without those characters, which may also turn its direction. */
export function asSeen(text: string): string {
  return text
    .replace(/\s+/gu, " ")
    .replace(ANY_INVISIBLE, (_found, needed: string | undefined) => needed ?? "")
    .replace(/ +/gu, " ")
    .trim();
}

/**
 * What people and models take for the beginning of somebody's words: a name in square brackets or a
 * name and a colon, in any signs that are drawn like these, with anything around or inside it that
 * nobody sees. Two readers: prompts put a backslash before a line that could be taken for one, which
 * costs nothing (`beginsLikeSpeaker`), and replies are cut at one that can hardly be anything else,
 * which costs words (`reply.ts`).
 */
import { unseenBefore, withoutInvisible } from "./invisible.js";

const OPENING = "[［﹇【︻〔︹〖︗〘〚⟦⁅⦋⦍⦏❲⟬⎡⎢⎣";
const CLOSING = "]］﹈】︼〕︺〗︘〙〛⟧⁆⦌⦎⦐❳⟭⎤⎥⎦";
const COLONS = ":：﹕︓︰∶꞉ː˸։׃܃܄᛬᠃᠉⁚ꓽ";

/** Signs for a class of a regular expression: brackets and colons, and what is drawn like them. */
export const BRACKETS = classOf(OPENING + CLOSING);
export const BRACKETS_AND_COLONS = classOf(OPENING + CLOSING + COLONS);

/** What may stand behind a name in parentheses, as in prompts or in logs of chats. */
export const TAG_WORDS = "agent|person|user|human|bot|host|moderator|participant|member|you|muted";

/** The bot's own labels have a colon in the brackets, or the round; a link may have that too. */
const OURS = /^[*_~|`]{0,3}\[\s*(?:(?:Parley|Moderator)\s*:|GROUPCHAT\s+round\b)(?![^\]]*\]\()/iu;

/** Enough for a label with all that may be around it, and of a reply with what nobody sees in it. */
const SEEN_UNITS = 240;
const WRITTEN_UNITS = 1_000;
const LOOK_ALIKE = new RegExp(`[${BRACKETS_AND_COLONS}]`, "gu");
const LOOKS: ReadonlyMap<string, string> = new Map([
  ...Array.from(OPENING, (sign) => [sign, "["] as const),
  ...Array.from(CLOSING, (sign) => [sign, "]"] as const),
  // Only the ordinary one is a part of addresses and numbers.
  ...Array.from(COLONS.slice(1), (sign) => [sign, "："] as const),
]);

/** The beginning of a line as it is seen. */
interface SeenLine {
  /** Ordinary brackets, colons `:` or `：`, a run of spaces as one, nothing invisible, none before it. */
  readonly text: string;
  /** Where the line goes on after so many UTF-16 units of the text. */
  readonly after: (units: number) => number;
}

/** What is seen of the first signs of a line. */
export function seenLine(line: string): SeenLine {
  const unseen = unseenBefore(line);
  const written = line.slice(unseen, unseen + WRITTEN_UNITS);
  const text = asSeen(written);
  return { text, after: (units) => unseen + unitsWritten(written, text.slice(0, units)) };
}

function asSeen(text: string): string {
  return withoutInvisible(text)
    .replace(/\s{2,}|[^\S ]/gu, " ")
    .slice(0, SEEN_UNITS)
    .replace(LOOK_ALIKE, (sign) => LOOKS.get(sign) ?? sign);
}

/** How much of what was written became this beginning of what is seen: signs only went. */
function unitsWritten(written: string, seen: string): number {
  let at = 0;
  for (const sign of seen) {
    const isIt = (one: string) =>
      one === sign || LOOKS.get(one) === sign || (sign === " " && /\s/u.test(one));
    while (at < written.length && !isIt(written.slice(at, at + sign.length))) at += 1;
    at += sign.length;
  }
  return at;
}

/** Whether a line, as it is seen, begins with a label that only Parley writes. */
export function isOwnLabel(seen: string): boolean {
  return OURS.test(seen.normalize("NFKC"));
}

/** The beginning of a line down to its bare letters and signs: no case, no marks, no forms. */
export function bareLine(line: string): string {
  const begin = line.trimStart().slice(0, SEEN_UNITS);
  // Most lines: nothing in them that is not what it seems.
  if (/^[!-~]+(?: [!-~]+)*$/u.test(begin)) return begin.toLowerCase();
  const signs = asSeen(line.slice(unseenBefore(line)))
    .normalize("NFKD")
    .replace(/\p{M}/gu, "");
  return signs.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKD");
}

/** The letters and digits of a bare text alone; of one that has none, its other signs. */
export function lettersOf(bare: string): string {
  const letters = bare.replace(/[^\p{L}\p{N}]/gu, "");
  return letters === "" ? bare.replace(/[\s*_~`|>#"'-]/gu, "") : letters;
}

/** What names are looked for by in `beginsLikeSpeaker`. */
export type SpeakerKeys = ReadonlySet<string>;

export function speakerKeys(names: readonly string[]): SpeakerKeys {
  return new Set(names.map((name) => lettersOf(bareLine(name))).filter((key) => key !== ""));
}

/** What may stand before a label in a bare line: signs, and the number of a list. */
export const BEFORE = String.raw`(?:[^\p{L}\p{N}\\[]|(?<!\p{N})\p{N}{1,9}(?!\p{N}))*`;
const BRACKET = new RegExp(`^${BEFORE}\\[`, "u");
const WRAPPED = /^[^\p{L}\p{N}]*[<({«‹](?<name>[^<>(){}«»‹›]+)[>)}»›]/u;
const IN_PARENTHESES = /\([^()]*\)[^\p{L}\p{N}]*$/u;
const TAGS = new RegExp(`(?:${TAG_WORDS})+$`, "u");

/**
 * Whether a bare line begins like a label: with a bracket, or with one of the names and a colon or
 * something around it. Signs and the number of a list may stand before either.
 */
export function beginsLikeSpeaker(bare: string, keys: SpeakerKeys): boolean {
  if (bare.startsWith("\\")) return false;
  if (BRACKET.test(bare) || isName(WRAPPED.exec(bare)?.groups?.["name"], keys)) return true;
  for (let at = bare.indexOf(":"); at >= 0; at = bare.indexOf(":", at + 1)) {
    if (isName(bare.slice(0, at), keys)) return true;
  }
  return false;
}

function isName(text: string | undefined, keys: SpeakerKeys): boolean {
  if (text === undefined) return false;
  const letters = lettersOf(text);
  return (
    keys.has(letters) ||
    keys.has(letters.replace(TAGS, "")) ||
    keys.has(letters.replace(/^\p{N}+/u, "")) ||
    (text.includes(")") && keys.has(lettersOf(text.replace(IN_PARENTHESES, ""))))
  );
}

function classOf(signs: string): string {
  return signs.replace(/[\\[\]]/gu, "\\$&");
}

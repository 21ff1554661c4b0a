/**
 * Names of agents, groups and categories. A `check…` function returns the value to store, or throws
 * a `UserError` with one sentence that says what was wrong and what is allowed.
 *
 * Decisions where the contract is silent:
 * - Display names keep the letters that were typed, in composed form (NFC); outer whitespace goes
 *   and inner runs become one space, as Discord does with webhook names.
 * - Characters that show nothing are refused, except where a script or an emoji needs them: the
 *   joiners between letters (not Latin, Greek or Cyrillic ones), inside emoji sequences, and
 *   variation selectors after a visible character.
 * - The forbidden `@ # :` are forbidden in every Unicode form (`＠`, `：`).
 */
import { UserError } from "./errors.js";
import { hasInvisible, VISIBLE } from "./invisible.js";
import { CATEGORY_SUFFIX_CHARACTERS, DISPLAY_NAME_CHARACTERS, NAME_CHARACTERS } from "./limits.js";
import { LINE_BREAK } from "./lines.js";

/** The two kinds of category that agents and groups live in. */
type CategoryRoot = "Agents" | "Groups";

/** What an agent or a group is called. */
interface Named {
  readonly name: string;
  readonly displayName: string;
}

const RESERVED_NAMES: readonly string[] = ["all", "everyone", "here", "only"];
/** Discord refuses these inside a webhook name (API, "Create Webhook"). */
const FORBIDDEN_WORDS: readonly string[] = ["discord", "clyde"];
/** Discord refuses these as a whole name (API, "Usernames and Nicknames"). */
const FORBIDDEN_DISPLAY_NAMES: readonly string[] = ["everyone", "here"];
/** `@all` names every member, and `only` is a word of its own. */
const RESERVED_DISPLAY_NAMES: readonly string[] = ["all", "only"];
/** A webhook name (API, "Execute Webhook"); counted in UTF-16 units, the strictest reading. */
const WEBHOOK_NAME_UNITS = 80;
/** A channel or category name (API, "Channel Object"). */
const CHANNEL_NAME_UNITS = 100;

const CHANGES_NOT_MADE_BY_DECOMPOSITION: Readonly<Record<string, string>> = {
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ß: "ss",
  ı: "i",
};

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How many characters a reader sees. */
export function countCharacters(text: string): number {
  return [...graphemes.segment(text)].length;
}

/**
 * The same text whatever its case and Unicode form: NFKC, then case-folded. JavaScript has no case
 * folding; upper case and then lower case comes to the same, but for the final sigma.
 */
export function fold(text: string): string {
  let folded = text.normalize("NFKC");
  // Folding may leave something to compose, and composing something to fold; twice is enough.
  for (let pass = 0; pass < 2; pass++) {
    folded = folded.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
  }
  return folded;
}

/** Outer whitespace gone, inner runs one space, letters composed. */
export function normaliseDisplayName(text: string): string {
  return text.normalize("NFC").replace(/\s+/gu, " ").trim();
}

/**
 * What two display names are compared by: equal keys mean the same name. Variation selectors do not
 * count, since nobody sees them.
 */
export function displayNameKey(text: string): string {
  return normaliseDisplayName(fold(text).replace(/[\ufe0e\ufe0f]/gu, ""));
}

/** What was typed for an agent or group, without the leading `@` that people like to write. */
export function stripAt(text: string): string {
  return text
    .trim()
    .replace(/^[@＠]/u, "")
    .trim();
}

/**
 * The agent or group that somebody means, by name or display name, in any case, with or without
 * `@`. A permanent name wins over a display name of the same letters: it is the sure way to reach one.
 */
export function findNamed<T extends Named>(text: string, among: readonly T[]): T | undefined {
  const key = displayNameKey(stripAt(text));
  if (key === "") return undefined;
  return (
    among.find((one) => one.name === key) ??
    among.find((one) => displayNameKey(one.displayName) === key)
  );
}

/**
 * A list that was separated by commas, with those pieces put together again that are one known
 * name: names of old may have commas. The longest name counts.
 */
export function joinKnown(pieces: readonly string[], known: readonly Named[]): readonly string[] {
  const joined: string[] = [];
  for (let at = 0; at < pieces.length; ) {
    let length = pieces.length - at;
    const text = () => pieces.slice(at, at + length).join(", ");
    while (length > 1 && findNamed(text(), known) === undefined) length -= 1;
    joined.push(text());
    at += length;
  }
  return joined;
}

/** A permanent name as given, without outer whitespace. */
export function checkName(text: string): string {
  const name = text.trim();
  const problem = nameProblem(name);
  if (problem !== null) throw new UserError("invalid", problem);
  return name;
}

/** The permanent name that a display name gives: `Reading room` gives `reading-room`. */
export function deriveName(displayName: string): string {
  const shown = quote(displayName);
  const name = displayName
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[æœøłđðþßı]/gu, (letter) => CHANGES_NOT_MADE_BY_DECOMPOSITION[letter] ?? letter)
    .replace(/[\p{M}'’ʼ]/gu, "")
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-/u, "")
    .slice(0, NAME_CHARACTERS)
    .replace(/-$/u, "");
  if (name === "") {
    throw new UserError(
      "invalid",
      `No name can be made from the display name ${shown}: give a name of your own, 1 to ${NAME_CHARACTERS} characters of a-z, 0-9 and hyphens.`,
    );
  }
  if (nameProblem(name) !== null) {
    throw new UserError(
      "invalid",
      `The display name ${shown} would give the name "${name}", which is not allowed: give a name of your own.`,
    );
  }
  return name;
}

/** A display name, normalised. */
export function checkDisplayName(text: string): string {
  const trimmed = text.trim();
  const problem = LINE_BREAK.test(trimmed)
    ? "A display name must be one line, without line breaks."
    : displayNameProblem(normaliseDisplayName(trimmed));
  if (problem !== null) throw new UserError("invalid", problem);
  return normaliseDisplayName(trimmed);
}

/**
 * A category: the root alone, or the root, a hyphen and a suffix. The root is accepted in any case
 * and stored in ours, so that `agents-lab` and `Agents-lab` are one category.
 */
export function checkCategory(text: string, root: CategoryRoot): string {
  const given = text.trim();
  const rule = `A category is "${root}" or "${root}-" and 1 to ${CATEGORY_SUFFIX_CHARACTERS} characters`;
  if (LINE_BREAK.test(given)) throw new UserError("invalid", `${rule}, without line breaks.`);
  const category = normaliseDisplayName(given);
  if (category.toLowerCase() === root.toLowerCase()) return root;
  if (!category.toLowerCase().startsWith(`${root.toLowerCase()}-`)) {
    throw new UserError("invalid", `${rule}; ${quote(category)} is neither.`);
  }
  const suffix = category.slice(root.length + 1).trim();
  const length = countCharacters(suffix);
  if (length === 0) throw new UserError("invalid", `${rule}; the part after the hyphen is empty.`);
  if (length > CATEGORY_SUFFIX_CHARACTERS) {
    throw new UserError("invalid", `${rule}; the part after the hyphen has ${length}.`);
  }
  if (hasInvisible(suffix)) {
    throw new UserError("invalid", `${rule} that can be seen; invisible ones are not allowed.`);
  }
  const whole = `${root}-${suffix}`;
  if (whole.length > CHANNEL_NAME_UNITS) {
    throw new UserError(
      "invalid",
      `The category ${quote(whole)} is too long for Discord, since some of its characters count several times: use a shorter one.`,
    );
  }
  return whole;
}

function nameProblem(name: string): string | null {
  const shown = quote(name);
  if (name === "") {
    return `A name must not be empty: use 1 to ${NAME_CHARACTERS} characters of a-z, 0-9 and hyphens.`;
  }
  if (!/^[a-z0-9-]*$/u.test(name)) {
    return `The name ${shown} is not allowed: use only lower-case letters a-z, digits 0-9 and hyphens.`;
  }
  if (name.length > NAME_CHARACTERS) {
    return `The name ${shown} has ${name.length} characters: at most ${NAME_CHARACTERS} are allowed.`;
  }
  if (name.startsWith("-") || name.endsWith("-")) {
    return `The name ${shown} is not allowed: it must start and end with a letter or a digit.`;
  }
  if (RESERVED_NAMES.includes(name)) {
    return `The name ${shown} is not allowed: ${RESERVED_NAMES.join(", ")} are reserved words.`;
  }
  const word = FORBIDDEN_WORDS.find((forbidden) => name.includes(forbidden));
  if (word !== undefined) {
    return `The name ${shown} is not allowed: it must not contain "${word}".`;
  }
  return null;
}

function displayNameProblem(name: string): string | null {
  const shown = quote(name);
  const characters = countCharacters(name);
  const key = displayNameKey(name);
  if (name === "") {
    return `A display name must not be empty: use 1 to ${DISPLAY_NAME_CHARACTERS} characters.`;
  }
  if (characters > DISPLAY_NAME_CHARACTERS) {
    return `The display name ${shown} has ${characters} characters: at most ${DISPLAY_NAME_CHARACTERS} are allowed.`;
  }
  if (hasInvisible(name) || !VISIBLE.test(name)) {
    return "A display name must be made of characters that can be seen: it contains an invisible one, or nothing else.";
  }
  const sign = ["@", "#", ":", "```"].find((forbidden) => key.includes(forbidden));
  if (sign !== undefined) {
    return `The display name ${shown} is not allowed: it must not contain ${sign === "```" ? "three backticks" : `"${sign}"`}.`;
  }
  if (key.includes(",")) {
    return `The display name ${shown} is not allowed: commas separate the names of a list.`;
  }
  if (RESERVED_DISPLAY_NAMES.includes(key)) {
    return `The display name ${shown} is not allowed: all and only are reserved words.`;
  }
  const word = FORBIDDEN_WORDS.find((forbidden) => key.includes(forbidden));
  if (word !== undefined) {
    return `The display name ${shown} is not allowed: Discord refuses names that contain "${word}".`;
  }
  if (FORBIDDEN_DISPLAY_NAMES.includes(key)) {
    return `The display name ${shown} is not allowed: Discord refuses "${key}" as a name.`;
  }
  if (name.length > WEBHOOK_NAME_UNITS) {
    return "That display name is too long for Discord: emoji count several times. Use fewer.";
  }
  return null;
}

/** What was given, fit for a sentence: one line, not endless. */
function quote(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  const shown = [...graphemes.segment(line)].map((part) => part.segment);
  return `"${shown.length > 60 ? `${shown.slice(0, 60).join("")}…` : line}"`;
}

import type { Similarity } from "./similarity.js";
import { wordsOf } from "./words.js";

export interface DemoMember {
  readonly name: string;
  readonly role: string;
}

/** Lines that concern no role. */
const smallTalk = [
  "Hello everyone!",
  "Hi, how are you?",
  "Good morning.",
  "Thank you, that helps.",
  "Thanks a lot!",
  "Nice to meet you.",
  "Good night, see you tomorrow.",
  "Goodbye.",
  "Okay.",
  "Haha, that is funny.",
  "What's up?",
  "You are great.",
  "Welcome!",
  "I agree.",
  "Sorry about that.",
] as const;

/**
 * A score from 0 to 1 for each member, by its name; from 0.5 on its role fits the message. A member
 * is as close as the two closest lines of its role are to the message, or to one of its sentences;
 * small talk that is closer still speaks against it, and so does a member that fits better.
 */
export async function scoreMembers(
  input: { readonly members: readonly DemoMember[]; readonly message: string },
  similarity: Similarity,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const best = new Map(input.members.map((member) => [member.name, Number.NEGATIVE_INFINITY]));
  for (const text of partsOf(input.message)) {
    const small = Math.max(...(await similarity.measure(text, smallTalk, signal)));
    const closeness: (readonly [string, number])[] = [];
    for (const member of input.members) {
      const measured = await similarity.measure(text, linesOf(member), signal);
      const bonus = sharesWord(text, member) ? similarity.bounds.sharedWord : 0;
      closeness.push([member.name, closenessOf(measured) + bonus]);
    }
    const closest = Math.max(...closeness.map(([, close]) => close));
    for (const [name, close] of closeness) {
      const lead = leadOf(close, { small, closest }, similarity.bounds);
      best.set(name, Math.max(best.get(name) ?? lead, lead));
    }
  }
  return new Map([...best].map(([name, lead]) => [name, squash(lead)]));
}

/** The closest line counts most; a second one shows that it is no chance. */
function closenessOf(measured: readonly number[]): number {
  const [first = 0, second = first] = measured.toSorted((one, other) => other - one);
  return 0.6 * first + 0.4 * second;
}

/** By how much a member fits; less than 0 when it does not. */
function leadOf(
  close: number,
  others: { readonly small: number; readonly closest: number },
  bounds: Similarity["bounds"],
): number {
  const own = Math.min(close - others.small - bounds.overSmallTalk, close - bounds.least);
  const behind = others.closest - close;
  return behind === 0 ? own : Math.min(own, bounds.behindClosest - behind);
}

const steepness = 5;

/** 0 becomes 0.5, large leads come near 1. Rounded down to two decimals, so that nothing rises to 0.5. */
function squash(lead: number): number {
  return Math.floor(100 / (1 + Math.exp(-steepness * lead))) / 100;
}

/** More would only take time: what matters stands at the beginning. */
const mostSentences = 4;
const mostRoleLines = 12;

function partsOf(message: string): readonly string[] {
  const whole = message.trim();
  if (!/\p{L}/u.test(whole)) return [];
  return [...new Set([whole, ...sentencesOf(whole).slice(0, mostSentences)])];
}

function linesOf(member: DemoMember): readonly string[] {
  return [member.name, member.role, ...sentencesOf(member.role).slice(0, mostRoleLines)];
}

function sharesWord(text: string, member: DemoMember): boolean {
  const words = wordsOf(`${member.name} ${member.role}`);
  return [...wordsOf(text)].some((word) => words.has(word));
}

/** The sentences and lines of a text that have a letter in them. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}

import { kindOf, type Refusal } from "./errors.js";
import { isTooLong } from "./tooLong.js";

/** How a structured answer is asked for. */
type AnswerWay = "json_schema" | "json_object" | "words";

/** How the length of an answer is limited. */
export type LimitWay = "max_tokens" | "max_completion_tokens" | "none";

/** What an endpoint accepts for one model. */
export interface Ways {
  readonly answer: AnswerWay;
  readonly limit: LimitWay;
}

/**
 * The first guess. OpenAI's reasoning models take only `max_completion_tokens`, which its other
 * models take too; Ollama ignores that name without a word and Mistral refuses it, so every other
 * endpoint is asked with the older one first.
 */
export function firstWays(baseUrl: string): Ways {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  const isOpenAi = host === "api.openai.com" || host.endsWith(".openai.azure.com");
  return { answer: "json_schema", limit: isOpenAi ? "max_completion_tokens" : "max_tokens" };
}

const nextAnswer = {
  json_schema: "json_object",
  json_object: "words",
  words: null,
} as const satisfies Record<AnswerWay, AnswerWay | null>;

/** The next way of asking for a structured answer, or null after the last one. */
function afterAnswerWay(answer: AnswerWay): AnswerWay | null {
  return nextAnswer[answer];
}

/** What is known of an endpoint for one model. */
export interface Known {
  readonly ways: Ways;
  /** JSON has come in this way of asking, so that only a refusal leads to the next one. */
  readonly isSettled: boolean;
  /** Answers without JSON in this way so far, though it was accepted. */
  readonly ignored: number;
}

/** One bad sample says nothing about a format; this many without a good one do. */
const IGNORED_ANSWERS = 3;

/**
 * What is known after one more answer. `asked`: the ways that it came in, as far as they last.
 * `hasJson`: null where none was asked for, or where the answer says nothing about it.
 */
export function afterAnswer(
  known: Known,
  asked: { readonly first: Ways; readonly last: Ways },
  hasJson: boolean | null,
): Known {
  const { first, last } = asked;
  const hasMoved = first.answer !== last.answer || first.limit !== last.limit;
  const now: Known =
    hasMoved && known.ways.answer === first.answer && known.ways.limit === first.limit
      ? last.answer === first.answer
        ? { ...known, ways: last }
        : { ways: last, isSettled: false, ignored: 0 }
      : known;
  // Another call may have moved on meanwhile: this answer is not about the present way then.
  if (hasJson === null || now.ways.answer !== last.answer || now.isSettled) return now;
  if (hasJson) return { ...now, isSettled: true, ignored: 0 };
  const ignored = now.ignored + 1;
  const answer = ignored < IGNORED_ANSWERS ? null : afterAnswerWay(now.ways.answer);
  if (answer === null) return { ...now, ignored };
  return { ways: { ...now.ways, answer }, isSettled: false, ignored: 0 };
}

/** One way to try after a refusal. */
interface NextTry {
  readonly change: Partial<Ways>;
  /** False when the refusal was about this one request, so that it says nothing about the next. */
  readonly isLasting: boolean;
}

/**
 * What to try after a refusal, or null when the refusal is not about the way of asking.
 * `triedLimits` are the limits that this call has asked with, the present one included.
 */
export function afterRefusal(
  ways: Ways,
  refusal: Refusal,
  request: {
    readonly hasAnswer: boolean;
    readonly hasImages: boolean;
    readonly hasTools: boolean;
    readonly triedLimits: readonly LimitWay[];
  },
): NextTry | null {
  const { status, words } = refusal;
  if (refusal.isHtml || ![200, 400, 404, 415, 422, 500, 501].includes(status)) return null;
  const hasLimit = request.triedLimits.includes(ways.limit) && ways.limit !== "none";
  if (hasLimit && /max_(?:completion_)?tokens/.test(words)) {
    const others = ["max_tokens", "max_completion_tokens"] as const;
    const isTooLarge = isTooLong(words) || /too (?:large|big|high)|at most/.test(words);
    const other = isTooLarge ? undefined : others.find((one) => !request.triedLimits.includes(one));
    return { change: { limit: other ?? "none" }, isLasting: !isTooLarge };
  }
  if (!request.hasAnswer) return null;
  const isNamed =
    /response_?format|json_schema|json_object|json schema|json mode|structured|grammar/.test(words);
  // Some endpoints refuse without saying what: whether it was this shows on the next way.
  const isUnexplained =
    (status === 400 || status === 422) && kindOf(refusal, request) === "bad-answer";
  if (!isNamed && !isUnexplained) return null;
  const answer = afterAnswerWay(ways.answer);
  return answer === null ? null : { change: { answer }, isLasting: true };
}

/** The model calls of a round, one line each, in a code block that fits the screen of a phone. */
import { cell, cutTo, fit } from "./columns.js";
import type { AgentId } from "./ids.js";
import { ESTIMATE_MARK, ESTIMATED } from "./usage.js";

/** One model call, failed ones included. */
export interface WhyCall {
  readonly purpose: string;
  readonly agentId: AgentId | null;
  readonly model: string;
  readonly tokens: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly durationMs: number;
  /** "ok" or what went wrong; with `ESTIMATE_MARK` after it when the tokens are an estimate. */
  readonly outcome: string;
}

/** Columns of a line in a code block on a phone. */
export const BLOCK_COLUMNS = 34;
const WHO_COLUMNS = 15;
const RESULT_COLUMNS = 11;
const TIME_COLUMNS = 6;
/** A round of the greatest length has fewer, unless much is asked twice. */
const MAX_CALLS = 20;

/** The call of a secret vote: what one of them took would tell of that vote. */
export function isSecretVote({ purpose, agentId }: Pick<WhyCall, "purpose" | "agentId">): boolean {
  return purpose === "vote" && agentId === null;
}

/** The calls, each under the model that answered; of secret votes, and of all calls, the sum. */
export function callLines(
  given: readonly WhyCall[],
  namesIn: (ids: readonly AgentId[], columns: number) => ReadonlyMap<AgentId, string>,
): readonly string[] {
  const secret = given.filter(isSecretVote);
  const calls = given.filter((call) => !isSecretVote(call));
  const ids = [...new Set(calls.flatMap(({ agentId }) => (agentId === null ? [] : [agentId])))];
  const whoOf = ({ purpose, agentId }: WhyCall) => {
    if (agentId === null) return purpose;
    const before = BESIDE_NAME[purpose] ?? "";
    return before + (namesIn(ids, WHO_COLUMNS - before.length).get(agentId) ?? "");
  };
  const lines = secret.length === 0 ? [] : [sumLine("secret votes", secret)];
  let model: string | null = null;
  for (const call of calls.slice(0, MAX_CALLS)) {
    if (call.model !== model) lines.push(cutTo(cell(call.model), BLOCK_COLUMNS));
    model = call.model;
    lines.push(lineOf([whoOf(call), resultOf(call), call.durationMs]));
  }
  if (calls.length > MAX_CALLS) lines.push(`and ${calls.length - MAX_CALLS} more`);
  if (given.length > 1) lines.push(sumLine(`all ${given.length} calls`, given));
  return lines;
}

function sumLine(who: string, calls: readonly WhyCall[]): string {
  const sum = (pick: (tokens: NonNullable<WhyCall["tokens"]>) => number) =>
    calls.reduce((total, { tokens }) => total + (tokens === null ? 0 : pick(tokens)), 0);
  const tokens = {
    inputTokens: sum((one) => one.inputTokens),
    outputTokens: sum((one) => one.outputTokens),
  };
  const durationMs = calls.reduce((total, call) => total + call.durationMs, 0);
  return lineOf([who, tokensOf(tokens), durationMs]);
}

/** `0.8 s`, `12 s`, `2 min 3 s`. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An agent's call is most often its turn, which needs no word. */
const BESIDE_NAME: Readonly<Record<string, string>> = { vote: "vote ", moderate: "mod. " };

function lineOf([who, result, durationMs]: readonly [string, string, number]): string {
  return [
    fit(cell(who), WHO_COLUMNS),
    fit(result, RESULT_COLUMNS, "right"),
    fit(short(durationMs), TIME_COLUMNS, "right"),
  ].join(" ");
}

/** At most six columns. */
function short(ms: number): string {
  return duration(ms)
    .replace(" min ", "m")
    .replace(/(m\d+) s$/u, "$1s");
}

function resultOf({ outcome, tokens }: WhyCall): string {
  const told = tokensOf(tokens);
  const estimate = `~${told}`;
  if (outcome === ESTIMATED) return estimate.length > RESULT_COLUMNS ? told : estimate;
  return outcome === "ok" ? told : `✗ ${failureOf(outcome)}`;
}

function tokensOf(tokens: WhyCall["tokens"]): string {
  if (tokens === null) return "not counted";
  return `${count(tokens.inputTokens)}→${count(tokens.outputTokens)}`;
}

function count(tokens: number): string {
  if (tokens < 10_000) return String(tokens);
  return tokens < 100_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${Math.round(tokens / 1_000)}k`;
}

function failureOf(outcome: string): string {
  return FAILURES[outcome.replace(ESTIMATE_MARK, "")] ?? "failed";
}

/** The kinds of a model's errors in at most nine letters. */
const FAILURES: Readonly<Record<string, string>> = {
  timeout: "timed out",
  "rate-limited": "busy",
  unauthorized: "no access",
  "no-credit": "no credit",
  "unknown-model": "no model",
  "too-long": "too long",
  refused: "refused",
  "no-images": "no images",
  "no-tools": "no tools",
  unavailable: "no reply",
  "bad-answer": "bad reply",
  aborted: "stopped",
};

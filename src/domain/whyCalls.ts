/** The model calls of a round, one line each, in a code block that fits the screen of a phone. */
import { cell, cutTo, fit } from "./columns.js";
import type { AgentId } from "./ids.js";

/** One model call, failed ones included. */
export interface WhyCall {
  readonly purpose: string;
  readonly agentId: AgentId | null;
  readonly model: string;
  readonly tokens: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly durationMs: number;
  /** "ok", or what went wrong. */
  readonly outcome: string;
}

/** Columns of a line in a code block on a phone. */
export const BLOCK_COLUMNS = 40;
/** A round of the greatest length has fewer, unless much is asked twice. */
const MAX_CALLS = 20;

/** The calls, each under the model that answered; the sum when there are several. */
export function callLines(
  calls: readonly WhyCall[],
  nameOf: (agentId: AgentId) => string,
): readonly string[] {
  const lines: string[] = [];
  let model: string | null = null;
  for (const call of calls.slice(0, MAX_CALLS)) {
    if (call.model !== model) lines.push(cutTo(cell(call.model), BLOCK_COLUMNS));
    model = call.model;
    const name = call.agentId === null ? "" : nameOf(call.agentId);
    const result = call.outcome === "ok" ? tokensOf(call.tokens) : `✗ ${failureOf(call.outcome)}`;
    lines.push(lineOf([call.purpose, name, result, call.durationMs]));
  }
  if (calls.length > MAX_CALLS) lines.push(`and ${calls.length - MAX_CALLS} more`);
  if (calls.length > 1) {
    const sum = (pick: (tokens: NonNullable<WhyCall["tokens"]>) => number) =>
      calls.reduce((total, { tokens }) => total + (tokens === null ? 0 : pick(tokens)), 0);
    const tokens = {
      inputTokens: sum((one) => one.inputTokens),
      outputTokens: sum((one) => one.outputTokens),
    };
    const durationMs = calls.reduce((total, call) => total + call.durationMs, 0);
    lines.push(lineOf(["all", `${calls.length} calls`, tokensOf(tokens), durationMs]));
  }
  return lines;
}

/** `0.8 s`, `12 s`, `2 min 3 s`. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function lineOf([purpose, name, result, durationMs]: readonly [
  string,
  string,
  string,
  number,
]): string {
  return [
    fit(cell(purpose), 7),
    fit(cell(name), 11),
    fit(result, 12, "right"),
    fit(short(durationMs), 7, "right"),
  ].join(" ");
}

/** At most seven columns. */
function short(ms: number): string {
  return duration(ms)
    .replace(" min ", "m")
    .replace(/(m\d+) s$/u, "$1s");
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
  return FAILURES[outcome] ?? "failed";
}

/** The kinds of a model's errors in at most ten letters. */
const FAILURES: Readonly<Record<string, string>> = {
  timeout: "timed out",
  "rate-limited": "busy",
  unauthorized: "no access",
  "unknown-model": "no model",
  "too-long": "too long",
  refused: "refused",
  "no-images": "no images",
  unavailable: "no reply",
  "bad-answer": "bad answer",
  aborted: "stopped",
};

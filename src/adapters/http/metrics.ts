/** Counters of this process, and their text for Prometheus. */
import type { Observer } from "../../app/observed.js";
import type { RoundId } from "../../domain/ids.js";
import type { Message } from "../../domain/message.js";
import type { RoundEvent } from "../../domain/round/round.js";
import { isSecretVote } from "../../domain/whyCalls.js";
import type { UsageRow } from "../../ports/storage.js";

/** What is counted at the moment of asking. */
interface Gauges {
  readonly uptimeSeconds: number;
  readonly isConnected: boolean;
  readonly roundsRunning: number;
  readonly conversationsWaiting: number;
  readonly eventReaders: number;
}

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly help: string;
  readonly values: Map<string, { readonly labels: Labels; value: number }>;
}

/** Counts what is stored. A restart begins at zero, as Prometheus expects of counters. */
export class Metrics implements Observer {
  readonly #series = new Map<string, Series>([
    ["parley_messages_total", series("Messages of people that were stored.")],
    ["parley_rounds_opened_total", series("Rounds that began.")],
    ["parley_rounds_total", series("Rounds that ended, by outcome.")],
    ["parley_posts_total", series("Messages that agents posted.")],
    ["parley_turns_failed_total", series("Turns without a reply, by cause.")],
    ["parley_model_calls_total", series("Calls of models, by purpose and outcome.")],
    ["parley_model_seconds_total", series("Time that calls of models took, by purpose.")],
    ["parley_model_tokens_total", series("Tokens of calls of models, by purpose and direction.")],
  ]);

  /** Calls of secret votes that are going on: each of them, at its time, would tell of a vote. */
  readonly #held = new Map<RoundId, UsageRow[]>();

  recorded({ author }: Message): void {
    if (author.kind !== "person") return;
    this.#add("parley_messages_total", {}, 1);
  }

  appended(events: readonly RoundEvent[], roundId: RoundId): void {
    for (const event of events) {
      if (isEndOfVote(event)) this.#release(roundId);
      if (event.type === "opened") this.#add("parley_rounds_opened_total", {}, 1);
      if (event.type === "closed") this.#add("parley_rounds_total", { outcome: event.outcome }, 1);
      if (event.type === "posted") this.#add("parley_posts_total", {}, 1);
      if (event.type === "turnFailed") {
        this.#add("parley_turns_failed_total", { failure: event.failure }, 1);
      }
    }
  }

  used(row: UsageRow): void {
    const { roundId } = row;
    if (!isSecretVote(row) || roundId === null) return this.#count(row);
    this.#held.set(roundId, [...(this.#held.get(roundId) ?? []), row]);
  }

  #release(roundId: RoundId): void {
    for (const row of this.#held.get(roundId) ?? []) this.#count(row);
    this.#held.delete(roundId);
  }

  #count({ purpose, outcome, durationMs, tokens }: UsageRow): void {
    this.#add("parley_model_calls_total", { purpose, outcome }, 1);
    this.#add("parley_model_seconds_total", { purpose }, durationMs / 1_000);
    if (tokens === null) return;
    const { inputTokens, outputTokens } = tokens;
    this.#add("parley_model_tokens_total", { purpose, direction: "input" }, inputTokens);
    this.#add("parley_model_tokens_total", { purpose, direction: "output" }, outputTokens);
  }

  /** The text format (Prometheus documentation, "Exposition formats"). */
  text(gauges: Gauges): string {
    const lines = [...this.#series].flatMap(([name, { help, values }]) => [
      ...headOf(name, help, "counter"),
      ...[...values.values()].map(({ labels, value }) => sample(name, labels, value)),
    ]);
    const gauge = (name: string, help: string, value: number) => [
      ...headOf(name, help, "gauge"),
      sample(name, {}, value),
    ];
    return [
      ...lines,
      ...gauge("parley_uptime_seconds", "Time since the start.", gauges.uptimeSeconds),
      ...gauge(
        "parley_gateway_connected",
        "Whether Discord is connected: 1, else 0.",
        Number(gauges.isConnected),
      ),
      ...gauge("parley_rounds_running", "Rounds that have not ended.", gauges.roundsRunning),
      ...gauge(
        "parley_conversations_waiting",
        "Channels and threads in which messages wait for a round.",
        gauges.conversationsWaiting,
      ),
      ...gauge("parley_event_readers", "Open streams of events.", gauges.eventReaders),
      "",
    ].join("\n");
  }

  #add(name: string, labels: Labels, value: number): void {
    const values = this.#series.get(name)?.values;
    const key = JSON.stringify(labels);
    const before = values?.get(key);
    if (before === undefined) values?.set(key, { labels, value });
    else before.value += value;
  }
}

function isEndOfVote(event: RoundEvent): boolean {
  return (
    event.type === "closed" || (event.type === "announced" && event.notice.type === "voteResult")
  );
}

function series(help: string): Series {
  return { help, values: new Map() };
}

function headOf(name: string, help: string, type: "counter" | "gauge"): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return pairs.length === 0 ? `${name} ${value}` : `${name}{${pairs.join(",")}} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** The judge's sentence for each member of a round that is over: asked for once, and kept. */
import { z } from "zod";
import { UserError } from "../domain/errors.js";
import type { AgentId, UserId } from "../domain/ids.js";
import { explainPrompt, REASON_CHARACTERS } from "../domain/prompts/explain.js";
import { judgeCorrection } from "../domain/prompts/judge.js";
import type { Round, RoundEvent } from "../domain/round/round.js";
import { shorten } from "../domain/shorten.js";
import { ModelError, type ModelMessage } from "../ports/model.js";
import { type JournalEntry, StorageError } from "../ports/storage.js";
import { assertBudget } from "./budgets.js";
import { callPatiently, Patience } from "./calls.js";
import { corrected } from "./corrected.js";
import { problemIn } from "./judge.js";
import { type Judging, judgingOf } from "./judging.js";
import type { Services } from "./services.js";

type Explained = Extract<RoundEvent, { type: "explained" }>;
type Reasons = Explained["reasons"];

/**
 * What is kept, or else what the judge says now. In a round without scores it is asked all the
 * same, about the relevance. Presses at the same time wait for one answer. Rejects with
 * `UserError` when there is nothing to explain (yet), or with `ModelError`: nothing is kept then.
 */
export function explain(services: Services, round: Round, userId: UserId): Promise<Reasons> {
  return new Promise((resolve, reject) => {
    services.mailboxes.run(round.id, async (signal) => {
      try {
        resolve(await explainOnce(services, { round, userId }, signal));
      } catch (error) {
        reject(signal.aborted ? restarting() : error);
      }
    });
  });
}

async function explainOnce(
  services: Services,
  { round, userId }: { readonly round: Round; readonly userId: UserId },
  signal: AbortSignal,
): Promise<Reasons> {
  const { storage, clock, mailboxes } = services;
  if (round.kind !== "open") {
    throw new UserError("conflict", "Nobody was judged here, so there is nothing to explain.");
  }
  const journal = await storage.rounds.journal(round.id);
  const kept = keptIn(journal);
  if (kept !== null) return kept;
  if (mailboxes.isClosing) throw restarting();
  const events = journal.map((entry) => entry.event);
  const [opening] = events;
  if (opening?.type !== "opened") throw new Error(`Round ${round.id} has no beginning.`);
  // While it runs the journal belongs to the scheduler alone.
  if (!events.some((event) => event.type === "closed")) {
    throw new UserError("conflict", "This is still going on; ask for reasons when it is over.");
  }
  if (!wasJudged(events)) {
    throw new UserError("conflict", "Nobody was judged here, so there is nothing to explain.");
  }
  const judging = await judgingOf(
    services,
    { place: round.place, triggerIds: opening.triggerIds },
    opening.members.filter((member) => !member.isMuted).map((member) => member.agentId),
  );
  if (judging.fresh.length === 0) {
    throw new UserError("conflict", "What started this is deleted, so it cannot be explained.");
  }
  if (judging.members.length === 0) {
    throw new UserError("conflict", "Every member was muted, so there is nothing to explain.");
  }
  const { guildId } = round.place;
  await assertBudget(services, { guildId, groupId: round.groupId, userId });
  const scores = scoresIn(events);
  const explained: Explained = {
    type: "explained",
    reasons: await ask(services, { round, userId, judging, scores }, signal),
  };
  try {
    await storage.rounds.append(round.id, journal.length, [explained], { atMs: clock.now() });
  } catch (error) {
    // Another process may have been faster: what it kept is shown from then on.
    const other = error instanceof StorageError ? await keptBy(services, round) : null;
    if (other === null) throw error;
    return other;
  }
  return explained.reasons;
}

async function ask(
  services: Services,
  given: {
    readonly round: Round;
    readonly userId: UserId;
    readonly judging: Judging;
    readonly scores: ReadonlyMap<AgentId, number> | null;
  },
  signal: AbortSignal,
): Promise<Reasons> {
  const { round, userId, judging, scores } = given;
  const { members } = judging;
  const { clock, settings, log } = services;
  const prompt = explainPrompt({ ...judging, scores: byName(members, scores) });
  const deadlineMs = clock.now() + settings.judgeTimeoutMs;
  const patience = new Patience();
  const messages: ModelMessage[] = [
    { role: "system", text: prompt.system },
    { role: "user", text: prompt.user },
  ];
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const timeoutMs = deadlineMs - clock.now();
    if (timeoutMs <= 0) throw new ModelError("timeout", "no time is left to ask again");
    const reply = await callPatiently(
      services,
      {
        guildId: round.place.guildId,
        groupId: round.groupId,
        roundId: round.id,
        agentId: null,
        userId,
      },
      {
        purpose: "explain",
        model: settings.judgeModel,
        messages,
        answer: { name: "reasons", schema: prompt.schema },
        timeoutMs,
        signal,
      },
      patience,
    );
    const read = readReasons(reply.text, members);
    if (read.reasons !== null) return read.reasons;
    log.warn({ roundId: round.id, problem: read.problem }, "the judge's reasons do not fit");
    messages.push(...corrected(reply.text, judgeCorrection(read.problem)));
  }
  throw new UserError("conflict", "The judge's answer could not be read; try again.");
}

/** An answer that does not fit is asked for once more. */
const MAX_ATTEMPTS = 2;

/** A sentence for every member, nothing else. */
function readReasons(
  text: string,
  members: Judging["members"],
): { readonly reasons: Reasons } | { readonly reasons: null; readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { reasons: null, problem: "it is not valid JSON." };
  }
  const parsed = z
    .strictObject(Object.fromEntries(members.map(({ name }) => [name, z.string().trim().min(1)])))
    .safeParse(json);
  if (!parsed.success) return { reasons: null, problem: problemIn(parsed.error) };
  const reasons = members.map(({ agentId, name }) => ({
    agentId,
    text: shorten((parsed.data[name] ?? "").replace(/\s+/gu, " "), REASON_CHARACTERS),
  }));
  return { reasons };
}

async function keptBy({ storage }: Services, round: Round): Promise<Reasons | null> {
  return keptIn(await storage.rounds.journal(round.id));
}

function keptIn(journal: readonly JournalEntry[]): Reasons | null {
  const events = journal.map((entry) => entry.event);
  return events.find((event) => event.type === "explained")?.reasons ?? null;
}

function scoresIn(events: readonly RoundEvent[]): ReadonlyMap<AgentId, number> | null {
  const scores = events.find((event) => event.type === "judged")?.scores ?? null;
  return scores === null ? null : new Map(scores.map(({ agentId, score }) => [agentId, score]));
}

/** Whether the judge was asked: not in a round of `/ask`, and not when everybody was named. */
export function wasJudged(events: readonly RoundEvent[]): boolean {
  return events.some((event) => event.type === "judged");
}

function byName(
  members: Judging["members"],
  scores: ReadonlyMap<AgentId, number> | null,
): ReadonlyMap<string, number> | null {
  if (scores === null) return null;
  return new Map(
    members.flatMap(({ agentId, name }) => {
      const score = scores.get(agentId);
      return score === undefined ? [] : [[name, score]];
    }),
  );
}

function restarting(): UserError {
  return new UserError("conflict", "I am being restarted; try again in a moment.");
}

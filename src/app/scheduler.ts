/**
 * The one loop: what is next, do it, write down what came of it, fold, again. A restart runs the
 * same loop over the stored journal.
 */

import type { Agent } from "../domain/agent.js";
import type { Group } from "../domain/group.js";
import type { HostedChat } from "../domain/hostedChat.js";
import { STALE_ROUND_MS } from "../domain/limits.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import { nextStep } from "../domain/round/nextStep.js";
import type { Round, RoundEvent } from "../domain/round/round.js";
import { STEPS } from "../domain/round/steps.js";
import { pauseText, statusText } from "../domain/status.js";
import { StorageError } from "../ports/storage.js";
import { expire } from "./expire.js";
import { leftTooLong } from "./floorsLeft.js";
import { hostedOpeningOf } from "./hostedOpening.js";
import { Journal } from "./journal.js";
import { directOpeningOf, openingOf } from "./opening.js";
import { lasting } from "./patientStorage.js";
import { perform } from "./perform.js";
import type { Services } from "./services.js";
import { noStatusLine, openStatusLine, type StatusLine } from "./statusLine.js";
import { ShuttingDown, StopRound } from "./stopping.js";
import { TurnTime } from "./turnTime.js";

type Opened = Extract<RoundEvent, { type: "opened" }>;

/**
 * Opens a round over these triggers, oldest first, and runs it to its end. Nothing happens when a
 * round with this trigger exists.
 */
export async function startRound(
  services: Services,
  start: { readonly group: Group; readonly place: Place; readonly triggers: readonly Message[] },
  signal: AbortSignal,
): Promise<void> {
  const { group, place, triggers } = start;
  const opened = await openingOf(services, group, triggers);
  await begin(services, { groupId: group.id, kind: group.kind, place, opened }, signal);
}

/** The same in a hosted chat. */
export async function startHostedRound(
  services: Services,
  start: {
    readonly chat: HostedChat;
    readonly place: Place;
    readonly triggers: readonly Message[];
  },
  signal: AbortSignal,
): Promise<void> {
  const { chat, place, triggers } = start;
  const opened = await hostedOpeningOf(services, chat, triggers);
  await begin(services, { groupId: chat.groupId, kind: "hosted", place, opened }, signal);
}

/**
 * The same in an agent's own channel. The triggers are of one person, or one message of an agent.
 * `isTooOld`: it has waited so long that it only ends, and those who wait for it are told.
 */
export async function startDirectRound(
  services: Services,
  start: {
    readonly agent: Agent;
    readonly place: Place;
    readonly triggers: readonly Message[];
    readonly isTooOld: boolean;
  },
  signal: AbortSignal,
  wake: Wake,
): Promise<void> {
  const { agent, place, triggers, isTooOld } = start;
  const opened = directOpeningOf(agent, triggers);
  const of = { groupId: null, kind: "direct" as const, place, opened };
  await begin(services, of, signal, { wake, isTooOld });
}

async function begin(
  services: Services,
  start: Pick<Round, "groupId" | "kind" | "place"> & { readonly opened: Opened },
  signal: AbortSignal,
  how: { readonly wake?: Wake; readonly isTooOld?: boolean } = {},
): Promise<void> {
  const { opened, ...of } = start;
  const triggerId = opened.triggerIds.at(-1);
  if (triggerId === undefined) return;
  const openedAtMs = services.clock.now();
  const round: Round = { id: services.ids.round(), ...of, triggerId, openedAtMs, closedAtMs: null };
  if (await services.storage.rounds.open(round, opened)) {
    const { id: roundId, groupId } = round;
    services.log.info({ roundId, groupId, triggers: opened.triggerIds.length }, "round opened");
    await runRound(services, round, { isResumed: false, ...how }, signal);
  } else {
    await services.storage.messages.settle(opened.triggerIds);
  }
}

/** Told of each place where a message of an agent waits for a round from now on. */
type Wake = (place: Place) => void;

/**
 * Runs a round from where its journal is to its end, or to the end of the process: then it stops
 * before the next turn, and a round that has waited for it says nothing at all: the next start takes
 * both up in their order. The first step of a resumed round may have been done already: it is in doubt.
 */
export async function runRound(
  given: Services,
  round: Round,
  options: { readonly isResumed: boolean; readonly wake?: Wake; readonly isTooOld?: boolean },
  signal: AbortSignal,
): Promise<void> {
  const services = lasting(given, round.place);
  if (services.mailboxes.isClosing) return;
  services.mailboxes.concerns(conversationOf(round.place), round.id);
  // A stop must not end this: it is written down by the steps.
  if (options.isResumed) await services.recheck.of(round.place, services.mailboxes.cutOff);
  const journal = await Journal.of(services, round);
  // For the floor that is looked at when the process starts.
  const isOld = services.clock.now() - round.openedAtMs > STALE_ROUND_MS;
  const isStale = isOld && round.kind !== "moderated";
  let isDoubtful = options.isResumed;
  if ((options.isResumed && isStale) || options.isTooOld === true) {
    isDoubtful = await expire(services, journal, { isDoubtful, wake: options.wake });
  }
  const status = services.settings.hasStatusLine ? openStatusLine(services, round) : noStatusLine;
  try {
    await runSteps(services, journal, status, {
      isDoubtful,
      signal,
      wake: options.wake,
    });
  } finally {
    await status.end();
  }
  const { closed, replies, failed } = journal.state;
  services.log.info(
    { roundId: round.id, outcome: closed, replies, failed: failed.length },
    closed === null ? "round interrupted" : "round closed",
  );
}

async function runSteps(
  services: Services,
  journal: Journal,
  status: StatusLine,
  options: {
    readonly isDoubtful: boolean;
    readonly signal: AbortSignal;
    readonly wake: Wake | undefined;
  },
): Promise<void> {
  let { isDoubtful, signal } = options;
  let shown: string | null = null;
  const turnTime = new TurnTime();
  for (;;) {
    const { round, state } = journal;
    const step = nextStep(state);
    if (step === null) return;
    if (services.mailboxes.isClosing && STEPS[step.do].isTurn) return;
    const text = statusText(step, state);
    shown = text ?? shown;
    if (text !== null) status.show(text);
    try {
      signal.throwIfAborted();
      const done = await perform(services, {
        round,
        state,
        step,
        isDoubtful,
        signal,
        turnTime,
        write: async (events) => {
          await journal.write(events);
          const progress = statusText(step, journal.state);
          if (progress !== null) status.show(progress);
        },
        current: () => journal.state,
        onPause: (pause) => {
          const held = pause === null ? shown : pauseText(pause);
          if (held !== null) status.show(held);
        },
      });
      await journal.write(done.events, done.message);
      if (done.wakes !== undefined) options.wake?.(done.wakes);
    } catch (error) {
      const { reason } = signal as { readonly reason: unknown };
      if (!(reason instanceof StopRound)) {
        if (signal.aborted || !isFault(error) || journal.state.ending !== null) throw error;
        services.log.error({ err: error, roundId: round.id, step: step.do }, "a step failed");
        await journal.write([{ type: "stopped", by: null, userId: null, why: "fault" }]);
        isDoubtful = false;
        continue;
      }
      if (error !== reason && !(error instanceof ShuttingDown)) {
        services.log.error(
          { err: error, roundId: round.id, step: step.do },
          "a stopped step failed",
        );
      }
      const stop = reason.event;
      // A stop is written down once; the line that says so must not be stopped itself.
      signal = services.mailboxes.cutOff;
      if (journal.state.ending === "stopped") {
        // The process before was stopped by the same message. What was under way may be done.
        isDoubtful = true;
        continue;
      }
      await journal.write([stop]);
    }
    isDoubtful = false;
  }
}

/** Whether something fails that nobody foresaw: whoever waits is told, and the next round may do better. */
function isFault(error: unknown): boolean {
  return !(error instanceof ShuttingDown || error instanceof StorageError);
}

/**
 * Puts every unfinished round into its mailbox; called once at start, before messages arrive.
 */
export async function resumeRounds(services: Services, wake: Wake): Promise<void> {
  const rounds = await services.storage.rounds.unfinished();
  const tooOld = await leftTooLong(services, rounds);
  for (const round of rounds) {
    services.log.info({ roundId: round.id }, "round resumed");
    const options = { isResumed: true, wake, isTooOld: tooOld.has(round.id) };
    services.mailboxes.run(conversationOf(round.place), (signal) =>
      runRound(services, round, options, signal),
    );
  }
}

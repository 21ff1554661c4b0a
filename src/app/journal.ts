import type { Message } from "../domain/message.js";
import { applyEvent, type RoundState } from "../domain/round/nextStep.js";
import type { Round, RoundEvent } from "../domain/round/round.js";
import type { JournalEntry } from "../ports/storage.js";
import { markIfGone } from "./earlyChanges.js";
import type { Services } from "./services.js";

/** A round's journal while it is written: `state` is always the fold of what is stored. */
export class Journal {
  readonly round: Round;
  readonly #services: Pick<Services, "storage" | "clock" | "earlyChanges">;
  #state: RoundState;
  #length: number;

  private constructor(
    services: Pick<Services, "storage" | "clock" | "earlyChanges">,
    round: Round,
    entries: readonly JournalEntry[],
  ) {
    this.#services = services;
    this.round = round;
    this.#length = entries.length;
    let state: RoundState | null = null;
    for (const { event } of entries) state = applyEvent(round.kind, state, event);
    if (state === null) throw new Error(`Round ${round.id} has no journal.`);
    this.#state = state;
  }

  /** Reads what is stored of a round. */
  static async of(
    services: Pick<Services, "storage" | "clock" | "earlyChanges">,
    round: Round,
  ): Promise<Journal> {
    return new Journal(services, round, await services.storage.rounds.journal(round.id));
  }

  get state(): RoundState {
    return this.#state;
  }

  /** Stores events and folds them; `message` is the one that an event made, which may be gone already. */
  async write(events: readonly RoundEvent[], message?: Message): Promise<void> {
    const atMs = this.#services.clock.now();
    await this.#services.storage.rounds.append(this.round.id, this.#length, events, {
      atMs,
      ...(message === undefined ? {} : { message }),
    });
    this.#length += events.length;
    for (const event of events) this.#state = applyEvent(this.round.kind, this.#state, event);
    if (message !== undefined) await markIfGone(this.#services, message.id);
  }
}

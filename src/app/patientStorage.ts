import type { ChannelId, RoundId } from "../domain/ids.js";
import type { Place } from "../domain/message.js";
import type { RoundStore, Storage } from "../ports/storage.js";
import type { Outage } from "./outage.js";
import type { Services } from "./services.js";

/** A storage that waits, and knows for whom. */
export interface PatientStorage extends Storage {
  /** The same for work of one conversation: people there are told when any of it has to wait. */
  at(place: Place): Storage;
}

/** What was begun in a conversation goes on with patience. */
export function lasting(services: Services, place: Place): Services {
  return { ...services, storage: storageAt(services.patientStorage, place) };
}

/** The storage for work of this conversation. */
export function storageAt(storage: Storage, place: Place): Storage {
  return "at" in storage ? (storage as PatientStorage).at(place) : storage;
}

/**
 * The same storage for everything that nobody waits for with a clock in hand: where the database
 * fails for a while, its methods wait instead of rejecting, so that a round goes on where it was.
 */
export function patientStorage(storage: Storage, outage: Outage): PatientStorage {
  const places = new Places();
  const at = (place: Place | null) => patientAt(storage, { outage, places, place });
  return { ...at(null), at };
}

function patientAt(
  storage: Storage,
  how: { readonly outage: Outage; readonly places: Places; readonly place: Place | null },
): Storage {
  const { outage, places, place } = how;
  const patient = Object.fromEntries(
    Object.entries(storage).map(([name, store]: [string, object]) => [
      name,
      patientStore(store, outage, place),
    ]),
  ) as unknown as Storage;
  return {
    ...patient,
    close: () => storage.close(),
    groups: {
      ...patient.groups,
      async byChannel(channelId) {
        const group = await outage.through(place ?? places.ofChannel(channelId), () =>
          storage.groups.byChannel(channelId),
        );
        if (group !== null) {
          places.noteChannel({ guildId: group.guildId, channelId, threadId: null });
        }
        return group;
      },
    },
    messages: {
      ...patient.messages,
      record: (message, options) =>
        outage.through(message.place, async (isRepeated) => {
          const isNew = await storage.messages.record(message, options);
          // The first try may have stored it, with nobody to tell that it waits.
          return isNew || isRepeated;
        }),
    },
    rounds: { ...patient.rounds, ...patientRounds(storage.rounds, outage, places) },
  };
}

function patientRounds(
  rounds: RoundStore,
  outage: Outage,
  places: Places,
): Pick<RoundStore, "open" | "append" | "unfinished"> {
  return {
    open(round, opened) {
      places.noteRound(round.id, round.place);
      return outage.through(round.place, async (isRepeated) => {
        if (await rounds.open(round, opened)) return true;
        return isRepeated && (await rounds.get(round.id)) !== null;
      });
    },
    async append(roundId, seq, events, options) {
      await outage.through(places.ofRound(roundId), async (isRepeated) => {
        if (isRepeated) {
          // A connection that broke leaves open whether the transaction before was completed.
          const stored = (await rounds.journal(roundId)).slice(seq).map(({ event }) => event);
          const isDone = JSON.stringify(stored) === JSON.stringify(events);
          if (isDone && events.length > 0) return;
        }
        await rounds.append(roundId, seq, events, options);
      });
      if (events.some(({ type }) => type === "closed")) places.forgetRound(roundId);
    },
    async unfinished() {
      const unfinished = await outage.through(null, () => rounds.unfinished());
      for (const { id, place } of unfinished) places.noteRound(id, place);
      return unfinished;
    },
  };
}

function patientStore<Store extends object>(
  store: Store,
  outage: Outage,
  place: Place | null,
): Store {
  const methods = Object.entries(store) as [string, (...args: unknown[]) => Promise<unknown>][];
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      (...args: unknown[]) => outage.through(place, () => method(...args)),
    ]),
  ) as Store;
}

/** Where people are told, known from the time when the database could still be asked. */
class Places {
  readonly #ofRounds = new Map<RoundId, Place>();
  readonly #ofChannels = new Map<ChannelId, Place>();

  noteRound(id: RoundId, place: Place): void {
    this.#ofRounds.set(id, place);
  }

  forgetRound(id: RoundId): void {
    this.#ofRounds.delete(id);
  }

  ofRound(id: RoundId): Place | null {
    return this.#ofRounds.get(id) ?? null;
  }

  noteChannel(place: Place): void {
    this.#ofChannels.set(place.channelId, place);
  }

  ofChannel(id: ChannelId): Place | null {
    return this.#ofChannels.get(id) ?? null;
  }
}

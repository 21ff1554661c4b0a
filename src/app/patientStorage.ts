import type { Agent } from "../domain/agent.js";
import type { Group } from "../domain/group.js";
import type { ChannelId, RoundId } from "../domain/ids.js";
import type { Place } from "../domain/message.js";
import type { RoundStore, Storage } from "../ports/storage.js";
import type { Outage } from "./outage.js";
import type { Services } from "./services.js";

/** A storage that waits, and knows for whom. */
export interface PatientStorage extends Storage {
  /** The same for work of one conversation: people there are told when any of it has to wait. */
  at(place: Place): Storage;
  /** The same for what is written somewhere, where that is heard: a channel of an agent or a group, as far as is known. */
  heardAt(place: Place): Storage;
  /** The same without patience: who gave a command is told at once. */
  readonly atOnce: Storage;
}

/** What was begun in a conversation goes on with patience. */
export function lasting(services: Services, place: Place): Services {
  return { ...services, storage: storageAt(services.patientStorage, place) };
}

/** The same for what somebody writes, wherever that is. */
export function hearing(services: Services, place: Place): Services {
  const { patientStorage: storage } = services;
  const isPatient = "heardAt" in storage;
  return isPatient
    ? { ...services, storage: (storage as PatientStorage).heardAt(place) }
    : services;
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
  const waiting = (placeNow: () => Place | null) =>
    patientAt(storage, { outage, places, placeNow });
  return {
    ...waiting(() => null),
    at: (place) => waiting(() => place),
    heardAt: (place) => waiting(() => (places.areHeard(place) ? place : null)),
    atOnce: {
      ...storage,
      close: () => storage.close(),
      agents: noting(storage.agents, places),
      groups: noting(storage.groups, places),
    },
  };
}

function patientAt(
  storage: Storage,
  how: {
    readonly outage: Outage;
    readonly places: Places;
    readonly placeNow: () => Place | null;
  },
): Storage {
  const { outage, places, placeNow } = how;
  const patient = Object.fromEntries(
    Object.entries(storage).map(([name, store]: [string, object]) => [
      name,
      patientStore(store, outage, placeNow),
    ]),
  ) as unknown as Storage;
  return {
    ...patient,
    close: () => storage.close(),
    agents: noting(patient.agents, places),
    groups: noting(patient.groups, places),
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
  placeNow: () => Place | null,
): Store {
  return wrapped(store, (_name, method, args) => outage.through(placeNow(), () => method(...args)));
}

/** Every agent or group that is read or stored says where people are heard. */
function noting<Store extends object>(store: Store, places: Places): Store {
  return wrapped(store, async (name, method, args) => {
    const result = await method(...args);
    const met = name === "create" && result === null ? args : [result];
    for (const one of met.flat() as readonly unknown[]) if (isOwner(one)) places.noteOwner(one);
    return result;
  });
}

type Owner = Pick<Agent | Group, "channelId" | "archivedAtMs">;

function isOwner(value: unknown): value is Owner {
  return (
    typeof value === "object" && value !== null && "channelId" in value && "archivedAtMs" in value
  );
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

function wrapped<Store extends object>(
  store: Store,
  call: (name: string, method: Method, args: readonly unknown[]) => Promise<unknown>,
): Store {
  const methods = Object.entries(store) as [string, Method][];
  return Object.fromEntries(
    methods.map(([name, method]) => [name, (...args: unknown[]) => call(name, method, args)]),
  ) as Store;
}

/** Where people are told, known from the time when the database could still be asked. */
class Places {
  readonly #ofRounds = new Map<RoundId, Place>();
  readonly #heard = new Set<ChannelId>();

  noteRound(id: RoundId, place: Place): void {
    this.#ofRounds.set(id, place);
  }

  forgetRound(id: RoundId): void {
    this.#ofRounds.delete(id);
  }

  ofRound(id: RoundId): Place | null {
    return this.#ofRounds.get(id) ?? null;
  }

  noteOwner({ channelId, archivedAtMs }: Owner): void {
    if (channelId === null) return;
    if (archivedAtMs === null) this.#heard.add(channelId);
    else this.#heard.delete(channelId);
  }

  areHeard({ channelId }: Place): boolean {
    return this.#heard.has(channelId);
  }
}

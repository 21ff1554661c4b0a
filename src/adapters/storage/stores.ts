import type { Storage } from "../../ports/storage.js";
import { createAgentStore } from "./agents.js";
import { createArchiveStore } from "./archive.js";
import type { Database } from "./database.js";
import { toStorageError } from "./errors.js";
import { createExchangeStore } from "./exchanges.js";
import {
  createSettingStore,
  createStatusLineStore,
  createUsageStore,
  createWebhookStore,
} from "./facts.js";
import { createFeedStore } from "./feed.js";
import { createFloorStore } from "./floors.js";
import { createGroupStore } from "./groups.js";
import { createHostedChatStore, createObeyedStore } from "./hostedChats.js";
import { createMessageStore } from "./messages.js";
import { createNewChannelStore } from "./newChannels.js";
import { createReplyChangeStore } from "./replyChanges.js";
import { createRoundStore } from "./rounds.js";
import { createWordsStore } from "./words.js";

/** The port over a database of either dialect. `label` names it in errors, without secrets. */
export function createStorage(database: Database, label: string): Storage {
  const reporting = <Store extends object>(store: Store) => withStorageErrors(store, label);
  return {
    agents: reporting(createAgentStore(database)),
    groups: reporting(createGroupStore(database)),
    archive: reporting(createArchiveStore(database)),
    newChannels: reporting(createNewChannelStore(database)),
    messages: reporting(createMessageStore(database)),
    replyChanges: reporting(createReplyChangeStore(database)),
    rounds: reporting(createRoundStore(database)),
    usage: reporting(createUsageStore(database)),
    webhooks: reporting(createWebhookStore(database)),
    statusLines: reporting(createStatusLineStore(database)),
    hostedChats: reporting(createHostedChatStore(database)),
    exchanges: reporting(createExchangeStore(database)),
    obeyed: reporting(createObeyedStore(database)),
    words: reporting(createWordsStore(database)),
    floors: reporting(createFloorStore(database)),
    feed: reporting(createFeedStore(database)),
    settings: reporting(createSettingStore(database)),
    close: () => database.close(),
  };
}

/** The same methods, rejecting with `StorageError` whatever the driver threw. */
function withStorageErrors<Store extends object>(store: Store, label: string): Store {
  const methods = Object.entries(store) as [string, (...args: unknown[]) => Promise<unknown>][];
  const reporting = methods.map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await method(...args);
      } catch (error) {
        throw toStorageError(error, label);
      }
    },
  ]);
  return Object.fromEntries(reporting) as Store;
}

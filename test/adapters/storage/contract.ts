import { afterEach, beforeEach, describe } from "vitest";
import type { Storage } from "../../../src/ports/storage.js";
import { agentStoreContract } from "./contract/agents.js";
import { archiveStoreContract } from "./contract/archive.js";
import { exchangeStoreContract } from "./contract/exchanges.js";
import { factStoresContract } from "./contract/facts.js";
import { floorStoresContract } from "./contract/floors.js";
import { groupStoreContract } from "./contract/groups.js";
import { hostedChatStoreContract } from "./contract/hostedChats.js";
import { messageStoreContract } from "./contract/messages.js";
import { newChannelStoreContract } from "./contract/newChannels.js";
import { replyChangeStoreContract } from "./contract/replyChanges.js";
import { roundStoreContract } from "./contract/rounds.js";

/** What every implementation of `Storage` does. `open` gives an empty one for each test. */
export function storageContract(name: string, open: () => Promise<Storage>): void {
  describe(name, () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(async () => {
      await storage.close();
    });
    const current = () => storage;
    describe("agents", () => agentStoreContract(current));
    describe("groups", () => groupStoreContract(current));
    describe("the archive", () => archiveStoreContract(current));
    describe("channels to be made", () => newChannelStoreContract(current));
    describe("messages", () => messageStoreContract(current));
    describe("replies to be changed", () => replyChangeStoreContract(current));
    describe("hosted chats", () => hostedChatStoreContract(current));
    describe("rounds", () => roundStoreContract(current));
    describe("messages between agents", () => exchangeStoreContract(current));
    describe("floors and the feed", () => floorStoresContract(current));
    describe("usage, webhooks and settings", () => factStoresContract(current));
  });
}

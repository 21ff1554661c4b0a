import { and, eq } from "drizzle-orm";
import { asId } from "../../domain/ids.js";
import type { Exchange, ExchangeStore } from "../../ports/exchanges.js";
import type { Database } from "./database.js";

export function createExchangeStore({ queries, tables }: Database): ExchangeStore {
  const { chainRequests, exchangeThreads } = tables;

  const isBetween = ({ agentId, otherId, channelId }: Exchange) =>
    and(
      eq(exchangeThreads.agentId, agentId),
      eq(exchangeThreads.otherId, otherId),
      eq(exchangeThreads.channelId, channelId),
    );

  return {
    async claim(chainId, key, places) {
      const taken = await queries
        .select({ key: chainRequests.key })
        .from(chainRequests)
        .where(eq(chainRequests.chainId, chainId));
      if (taken.some((row) => row.key === key)) return true;
      // Another request may take a place at the same moment: each place has one owner.
      for (let place = taken.length; place < places; place += 1) {
        const claimed = await queries
          .insert(chainRequests)
          .values({ chainId, place, key })
          .onConflictDoNothing({ target: [chainRequests.chainId, chainRequests.place] })
          .returning({ place: chainRequests.place });
        if (claimed.length > 0) return true;
      }
      return false;
    },

    async thread(between) {
      const [row] = await queries.select().from(exchangeThreads).where(isBetween(between));
      return row ? asId(row.threadId) : null;
    },

    async setThread(between, threadId) {
      const { agentId, otherId, channelId } = exchangeThreads;
      await queries
        .insert(exchangeThreads)
        .values({ ...between, threadId })
        .onConflictDoUpdate({ target: [agentId, otherId, channelId], set: { threadId } });
    },

    async ofThread(threadId) {
      const [row] = await queries
        .select()
        .from(exchangeThreads)
        .where(eq(exchangeThreads.threadId, threadId))
        .limit(1);
      if (row === undefined) return null;
      const { agentId, otherId, channelId } = row;
      return { agentId: asId(agentId), otherId: asId(otherId), channelId: asId(channelId) };
    },
  };
}

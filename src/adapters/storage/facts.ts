import { and, asc, eq, gte } from "drizzle-orm";
import { asId } from "../../domain/ids.js";
import type {
  SettingStore,
  StatusLineStore,
  UsageStore,
  WebhookStore,
} from "../../ports/storage.js";
import type { Database } from "./database.js";
import { fromUsageRow, storable, toPlace, toPlaceColumns, toUsageRow } from "./rows.js";

export function createUsageStore({ queries, tables: { usage } }: Database): UsageStore {
  return {
    async add(row) {
      await queries.insert(usage).values(toUsageRow(row));
    },
    async ofRound(roundId) {
      const rows = await queries
        .select()
        .from(usage)
        .where(eq(usage.roundId, roundId))
        .orderBy(asc(usage.atMs), asc(usage.id));
      return rows.map(fromUsageRow);
    },
    async since(guildId, sinceMs) {
      const rows = await queries
        .select()
        .from(usage)
        .where(and(eq(usage.guildId, guildId), gte(usage.atMs, sinceMs)))
        .orderBy(asc(usage.atMs), asc(usage.id));
      return rows.map(fromUsageRow);
    },
  };
}

export function createWebhookStore({ queries, tables: { webhooks } }: Database): WebhookStore {
  return {
    async get(channelId) {
      const [row] = await queries.select().from(webhooks).where(eq(webhooks.channelId, channelId));
      return row ? asId(row.webhookId) : null;
    },
    async set(channelId, webhookId) {
      await queries
        .insert(webhooks)
        .values({ channelId, webhookId })
        .onConflictDoUpdate({ target: webhooks.channelId, set: { webhookId } });
    },
    async remove(channelId) {
      await queries.delete(webhooks).where(eq(webhooks.channelId, channelId));
    },
  };
}

export function createStatusLineStore({
  queries,
  tables: { statusLines },
}: Database): StatusLineStore {
  return {
    async set({ place, buttonId, afterId, messageId }) {
      const state = { afterId, messageId };
      await queries
        .insert(statusLines)
        .values({ ...toPlaceColumns(place), buttonId, ...state })
        .onConflictDoUpdate({ target: statusLines.buttonId, set: state });
    },
    async remove(buttonId) {
      await queries.delete(statusLines).where(eq(statusLines.buttonId, buttonId));
    },
    async list() {
      const rows = await queries.select().from(statusLines);
      return rows.map((row) => ({
        place: toPlace(row),
        buttonId: row.buttonId,
        afterId: asId(row.afterId),
        messageId: row.messageId === null ? null : asId(row.messageId),
      }));
    },
  };
}

export function createSettingStore({ queries, tables: { settings } }: Database): SettingStore {
  return {
    async get(key) {
      const [row] = await queries.select().from(settings).where(eq(settings.key, key));
      return row?.value ?? null;
    },
    async set(key, value) {
      await queries
        .insert(settings)
        .values({ key, value: storable(value) })
        .onConflictDoUpdate({ target: settings.key, set: { value: storable(value) } });
    },
  };
}

import { and, asc, eq, gte, type SQLWrapper, sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/days.js";
import { asId } from "../../domain/ids.js";
import { ESTIMATE_MARK, ESTIMATED } from "../../domain/usage.js";
import type {
  SettingStore,
  StatusLineStore,
  UsageStore,
  WebhookStore,
} from "../../ports/storage.js";
import type { Database } from "./database.js";
import { fromUsageRow, storable, toPlace, toPlaceColumns, toUsageRow } from "./rows.js";

/** In the text of the query: a parameter would have no type that both databases group by. */
const MS_PER_DAY = sql.raw(String(DAY_MS));

/** PostgreSQL gives a sum as text. */
function added(what: SQLWrapper) {
  return sql<number>`coalesce(sum(${what}), 0)`.mapWith(Number);
}

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
    async sums(guildId, sinceMs, groupId) {
      const day = sql<number>`${usage.atMs} / ${MS_PER_DAY}`;
      const { groupId: group, agentId, purpose, model } = usage;
      const rows = await queries
        .select({
          day: day.mapWith(Number),
          groupId: group,
          agentId,
          purpose,
          model,
          calls: sql`count(*)`.mapWith(Number),
          failedCalls: added(
            sql`case when ${usage.outcome} in ('ok', ${ESTIMATED}) then 0 else 1 end`,
          ),
          estimatedCalls: added(
            sql`case when ${usage.outcome} like ${`%${ESTIMATE_MARK}`} then 1 else 0 end`,
          ),
          inputTokens: added(usage.inputTokens),
          outputTokens: added(usage.outputTokens),
          cachedTokens: added(usage.cachedTokens),
        })
        .from(usage)
        .where(
          and(
            eq(usage.guildId, guildId),
            gte(usage.atMs, sinceMs),
            ...(groupId === null ? [] : [eq(group, groupId)]),
          ),
        )
        .groupBy(day, group, agentId, purpose, model);
      return rows.map(({ day: number, ...row }) => ({
        ...row,
        groupId: row.groupId === null ? null : asId(row.groupId),
        agentId: row.agentId === null ? null : asId(row.agentId),
        dayMs: number * DAY_MS,
      }));
    },
    async spent({ guildId, groupId, userId }, sinceMs) {
      const tokens = sql`coalesce(${usage.inputTokens}, 0) + coalesce(${usage.outputTokens}, 0)`;
      const [row] = await queries
        .select({
          server: added(tokens),
          group: added(sql`case when ${usage.groupId} = ${groupId} then ${tokens} else 0 end`),
          person: added(sql`case when ${usage.userId} = ${userId} then ${tokens} else 0 end`),
        })
        .from(usage)
        .where(and(eq(usage.guildId, guildId), gte(usage.atMs, sinceMs)));
      return row ?? { server: 0, group: 0, person: 0 };
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

import { asc, eq, like } from "drizzle-orm";
import type { ReplyChange, ReplyChangeStore } from "../../ports/replyChanges.js";
import type { Database } from "./database.js";
import { storable } from "./rows.js";

const PREFIX = "reply-change:";

/** Kept among the small facts: there is hardly ever one of them. */
export function createReplyChangeStore({
  queries,
  tables: { settings },
}: Database): ReplyChangeStore {
  return {
    async plan({ id, ...rest }) {
      const value = storable(JSON.stringify(rest));
      await queries
        .insert(settings)
        .values({ key: PREFIX + id, value })
        .onConflictDoUpdate({ target: settings.key, set: { value } });
    },
    async list() {
      const rows = await queries
        .select()
        .from(settings)
        .where(like(settings.key, `${PREFIX}%`))
        .orderBy(asc(settings.key));
      return rows.map(({ key, value }) => ({
        ...(JSON.parse(value) as Omit<ReplyChange, "id">),
        id: key.slice(PREFIX.length),
      }));
    },
    async settle(id) {
      await queries.delete(settings).where(eq(settings.key, PREFIX + id));
    },
  };
}

import { randomUUID } from "node:crypto";
import { asc, eq, like } from "drizzle-orm";
import { asId } from "../../domain/ids.js";
import type { NewChannel } from "../../ports/chat.js";
import type { NewChannelStore, PlannedChannel } from "../../ports/newChannels.js";
import type { Database } from "./database.js";
import { storable } from "./rows.js";

const PREFIX = "planned-channel:";

/** Kept among the small facts: there is hardly ever one of them. */
export function createNewChannelStore({
  queries,
  tables: { settings },
}: Database): NewChannelStore {
  async function put({ id, ...rest }: PlannedChannel): Promise<void> {
    const value = storable(JSON.stringify(rest));
    await queries
      .insert(settings)
      .values({ key: PREFIX + id, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } });
  }

  return {
    async plan(wanted, atMs) {
      const id = randomUUID();
      await put({ id, wanted, atMs, channelId: null });
      return id;
    },
    keep: (planned, channelId) => put({ ...planned, channelId }),
    async list(guildId) {
      const rows = await queries
        .select()
        .from(settings)
        .where(like(settings.key, `${PREFIX}%`))
        .orderBy(asc(settings.key));
      return rows
        .map(({ key, value }) => fromRow(key, value))
        .filter(({ wanted }) => guildId === null || wanted.guildId === guildId);
    },
    async settle(id) {
      const gone = await queries
        .delete(settings)
        .where(eq(settings.key, PREFIX + id))
        .returning({ key: settings.key });
      return gone.length > 0;
    },
  };
}

function fromRow(key: string, value: string): PlannedChannel {
  const stored = JSON.parse(value) as {
    readonly wanted: NewChannel;
    readonly atMs: number;
    readonly channelId: string | null;
  };
  const channelId =
    stored.channelId === null
      ? null
      : asId<NonNullable<PlannedChannel["channelId"]>>(stored.channelId);
  return { id: key.slice(PREFIX.length), wanted: stored.wanted, atMs: stored.atMs, channelId };
}

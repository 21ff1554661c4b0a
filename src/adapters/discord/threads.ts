import {
  type APIThreadChannel,
  ChannelType,
  type Client,
  PermissionFlagsBits,
  type REST,
  RESTJSONErrorCodes,
  type RESTPatchAPIChannelJSONBody,
  type RESTPostAPIChannelThreadsJSONBody,
  type RESTPostAPIChannelThreadsResult,
  Routes,
  ThreadAutoArchiveDuration,
} from "discord.js";
import { asId, type ChannelId, type ThreadId } from "../../domain/ids.js";
import { type Chat, ChatError } from "../../ports/chat.js";
import type { Clock, Log } from "../../ports/system.js";
import { attempt, jsonOf, madeOf, withShortPauses } from "./attempt.js";
import { forbidden, hasCode } from "./errors.js";

const NEEDED = [
  [PermissionFlagsBits.ViewChannel, "View Channel"],
  [PermissionFlagsBits.CreatePublicThreads, "Create Public Threads"],
] as const;
const MAKING = { hasEffect: true, needs: NEEDED.map(([, name]) => name).join(" and ") };
const RENAMING = { hasEffect: false, needs: "Manage Threads" };
const LOOKING = { hasEffect: false, needs: "View Channel" };

/** Threads under the channels of agents. */
export function createThreads({
  client,
  sender,
  clock,
  log,
}: {
  readonly client: Client<true>;
  readonly sender: REST;
  readonly clock: Clock;
  readonly log: Log;
}): Pick<Chat, "openThread"> {
  /** Also when it is archived: whoever writes there opens it again. Null: it is none to write in. */
  async function usable(
    threadId: ThreadId,
    channelId: ChannelId,
  ): Promise<APIThreadChannel | null> {
    return attempt(LOOKING, undefined, async () => {
      try {
        const thread = await jsonOf<APIThreadChannel>(sender.get(Routes.channel(threadId)));
        const isOpen = thread.parent_id === channelId && thread.thread_metadata?.locked !== true;
        return isOpen ? thread : null;
      } catch (error) {
        if (hasCode(error, RESTJSONErrorCodes.UnknownChannel, RESTJSONErrorCodes.MissingAccess)) {
          return null;
        }
        throw error;
      }
    });
  }

  /** Its maker may; Discord takes two names in ten minutes, and a thread is useful with an old one. */
  async function rename(threadId: ThreadId, name: string): Promise<void> {
    // One that is archived can be changed only together with this (Discord API, "Modify Channel").
    const body: RESTPatchAPIChannelJSONBody = { name, archived: false };
    try {
      await attempt(RENAMING, undefined, () => sender.patch(Routes.channel(threadId), { body }));
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      log.warn({ err: error, threadId }, "a thread keeps its old name for now");
    }
  }

  /** What the bot lacks to make one there; both where that is not known. */
  function missingIn(channelId: ChannelId): string {
    const channel = client.channels.cache.get(channelId);
    if (channel === undefined || channel.isDMBased()) return MAKING.needs;
    const permissions = channel.permissionsFor(client.user);
    if (permissions === null) return MAKING.needs;
    const missing = NEEDED.filter(([flag]) => !permissions.has(flag)).map(([, name]) => name);
    return missing.length === 0 ? MAKING.needs : missing.join(" and ");
  }

  function ownNamed(channelId: ChannelId, name: string): ThreadId | null {
    const found = client.channels.cache.find(
      (channel) =>
        channel.isThread() &&
        channel.parentId === channelId &&
        channel.name === name &&
        channel.ownerId === client.user.id &&
        channel.archived !== true,
    );
    return found === undefined ? null : asId(found.id);
  }

  return {
    async openThread({ channelId, name, known }) {
      const thread = known === null ? null : await usable(known, channelId);
      if (known !== null && thread !== null) {
        if (thread.name !== name) await rename(known, name);
        return known;
      }
      const own = ownNamed(channelId, name);
      if (own !== null) return own;
      const body: RESTPostAPIChannelThreadsJSONBody = {
        name,
        type: ChannelType.PublicThread,
        // A week, the longest there is (Discord API, "Start Thread without Message").
        auto_archive_duration: ThreadAutoArchiveDuration.OneWeek,
      };
      try {
        const thread = await withShortPauses(clock, undefined, () =>
          attempt(MAKING, undefined, () =>
            madeOf<RESTPostAPIChannelThreadsResult>(
              sender.post(Routes.threads(channelId), { body }),
            ),
          ),
        );
        return asId(thread.id);
      } catch (error) {
        // The event that tells of it may have come although the answer did not.
        const made = ownNamed(channelId, name);
        if (!(error instanceof ChatError)) throw error;
        if (error.kind === "forbidden") throw forbidden(missingIn(channelId), error.cause);
        if (error.kind !== "unknown" || made === null) throw error;
        return made;
      }
    },
  };
}

import { ChannelType, GatewayDispatchEvents, PermissionFlagsBits } from "discord-api-types/v10";
import { refusal } from "../errors.js";
import { viewThread, viewThreadMember } from "./channelViews.js";
import { channelPermissions, has } from "./permissions.js";
import type { ThreadRecord } from "./records.js";
import type { World } from "./world.js";

export interface ThreadChange {
  readonly name?: string;
  readonly archived?: boolean;
  readonly locked?: boolean;
  readonly invitable?: boolean;
  readonly slowmodeSeconds?: number;
  readonly autoArchiveMinutes?: ThreadRecord["autoArchiveMinutes"];
}

export function updateThread(world: World, thread: ThreadRecord, change: ThreadChange): void {
  if (change.archived !== undefined && change.archived !== thread.archived) {
    thread.archiveTimestampMs = world.clock.now();
  }
  thread.name = change.name ?? thread.name;
  thread.archived = change.archived ?? thread.archived;
  thread.locked = change.locked ?? thread.locked;
  thread.invitable = change.invitable ?? thread.invitable;
  thread.slowmodeSeconds = change.slowmodeSeconds ?? thread.slowmodeSeconds;
  thread.autoArchiveMinutes = change.autoArchiveMinutes ?? thread.autoArchiveMinutes;
  world.dispatch(
    { t: GatewayDispatchEvents.ThreadUpdate, d: viewThread(thread) },
    thread.guildId,
    thread.id,
  );
}

/** Sending opens an archived thread again unless it is locked. */
export function reopenForMessage(
  world: World,
  thread: ThreadRecord,
  sender: { readonly kind: string; readonly userId?: string },
): void {
  const userId = sender.userId ?? world.application.botUserId;
  if (thread.locked && !mayManage(world, thread, userId)) throw refusal("threadLocked");
  if (thread.archived) updateThread(world, thread, { archived: false });
  if (sender.userId !== undefined) joinThread(world, thread, sender.userId);
}

export function joinThread(world: World, thread: ThreadRecord, userId: string): void {
  if (thread.members.has(userId)) return;
  thread.members.set(userId, world.clock.now());
  if (thread.type === ChannelType.PrivateThread && userId === world.application.botUserId) {
    // Until now the application knew nothing of it:
    // https://docs.discord.com/developers/events/gateway-events#thread-create
    world.dispatch(
      {
        t: GatewayDispatchEvents.ThreadCreate,
        d: { ...viewThread(thread), member: viewThreadMember(thread, userId) },
      },
      thread.guildId,
      thread.id,
    );
  }
  publishMembers(world, thread, [userId], []);
}

export function leaveThread(world: World, thread: ThreadRecord, userId: string): void {
  if (!thread.members.delete(userId)) return;
  publishMembers(world, thread, [], [userId]);
}

export function mayManage(world: World, thread: ThreadRecord, userId: string): boolean {
  return has(channelPermissions(world, thread, userId), PermissionFlagsBits.ManageThreads);
}

/** Sent by Discord; the types make it a full presence. */
const ABSENT = { presence: null };

function publishMembers(
  world: World,
  thread: ThreadRecord,
  addedIds: readonly string[],
  removedIds: readonly string[],
): void {
  world.dispatch(
    {
      t: GatewayDispatchEvents.ThreadMembersUpdate,
      d: {
        id: thread.id,
        guild_id: thread.guildId,
        member_count: Math.min(thread.members.size, 50),
        added_members: addedIds.map((id) => ({
          ...viewThreadMember(thread, id),
          ...ABSENT,
        })),
        removed_member_ids: [...removedIds],
      },
    },
    thread.guildId,
    thread.id,
  );
}

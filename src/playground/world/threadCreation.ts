import { ChannelType, GatewayDispatchEvents, MessageType } from "discord-api-types/v10";
import { refusal } from "../errors.js";
import { forgetThread } from "./channels.js";
import { viewThread, viewThreadMember } from "./channelViews.js";
import { EMPTY_DRAFT, postMessage, publishMessage } from "./messages.js";
import type { ChannelRecord, MessageRecord, ThreadRecord } from "./records.js";
import type { World } from "./world.js";

export interface NewThread {
  readonly name: string;
  readonly ownerId: string;
  readonly type: ThreadRecord["type"];
  readonly autoArchiveMinutes: ThreadRecord["autoArchiveMinutes"];
  readonly invitable?: boolean;
  readonly slowmodeSeconds?: number;
  /** The message that the thread grows from; it gives the thread its id. */
  readonly startMessage?: MessageRecord;
}

export function createThread(world: World, parent: ChannelRecord, wanted: NewThread): ThreadRecord {
  const { startMessage } = wanted;
  if (startMessage && world.channels.has(startMessage.id)) throw refusal("threadExists");
  const nowMs = world.clock.now();
  const thread: ThreadRecord = {
    kind: "thread",
    id: startMessage?.id ?? world.ids.next(),
    guildId: parent.guildId,
    type: wanted.type,
    parentId: parent.id,
    ownerId: wanted.ownerId,
    name: wanted.name,
    archived: false,
    locked: false,
    invitable: wanted.invitable ?? true,
    autoArchiveMinutes: wanted.autoArchiveMinutes,
    archiveTimestampMs: nowMs,
    createdAtMs: nowMs,
    slowmodeSeconds: wanted.slowmodeSeconds ?? 0,
    members: new Map([[wanted.ownerId, nowMs]]),
    messageCount: 0,
    totalMessageSent: 0,
    lastMessageId: null,
  };
  world.channels.set(thread.id, thread);
  const joined = viewThreadMember(thread, wanted.ownerId);
  world.dispatch(
    {
      t: GatewayDispatchEvents.ThreadCreate,
      d: { ...viewThread(thread), member: joined, newly_created: true },
    },
    thread.guildId,
    thread.id,
  );
  if (startMessage) {
    startMessage.threadId = thread.id;
    startMessage.flags |= 1 << 5;
    publishMessage(world, startMessage, GatewayDispatchEvents.MessageUpdate);
    postStarter(world, thread, startMessage);
  } else if (wanted.type !== ChannelType.PrivateThread) {
    announce(world, parent, thread);
  }
  return thread;
}

export function deleteThread(world: World, thread: ThreadRecord): void {
  const { id, guildId, parentId, type } = thread;
  // Published first: whoever could see the thread must still be known.
  world.dispatch(
    {
      t: GatewayDispatchEvents.ThreadDelete,
      d: { id, guild_id: guildId, parent_id: parentId, type },
    },
    guildId,
    id,
  );
  forgetThread(world, thread);
}

/** The first entry of a thread that grew from a message: no text of its own. */
function postStarter(world: World, thread: ThreadRecord, start: MessageRecord): void {
  postMessage(world, thread, { kind: "user", userId: thread.ownerId }, EMPTY_DRAFT, {
    type: MessageType.ThreadStarterMessage,
    reference: { channelId: start.channelId, messageId: start.id },
  });
  thread.messageCount -= 1;
  thread.totalMessageSent -= 1;
}

/** The notice in the parent channel; its reference points at the thread. */
function announce(world: World, parent: ChannelRecord, thread: ThreadRecord): void {
  postMessage(
    world,
    parent,
    { kind: "user", userId: thread.ownerId },
    { ...EMPTY_DRAFT, content: thread.name },
    {
      type: MessageType.ThreadCreated,
      reference: { channelId: thread.id, messageId: thread.id },
    },
  );
}

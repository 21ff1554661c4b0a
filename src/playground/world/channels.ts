import { ChannelType, GatewayDispatchEvents } from "discord-api-types/v10";
import { type FieldError, invalidField, invalidForm, refusal } from "../errors.js";
import { viewPlainChannel } from "./channelViews.js";
import type {
  ChannelRecord,
  GuildRecord,
  OverwriteRecord,
  PlainChannelType,
  ThreadRecord,
} from "./records.js";
import { isoTime } from "./views.js";
import type { World } from "./world.js";

const MAX_CHANNELS = 500;
const MAX_IN_CATEGORY = 50;
const MAX_OVERWRITES = 1000;
const MAX_WEBHOOKS = 15;

export interface NewChannel {
  readonly name: string;
  readonly type: PlainChannelType;
  readonly topic?: string | null;
  readonly parentId?: string | null;
  readonly position?: number;
  readonly nsfw?: boolean;
  readonly slowmodeSeconds?: number;
  readonly overwrites?: readonly OverwriteRecord[];
  /** No event: the server itself is still being made. */
  readonly quiet?: boolean;
}

export type ChannelChange = Partial<Omit<NewChannel, "type" | "quiet">>;

/** Lower case, white space to single hyphens, punctuation gone; categories and voice keep theirs. */
export function normaliseChannelName(name: string, type: PlainChannelType): string {
  const trimmed = name.trim();
  if (type === ChannelType.GuildCategory || type === ChannelType.GuildVoice) return trimmed;
  return trimmed
    .toLowerCase()
    .replace(/[\s-]+/gu, "-")
    .replace(/[!-,./:-@[-^`{-~]/g, "")
    .replace(/-+/g, "-")
    .replace(/^-+|-+$/g, "");
}

export function createChannel(world: World, guild: GuildRecord, wanted: NewChannel): ChannelRecord {
  if (world.channelsOf(guild.id).length >= MAX_CHANNELS) throw refusal("tooManyChannels");
  checkChange(world, guild, wanted, wanted.type);
  const channel: ChannelRecord = {
    kind: "channel",
    id: world.ids.next(),
    guildId: guild.id,
    type: wanted.type,
    name: normaliseChannelName(wanted.name, wanted.type),
    topic: wanted.topic || null,
    parentId: wanted.parentId ?? null,
    position: wanted.position ?? nextPosition(world, guild),
    nsfw: wanted.nsfw ?? false,
    slowmodeSeconds: wanted.slowmodeSeconds ?? 0,
    overwrites: new Map((wanted.overwrites ?? inherited(world, wanted)).map((o) => [o.id, o])),
    lastMessageId: null,
  };
  world.channels.set(channel.id, channel);
  if (!wanted.quiet) publishChannel(world, channel, GatewayDispatchEvents.ChannelCreate);
  return channel;
}

export function updateChannel(
  world: World,
  guild: GuildRecord,
  channel: ChannelRecord,
  change: ChannelChange,
): void {
  checkChange(world, guild, change, channel.type, channel);
  if (change.name !== undefined) channel.name = normaliseChannelName(change.name, channel.type);
  if (change.topic !== undefined) channel.topic = change.topic || null;
  if (change.parentId !== undefined) channel.parentId = change.parentId;
  if (change.position !== undefined) channel.position = change.position;
  if (change.nsfw !== undefined) channel.nsfw = change.nsfw;
  if (change.slowmodeSeconds !== undefined) channel.slowmodeSeconds = change.slowmodeSeconds;
  if (change.overwrites) channel.overwrites = new Map(change.overwrites.map((o) => [o.id, o]));
  publishChannel(world, channel, GatewayDispatchEvents.ChannelUpdate);
}

/** Children of a category stay, without a parent; threads go with their channel. */
export function deleteChannel(world: World, channel: ChannelRecord): void {
  for (const child of world.channelsOf(channel.guildId)) {
    if (child.parentId !== channel.id) continue;
    child.parentId = null;
    publishChannel(world, child, GatewayDispatchEvents.ChannelUpdate);
  }
  for (const thread of world.threadsOf(channel.guildId)) {
    if (thread.parentId === channel.id) forgetThread(world, thread);
  }
  for (const webhook of webhooksIn(world, channel.id)) {
    world.webhooks.delete(webhook.id);
  }
  world.channels.delete(channel.id);
  world.messages.delete(channel.id);
  publishChannel(world, channel, GatewayDispatchEvents.ChannelDelete);
}

export function setOverwrite(world: World, channel: ChannelRecord, record: OverwriteRecord): void {
  if (!channel.overwrites.has(record.id) && channel.overwrites.size >= MAX_OVERWRITES) {
    throw invalidField("permission_overwrites", "BASE_TYPE_MAX_LENGTH", "Too many overwrites.");
  }
  channel.overwrites.set(record.id, record);
  publishChannel(world, channel, GatewayDispatchEvents.ChannelUpdate);
}

export function deleteOverwrite(world: World, channel: ChannelRecord, id: string): void {
  channel.overwrites.delete(id);
  publishChannel(world, channel, GatewayDispatchEvents.ChannelUpdate);
}

export function forgetThread(world: World, thread: ThreadRecord): void {
  world.channels.delete(thread.id);
  world.messages.delete(thread.id);
}

export function webhooksIn(world: World, channelId: string) {
  return [...world.webhooks.values()].filter((webhook) => webhook.channelId === channelId);
}

export function checkWebhookRoom(world: World, channelId: string): void {
  if (webhooksIn(world, channelId).length >= MAX_WEBHOOKS) throw refusal("tooManyWebhooks");
}

export function publishPins(world: World, channel: { id: string; guildId: string }): void {
  world.dispatch(
    {
      t: GatewayDispatchEvents.ChannelPinsUpdate,
      d: {
        guild_id: channel.guildId,
        channel_id: channel.id,
        last_pin_timestamp: isoTime(world.clock.now()),
      },
    },
    channel.guildId,
    channel.id,
  );
}

function checkChange(
  world: World,
  guild: GuildRecord,
  change: Partial<NewChannel>,
  type: PlainChannelType,
  current?: ChannelRecord,
): void {
  const errors: FieldError[] = [];
  const wrong = (path: string, code: string, message: string) =>
    errors.push({ path, code, message });
  if (change.name !== undefined) {
    if (change.name.length < 1 || change.name.length > 100) {
      wrong("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
    } else if (normaliseChannelName(change.name, type) === "") {
      wrong("name", "BASE_TYPE_REQUIRED", "This field is required");
    }
  }
  if ((change.topic?.length ?? 0) > 1024) {
    wrong("topic", "BASE_TYPE_BAD_LENGTH", "Must be between 0 and 1024 in length.");
  }
  const slowmode = change.slowmodeSeconds ?? 0;
  if (slowmode < 0 || slowmode > 21_600) {
    wrong(
      "rate_limit_per_user",
      "NUMBER_TYPE_MAX",
      "int value should be less than or equal to 21600.",
    );
  }
  if (change.parentId && change.parentId !== current?.parentId) {
    const parent = world.channels.get(change.parentId);
    if (!parent || parent.guildId !== guild.id) {
      wrong("parent_id", "CHANNEL_PARENT_INVALID", "Category does not exist");
    } else if (parent.kind !== "channel" || parent.type !== ChannelType.GuildCategory) {
      wrong("parent_id", "CHANNEL_PARENT_INVALID_TYPE", "Not a category");
    } else if (type === ChannelType.GuildCategory) {
      wrong("parent_id", "CHANNEL_PARENT_INVALID", "Categories cannot have subcategories");
    } else if (childrenOf(world, parent).length >= MAX_IN_CATEGORY) {
      wrong(
        "parent_id",
        "CHANNEL_PARENT_MAX_CHANNELS",
        "Maximum number of channels in category reached (50)",
      );
    }
  }
  if ((change.overwrites?.length ?? 0) > MAX_OVERWRITES) {
    wrong("permission_overwrites", "BASE_TYPE_MAX_LENGTH", "Must be 1000 or fewer in length.");
  }
  if (errors.length > 0) throw invalidForm(errors);
  const name = change.name?.toLowerCase() ?? "";
  if (world.wordFilters.channelNames.some((word) => name.includes(word))) {
    throw refusal("bannedWords");
  }
}

function childrenOf(world: World, category: ChannelRecord): ChannelRecord[] {
  return world.channelsOf(category.guildId).filter((child) => child.parentId === category.id);
}

/** Without overwrites of its own a channel starts in step with its category. */
function inherited(world: World, wanted: NewChannel): OverwriteRecord[] {
  const parent = wanted.parentId ? world.channels.get(wanted.parentId) : undefined;
  return parent?.kind === "channel" ? [...parent.overwrites.values()] : [];
}

function nextPosition(world: World, guild: GuildRecord): number {
  return world.channelsOf(guild.id).reduce((most, other) => Math.max(most, other.position + 1), 0);
}

function publishChannel(
  world: World,
  channel: ChannelRecord,
  t:
    | GatewayDispatchEvents.ChannelCreate
    | GatewayDispatchEvents.ChannelUpdate
    | GatewayDispatchEvents.ChannelDelete,
): void {
  world.dispatch(
    { t, d: viewPlainChannel(channel) } as Parameters<World["dispatch"]>[0],
    channel.guildId,
  );
}

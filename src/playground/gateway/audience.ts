import { GatewayDispatchEvents as Event, GatewayIntentBits as Intent } from "discord-api-types/v10";
import { hideContent, isContentFree } from "../world/messageViews.js";
import { canSee } from "../world/permissions.js";
import type { Dispatch, World, WorldEvent } from "../world/world.js";
import { hasIntent, isWanted } from "./intents.js";

/** The event as a session with these intents gets it, or undefined when it gets nothing. */
export function forSession(world: World, event: WorldEvent, intents: number): Dispatch | undefined {
  if (event.kind !== "dispatch") return undefined;
  const { dispatch } = event;
  const guild = world.guilds.get(event.guildId);
  const botId = world.application.botUserId;
  const isFarewell = dispatch.t === Event.GuildDelete;
  if (!isFarewell && (!guild?.members.has(botId) || guild.unavailable)) return undefined;
  if (!isWanted(intents, dispatch.t) && !concernsBot(dispatch, botId)) return undefined;
  if (event.channelId !== null) {
    const channel = world.channels.get(event.channelId);
    if (channel && !canSee(world, channel, botId)) return undefined;
  }
  if (dispatch.t === Event.GuildCreate) return trimGuild(world, dispatch, intents, botId);
  const isMessage = dispatch.t === Event.MessageCreate || dispatch.t === Event.MessageUpdate;
  if (isMessage && !hasIntent(intents, Intent.MessageContent)) {
    if (isContentFree(world, dispatch.d)) return dispatch;
    return { t: dispatch.t, d: hideContent(dispatch.d) };
  }
  return dispatch;
}

/** The bot hears of its own membership without the members intent. */
function concernsBot(dispatch: Dispatch, botId: string): boolean {
  if (dispatch.t === Event.GuildMemberUpdate) return dispatch.d.user.id === botId;
  if (dispatch.t !== Event.ThreadMembersUpdate) return false;
  const added = dispatch.d.added_members?.some((member) => member.user_id === botId) === true;
  return added || dispatch.d.removed_member_ids?.includes(botId) === true;
}

/** Without the members intent only the bot's own member; only threads that it can see. */
function trimGuild(
  world: World,
  dispatch: Dispatch & { readonly t: Event.GuildCreate },
  intents: number,
  botId: string,
): Dispatch {
  const members = hasIntent(intents, Intent.GuildMembers)
    ? dispatch.d.members
    : dispatch.d.members.filter((member) => member.user.id === botId);
  const threads = dispatch.d.threads.filter((thread) => {
    const record = world.channels.get(thread.id);
    return record !== undefined && canSee(world, record, botId);
  });
  return { t: Event.GuildCreate, d: { ...dispatch.d, members, threads } };
}

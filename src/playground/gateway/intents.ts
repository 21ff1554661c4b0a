import { GatewayDispatchEvents as Event, GatewayIntentBits as Intent } from "discord-api-types/v10";

/** The intent that an event needs; events that are missing here are always sent. */
const NEEDED: Readonly<Partial<Record<Event, Intent>>> = {
  [Event.GuildCreate]: Intent.Guilds,
  [Event.GuildUpdate]: Intent.Guilds,
  [Event.GuildDelete]: Intent.Guilds,
  [Event.GuildRoleCreate]: Intent.Guilds,
  [Event.GuildRoleUpdate]: Intent.Guilds,
  [Event.GuildRoleDelete]: Intent.Guilds,
  [Event.ChannelCreate]: Intent.Guilds,
  [Event.ChannelUpdate]: Intent.Guilds,
  [Event.ChannelDelete]: Intent.Guilds,
  [Event.ChannelPinsUpdate]: Intent.Guilds,
  [Event.ThreadCreate]: Intent.Guilds,
  [Event.ThreadUpdate]: Intent.Guilds,
  [Event.ThreadDelete]: Intent.Guilds,
  [Event.ThreadMembersUpdate]: Intent.GuildMembers,
  [Event.GuildMemberAdd]: Intent.GuildMembers,
  [Event.GuildMemberUpdate]: Intent.GuildMembers,
  [Event.GuildMemberRemove]: Intent.GuildMembers,
  [Event.WebhooksUpdate]: Intent.GuildWebhooks,
  [Event.MessageCreate]: Intent.GuildMessages,
  [Event.MessageUpdate]: Intent.GuildMessages,
  [Event.MessageDelete]: Intent.GuildMessages,
  [Event.MessageDeleteBulk]: Intent.GuildMessages,
  [Event.MessageReactionAdd]: Intent.GuildMessageReactions,
  [Event.MessageReactionRemove]: Intent.GuildMessageReactions,
  [Event.MessageReactionRemoveAll]: Intent.GuildMessageReactions,
  [Event.MessageReactionRemoveEmoji]: Intent.GuildMessageReactions,
  [Event.TypingStart]: Intent.GuildMessageTyping,
};

/** Intents that must be switched on for an application before it may ask for them. */
export const PRIVILEGED: number =
  Intent.GuildMembers | Intent.GuildPresences | Intent.MessageContent;

const KNOWN: number = Object.values(Intent).reduce<number>(
  (all, bit) => (typeof bit === "number" ? all | bit : all),
  0,
);

export function hasIntent(intents: number, wanted: Intent): boolean {
  return (intents & wanted) !== 0;
}

export function areKnownIntents(intents: number): boolean {
  return Number.isInteger(intents) && intents >= 0 && (intents & ~KNOWN) === 0;
}

export function isWanted(intents: number, event: Event): boolean {
  const needed = NEEDED[event];
  return needed === undefined || hasIntent(intents, needed);
}

/** What `npm run doctor` asks Discord, over REST alone: nothing is changed, no connection is opened. */
import {
  type APIApplication,
  type APIUser,
  ApplicationFlags,
  ApplicationFlagsBitField,
  PermissionFlagsBits,
  PermissionsBitField,
  type PermissionsString,
  type RESTAPIPartialCurrentUserGuild,
  Routes,
} from "discord.js";
import { ChatError } from "../../ports/chat.js";
import type { Log } from "../../ports/system.js";
import { channelRights } from "./channelRights.js";
import { chatErrorOf } from "./errors.js";
import { createSender } from "./rest.js";

/** What the bot needs in a server, and no more. */
const NEEDED_PERMISSIONS = [
  "ViewChannel",
  "SendMessages",
  "SendMessagesInThreads",
  "CreatePublicThreads",
  "ReadMessageHistory",
  "ManageWebhooks",
  "ManageChannels",
  "EmbedLinks",
  "AttachFiles",
] as const satisfies readonly PermissionsString[];

/** The same as Discord counts them. */
export const NEEDED_BITS: bigint = NEEDED_PERMISSIONS.reduce(
  (sum, name) => sum | PermissionFlagsBits[name],
  0n,
);

export interface Checkup {
  readonly botName: string;
  readonly applicationId: string;
  readonly hasMessageContent: boolean;
  readonly servers: readonly {
    readonly id: string;
    readonly name: string;
    /** As Discord's settings call them; empty when nothing is missing. */
    readonly missing: readonly string[];
    /** Channels of agents and groups that take away what the server gives. */
    readonly channels: readonly { readonly name: string; readonly missing: readonly string[] }[];
  }[];
}

/** Rejects with `ChatError`; its detail says what stands in the way. */
export async function checkDiscord(options: {
  readonly token: string;
  readonly apiUrl: string | null;
  readonly log: Log;
  /** Of the agents and groups of a server. */
  readonly channelsOf: (guildId: string) => Promise<readonly string[]>;
}): Promise<Checkup> {
  const rest = createSender(options);
  const serverOf = async (guild: RESTAPIPartialCurrentUserGuild, botId: string) => {
    const missing = missingIn(BigInt(guild.permissions));
    const rights = await channelRights(rest, guild, botId, await options.channelsOf(guild.id));
    const channels = rights.map(({ name, permissions }) => ({
      name,
      missing: missingIn(permissions).filter((one) => !missing.includes(one)),
    }));
    const lacking = channels.filter((channel) => channel.missing.length > 0);
    return { id: guild.id, name: guild.name, missing, channels: lacking };
  };
  try {
    const user = (await rest.get(Routes.user())) as APIUser;
    const application = (await rest.get(Routes.currentApplication())) as APIApplication;
    const guilds = (await rest.get(Routes.userGuilds())) as RESTAPIPartialCurrentUserGuild[];
    const servers: Checkup["servers"][number][] = [];
    for (const guild of guilds) servers.push(await serverOf(guild, user.id));
    const flags = new ApplicationFlagsBitField(application.flags ?? 0);
    return {
      botName: user.username,
      applicationId: application.id,
      // Granted to large bots after a review, else switched on in the developer portal.
      hasMessageContent: flags.any([
        ApplicationFlags.GatewayMessageContent,
        ApplicationFlags.GatewayMessageContentLimited,
      ]),
      servers,
    };
  } catch (error) {
    const problem = chatErrorOf(error, { hasEffect: false, needs: "access" });
    if (problem.kind !== "logged-out") throw problem;
    throw new ChatError("logged-out", "Discord does not accept DISCORD_TOKEN.", { cause: error });
  }
}

/** The address that invites the bot with exactly the permissions that it needs. */
export function invitationLink(applicationId: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=bot+applications.commands&permissions=${NEEDED_BITS}`;
}

function missingIn(permissions: bigint): readonly string[] {
  const given = new PermissionsBitField(permissions);
  return NEEDED_PERMISSIONS.filter((name) => !given.has(name)).map(settingOf);
}

/** A permission as Discord's settings call it: `View Channel`. */
export function settingOf(permission: string): string {
  return permission.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}

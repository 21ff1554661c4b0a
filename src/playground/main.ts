/** Opens the playground and furnishes it: one server with a few agents and a group ready. */
import { NEEDED_BITS } from "../adapters/discord/checkup.js";
import { agentCreate } from "../app/operations/agentCreate.js";
import { groupCreate } from "../app/operations/groupCreate.js";
import { type OperationContext, runOperation } from "../app/operations/operation.js";
import type { Services } from "../app/services.js";
import { asId, type ChannelId, type GuildId, type UserId } from "../domain/ids.js";
import { deriveName } from "../domain/names.js";
import { createRateLimits } from "./limits.js";
import { startLoopback } from "./server.js";
import { pageFiles } from "./web/routes.js";
import { createGuild } from "./world/guilds.js";

export interface Playground {
  /** For the browser. */
  readonly url: string;
  readonly apiUrl: string;
  readonly token: string;
  /** Makes the first agents and their group, as a person would with slash commands. */
  furnish(services: Services): Promise<void>;
  /** The one server. */
  readonly guildId: GuildId;
  close(): Promise<void>;
}

const AGENTS = [
  {
    display_name: "Researcher",
    prompt:
      "You find facts, numbers and sources, and say how sure you are. Science, history, statistics and evidence are your field. You check claims before others build on them.",
  },
  {
    display_name: "Editor",
    prompt:
      "You improve texts: wording, grammar, style, structure, titles. You shorten sentences, rewrite drafts and say what a reader will not understand.",
  },
  {
    display_name: "Planner",
    prompt:
      "You turn ideas into plans: schedules, deadlines, budgets, tasks and next steps. You ask who does what until when, and watch over time and cost.",
  },
] as const;

const GROUP = {
  display_name: "Review",
  members: AGENTS.map((agent) => agent.display_name),
  host: "Editor",
};

/** What is there once it is furnished. */
export const FURNISHED = {
  agents: AGENTS.map(({ display_name }) => namedLike(display_name)),
  groups: [namedLike(GROUP.display_name)],
};

function namedLike(displayName: string) {
  return { name: deriveName(displayName), displayName };
}

/** Starts the loopback server; when the port is taken, on a free one. */
export async function openPlayground(port: number): Promise<Playground> {
  const options = { limits: createRateLimits(), extend: pageFiles };
  const loopback = await startLoopback({ ...options, port }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      return startLoopback({ ...options, port: 0 });
    }
    throw error;
  });
  const { guild, owner, channelId } = createGuild(loopback.world, {
    name: "Playground",
    ownerName: "You",
    memberNames: ["Ana"],
    botPermissions: NEEDED_BITS,
  });
  const guildId = asId<GuildId>(guild.id);
  return {
    guildId,
    url: loopback.url,
    apiUrl: loopback.apiUrl,
    token: loopback.token,
    close: () => loopback.close(),
    async furnish(services) {
      const context: OperationContext = {
        ...services,
        asker: {
          userId: asId<UserId>(owner.id),
          name: "You",
          guildId,
          roleIds: [],
          canManageChannels: true,
          canWriteHere: true,
        },
        place: { guildId, channelId: asId<ChannelId>(channelId), threadId: null },
      };
      for (const agent of AGENTS) await runOperation(agentCreate, context, agent);
      await runOperation(groupCreate, context, GROUP);
    },
  };
}

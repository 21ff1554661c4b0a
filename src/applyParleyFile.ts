/** Makes in a server what a file declares and what is not there yet. */
import { agentCreate } from "./app/operations/agentCreate.js";
import { groupCreate } from "./app/operations/groupCreate.js";
import { type OperationContext, runOperation } from "./app/operations/operation.js";
import { isForeseen, sentenceOf } from "./app/report.js";
import type { Services } from "./app/services.js";
import type { Agent } from "./domain/agent.js";
import type { Group } from "./domain/group.js";
import { asId, type ChannelId, type GuildId, type UserId } from "./domain/ids.js";
import type { Declared, Entry } from "./parleyFile.js";
import { type Spot, spotText } from "./parleyFileError.js";
import { namedOf } from "./parleyFileFaults.js";
import { terminalText } from "./terminalText.js";

/** What came of one entry, for a terminal or a log. */
interface Applied {
  readonly text: string;
  readonly isFailed: boolean;
}

/**
 * Creates what is missing in a server. Gives a sentence for each thing: created, there already, or
 * with the line what stood in the way; a refusal of one does not keep the others back.
 */
export async function applyParleyFile(
  services: Services,
  declared: Declared,
  guildId: GuildId,
): Promise<readonly Applied[]> {
  if (declared.server !== null && declared.server !== guildId) return [];
  const { agents, groups } = services.storage;
  const context: OperationContext = {
    ...services,
    asker: {
      userId: asId<UserId>("0"),
      name: "parley.yaml",
      guildId,
      roleIds: [],
      canManageChannels: true,
      canWriteHere: true,
    },
    place: { guildId, channelId: asId<ChannelId>("0"), threadId: null },
  };
  const said: Applied[] = [];
  for (const [at, entry] of declared.agents.entries()) {
    const existing = named(entry, await agents.list(guildId));
    const create = () => runOperation(agentCreate, context, entry);
    said.push(
      existing === null
        ? await tried(context, declared, ["agents", at], entry, create)
        : thereAlready("Agent", existing),
    );
  }
  for (const [at, entry] of declared.groups.entries()) {
    const existing = named(entry, await groups.list(guildId));
    const create = () => runOperation(groupCreate, context, entry);
    said.push(
      existing === null
        ? await tried(context, declared, ["groups", at], entry, create)
        : thereAlready("Group", existing),
    );
  }
  return said;
}

/** By its permanent name, which never changes. */
function named<One extends Agent | Group>(entry: Entry, all: readonly One[]): One | null {
  const { name } = namedOf(entry);
  return all.find((one) => one.name === name) ?? null;
}

function thereAlready(
  what: "Agent" | "Group",
  { displayName, archivedAtMs }: Agent | Group,
): Applied {
  const state =
    archivedAtMs === null
      ? "is there already"
      : `is there already, but archived; /${what.toLowerCase()}_restore brings it back`;
  return { text: `${what} ${displayName} ${state}.`, isFailed: false };
}

async function tried(
  context: OperationContext,
  declared: Declared,
  field: readonly [string, number],
  entry: Entry,
  create: () => Promise<{ text: string }>,
): Promise<Applied> {
  try {
    return { text: await forTerminal(context, (await create()).text), isFailed: false };
  } catch (error) {
    const { guildId } = context.asker;
    if (!isForeseen(error)) context.log.error({ err: error, guildId }, "an entry was not created");
    const spot: Spot = declared.spotOf(field);
    const reason = await forTerminal(context, sentenceOf(error));
    const text = `${declared.path}, ${spotText(spot)}: ${entry.display_name} was not created: ${reason}`;
    return { text, isFailed: true };
  }
}

async function forTerminal({ storage, asker }: OperationContext, text: string): Promise<string> {
  const owners = [
    ...(await storage.agents.list(asker.guildId)),
    ...(await storage.groups.list(asker.guildId)),
  ];
  return terminalText(text, (id) => owners.find((one) => one.channelId === id)?.name ?? null);
}

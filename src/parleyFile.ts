/**
 * `parley.yaml`: agents and groups that are there from the start. What is missing is created, what
 * exists is left as it is, and what was done is said.
 *
 * ```yaml
 * server: "123456789012345678"   # optional; without it, every server that the bot is in
 * agents:
 *   - display_name: Researcher
 *     prompt: You find facts and sources.
 * groups:
 *   - display_name: Town hall
 *     kind: moderated
 *     members: [Researcher, Editor]
 *     host: Editor
 * ```
 *
 * The fields are those of `/agent_create` and `/group_create`.
 */
import { readFile } from "node:fs/promises";
import { isMap, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { agentCreate } from "./app/operations/agentCreate.js";
import { groupCreate } from "./app/operations/groupCreate.js";
import { type OperationContext, runOperation } from "./app/operations/operation.js";
import { sentenceOf } from "./app/report.js";
import type { Services } from "./app/services.js";
import { ConfigError } from "./config.js";
import { COORDINATOR } from "./domain/agent.js";
import { asId, type ChannelId, type GuildId, type UserId } from "./domain/ids.js";
import { findNamed } from "./domain/names.js";
import { faultsIn, namedOf, undeclaredIn } from "./parleyFileFaults.js";
import type { Storage } from "./ports/storage.js";

/** What a file declares; each entry as the person wrote it, checked by the operation itself. */
export interface Declared {
  readonly server: GuildId | null;
  readonly agents: readonly Entry[];
  readonly groups: readonly GroupEntry[];
  /** Members that are not declared here, so that they have to be there already. */
  readonly undeclared: readonly Undeclared[];
}

export interface Entry {
  readonly display_name: string;
  readonly name?: string | undefined;
  readonly [field: string]: unknown;
}

export interface GroupEntry extends Entry {
  readonly members: readonly string[];
  readonly host?: string | undefined;
}

interface Undeclared {
  readonly member: string;
  readonly group: GroupEntry;
  /** File, line and field. */
  readonly at: string;
}

/** What came of one entry. */
export interface Applied {
  readonly text: string;
  readonly isFailed: boolean;
}

const named = { display_name: z.string(), name: z.string().optional() };
const agentEntry = z.strictObject({
  ...agentCreate.input.omit({ avatar: true }).shape,
  ...named,
});
const groupEntry = z.strictObject({ ...groupCreate.input.shape, ...named });
const fileSchema = z.strictObject({
  server: z
    .string("expected the server's id in quotes")
    .regex(/^\d{15,20}$/, "expected the server's id in quotes")
    .optional(),
  agents: z.array(agentEntry).default([]),
  groups: z.array(groupEntry).default([]),
});

/**
 * Reads the file. Null when there is none and it was not asked for. Rejects with `ConfigError` that
 * names the line and what was expected.
 */
export async function readParleyFile(
  path: string,
  options: { readonly isRequired: boolean },
): Promise<Declared | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error) && !options.isRequired) return null;
    throw new ConfigError(`PARLEY_FILE: ${path} cannot be read.`, { cause: error });
  }
  return parseParleyFile(text, path);
}

/** The same of a text; `path` is for the messages. */
export function parseParleyFile(text: string, path: string): Declared {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const problems = document.errors.map(
    (error) => `${path}, line ${lineAt(error.pos[0])}: ${error.message.split("\n", 1)[0]}`,
  );
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  const parsed = fileSchema.safeParse(document.toJS() ?? {});
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues
        .map((issue) => `${at(issue.path, offsetOf(issue.path, issue))}: ${issue.message}`)
        .join("\n"),
    );
  }
  const { server, agents, groups } = parsed.data;
  const faults = faultsIn({ agents, groups });
  if (faults.length > 0) {
    throw new ConfigError(
      faults.map((fault) => `${at(fault.path, offsetOf(fault.path))}: ${fault.message}`).join("\n"),
    );
  }
  return {
    server: server === undefined ? null : asId<GuildId>(server),
    agents,
    groups,
    undeclared: undeclaredIn({ agents, groups }).map(({ member, group, path: field }) => ({
      member,
      group,
      at: at(field, offsetOf(field)),
    })),
  };

  function at(field: readonly PropertyKey[], offset: number): string {
    const where = field.length === 0 ? "" : ` (${field.join(".")})`;
    return `${path}, line ${lineAt(offset)}${where}`;
  }

  /** Where the entry is that an issue is about, or the nearest one around it. */
  function offsetOf(field: readonly PropertyKey[], issue?: z.core.$ZodIssue): number {
    const path = [...field] as (string | number)[];
    if (issue?.code === "unrecognized_keys") {
      const parent: unknown = document.getIn(path, true);
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => String(key) === issue.keys[0])
        : undefined;
      if (isNode(pair?.key) && pair.key.range) return pair.key.range[0];
    }
    for (; path.length > 0; path.pop()) {
      const node: unknown = document.getIn(path, true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  }
}

/**
 * Before the start: rejects with `ConfigError` when a group that is still to be made has a member
 * that is neither declared nor in any server that it could be made in.
 */
export async function assertMembersExist(
  { agents, groups }: Pick<Storage, "agents" | "groups">,
  declared: Declared,
): Promise<void> {
  const servers = declared.server === null ? await agents.servers() : [declared.server];
  const there = await Promise.all(
    servers.map(async (id) => ({ agents: await agents.list(id), groups: await groups.list(id) })),
  );
  const missing = declared.undeclared.filter(
    ({ member, group }) =>
      !isAmong(member, [{ name: COORDINATOR, displayName: COORDINATOR }]) &&
      !there.some(
        (server) =>
          isAmong(member, server.agents) ||
          server.groups.some((one) => one.name === namedOf(group).name),
      ),
  );
  assertNone(missing);
}

/** The same where all that is there is known. */
export function assertMembersAmong(declared: Declared, names: readonly string[]): void {
  const known = names.map((name) => ({ name, displayName: name }));
  assertNone(declared.undeclared.filter(({ member }) => !isAmong(member, known)));
}

function assertNone(missing: readonly Undeclared[]): void {
  if (missing.length === 0) return;
  throw new ConfigError(
    missing
      .map(({ at, member }) => `${at}: there is no agent called ${member}, and none is declared.`)
      .join("\n"),
  );
}

function isAmong(
  text: string,
  known: readonly { readonly name: string; readonly displayName: string }[],
): boolean {
  return findNamed(text, known) !== undefined;
}

/**
 * Creates what is missing in a server. Gives a sentence for each thing: created, there already, or
 * what stood in the way; a refusal of one does not keep the others back.
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
  for (const entry of declared.agents) {
    const existing = await agents.find(guildId, namedOf(entry).name);
    said.push(
      existing === null
        ? await tried(entry, () => runOperation(agentCreate, context, entry))
        : { text: `Agent ${existing.displayName} is there already.`, isFailed: false },
    );
  }
  for (const entry of declared.groups) {
    const existing = await groups.find(guildId, namedOf(entry).name);
    said.push(
      existing === null
        ? await tried(entry, () => runOperation(groupCreate, context, entry))
        : { text: `Group ${existing.displayName} is there already.`, isFailed: false },
    );
  }
  return said;
}

async function tried(entry: Entry, create: () => Promise<{ text: string }>): Promise<Applied> {
  try {
    return { text: (await create()).text, isFailed: false };
  } catch (error) {
    const text = `${entry.display_name} was not created: ${sentenceOf(error)}`;
    return { text, isFailed: true };
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

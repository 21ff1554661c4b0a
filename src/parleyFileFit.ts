/** Whether what a file declares can be made with the agents and groups that are there. */
import { COORDINATOR } from "./domain/agent.js";
import { findNamed } from "./domain/names.js";
import type { Declared, FieldPath, GroupEntry } from "./parleyFile.js";
import { ParleyFileError } from "./parleyFileError.js";
import { namedOf } from "./parleyFileFaults.js";
import type { Storage } from "./ports/storage.js";

interface Named {
  readonly name: string;
  readonly displayName: string;
}

/** What a server has. */
interface Server {
  readonly agents: readonly Named[];
  readonly groups: readonly Named[];
}

interface Fault {
  readonly field: FieldPath;
  readonly message: string;
}

/**
 * Rejects with `ConfigError` when a group that is still to be made cannot be made in any server: a
 * member or the host is neither declared nor there, or the host is no member. What people changed
 * there in the meantime, such as an archived member, keeps nothing from starting: it is said when
 * the file is applied.
 */
export async function assertFits(
  { agents, groups }: Pick<Storage, "agents" | "groups">,
  declared: Declared,
): Promise<void> {
  const ids = declared.server === null ? await agents.servers() : [declared.server];
  const servers = await Promise.all(
    ids.map(async (id) => ({ agents: await agents.list(id), groups: await groups.list(id) })),
  );
  assertFitsOneOf(declared, servers);
}

/** The same where all that is there is known: nothing for a server that is new. */
export function assertFitsOneOf(declared: Declared, servers: readonly Server[]): void {
  const all = servers.length === 0 ? [NEW_SERVER] : servers;
  const faults = declared.groups.flatMap((group, at) => {
    const found = all.map((server) => faultsOf(group, at, declared, server));
    return found.some((list) => list.length === 0) ? [] : (found[0] ?? []);
  });
  if (faults.length === 0) return;
  throw new ParleyFileError(
    declared.path,
    faults.map(({ field, message }) => ({ at: declared.spotOf(field), message })),
  );
}

const NEW_SERVER: Server = { agents: [], groups: [] };

function faultsOf(
  group: GroupEntry,
  at: number,
  { agents }: Declared,
  server: Server,
): readonly Fault[] {
  if (server.groups.some(({ name }) => name === namedOf(group).name)) return [];
  const known = [
    ...agents.map(namedOf),
    ...server.agents,
    { name: COORDINATOR, displayName: COORDINATOR },
  ];
  const nameOf = (text: string) => findNamed(text, known)?.name;
  const path: FieldPath = ["groups", at];
  const unknown = (text: string, field: FieldPath): readonly Fault[] =>
    nameOf(text) === undefined
      ? [{ field, message: `there is no agent called ${text}, and none is declared.` }]
      : [];
  const { members, host } = group;
  const missing = [
    ...members.flatMap((member, position) => unknown(member, [...path, "members", position])),
    ...(host === undefined ? [] : unknown(host, [...path, "host"])),
  ];
  if (missing.length > 0) return missing;
  const names = members.map(nameOf);
  const twice = names.findIndex((name, position) => names.indexOf(name) !== position);
  if (twice >= 0) {
    const message = `${members[twice]} is in the list twice.`;
    return [{ field: [...path, "members", twice], message }];
  }
  if (host === undefined || names.includes(nameOf(host))) return [];
  return [{ field: [...path, "host"], message: `${host} is not among the members.` }];
}

/** What can be seen to be wrong in `parley.yaml` without asking anybody. */
import { UserError } from "./domain/errors.js";
import { MAX_MEMBERS, MIN_MEMBERS } from "./domain/limits.js";
import {
  checkCategory,
  checkDisplayName,
  checkName,
  deriveName,
  displayNameKey,
  findNamed,
} from "./domain/names.js";
import type { Entry, GroupEntry } from "./parleyFile.js";

interface Entries {
  readonly agents: readonly Entry[];
  readonly groups: readonly GroupEntry[];
}

interface Fault {
  /** Of the field in the file. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Names and categories that cannot be used, also in a file that is wrong in other ways. */
export function namingFaultsIn(file: unknown): readonly Fault[] {
  return ROOTS.flatMap(([kind, root]) => {
    const entries = isRecord(file) ? file[kind] : null;
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown, at) =>
      isRecord(entry) ? namingFaults(entry, [kind, at], root) : [],
    );
  });
}

const ROOTS = [
  ["agents", "Agents"],
  ["groups", "Groups"],
] as const;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Of entries with names that can be used: every one that could not be made, whatever is there already. */
export function faultsIn(entries: Entries): readonly Fault[] {
  const { agents, groups } = entries;
  return [...repeated(entries), ...groups.flatMap((group, at) => memberFaults(group, at, agents))];
}

/** The permanent name decides whether something is there: display names change. */
export function namedOf({ name, display_name }: Entry): {
  readonly name: string;
  readonly displayName: string;
} {
  return { name: name?.trim() ?? deriveName(display_name), displayName: display_name };
}

function namingFaults(
  entry: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
  root: "Agents" | "Groups",
): readonly Fault[] {
  const { ["display_name"]: shown, ["name"]: name, ["category"]: category } = entry;
  const checks: readonly (readonly [string, unknown, (text: string) => void])[] = [
    [
      "display_name",
      shown,
      (text) => {
        const displayName = checkDisplayName(text);
        if (name === undefined) deriveName(displayName);
      },
    ],
    ["name", name, checkName],
    ["category", category, (text) => checkCategory(text, root)],
  ];
  return checks.flatMap(([field, value, check]) =>
    typeof value === "string" ? faultOf([...path, field], () => check(value)) : [],
  );
}

function faultOf(path: Fault["path"], check: () => void): readonly Fault[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof UserError) return [{ path, message: error.message }];
    throw error;
  }
}

/** Permanent names are of one kind for agents and groups; each kind has its display names. */
function repeated({ agents, groups }: Entries): readonly Fault[] {
  const faults: Fault[] = [];
  const names = new Map<string, "agents" | "groups">();
  for (const [kind, entries] of [["agents", agents] as const, ["groups", groups] as const]) {
    const shown = new Set<string>();
    for (const [at, entry] of entries.entries()) {
      const { name, displayName } = namedOf(entry);
      const key = displayNameKey(displayName);
      const owner = names.get(name);
      if (owner !== undefined) {
        const both = owner === kind ? `two ${kind}` : "an agent and a group";
        const message = `${both} have the name \`${name}\`; give one of them another \`name\`.`;
        faults.push({ path: [kind, at], message });
      } else if (shown.has(key)) {
        const message = `two ${kind} have the display name ${displayName}; give one of them another.`;
        faults.push({ path: [kind, at], message });
      }
      names.set(name, kind);
      shown.add(key);
    }
  }
  return faults;
}

function memberFaults(
  { members, host }: GroupEntry,
  at: number,
  agents: readonly Entry[],
): readonly Fault[] {
  const declared = agents.map(namedOf);
  const keyOf = (text: string) =>
    findNamed(text, declared)?.name ?? displayNameKey(text.trim().replace(/^[@＠]\s*/u, ""));
  const path = ["groups", at, "members"];
  const keys = members.map(keyOf);
  if (keys.length < MIN_MEMBERS || keys.length > MAX_MEMBERS) {
    const message = `A group has ${MIN_MEMBERS} to ${MAX_MEMBERS} members; you gave ${keys.length}.`;
    return [{ path, message }];
  }
  const twice = keys.findIndex((key, position) => keys.indexOf(key) !== position);
  if (twice >= 0) {
    return [{ path: [...path, twice], message: `${members[twice]} is in the list twice.` }];
  }
  if (host === undefined || keys.includes(keyOf(host))) return [];
  // A member that is there already may be called by its other name.
  const isSure =
    findNamed(host, declared) !== undefined ||
    members.every((member) => findNamed(member, declared) !== undefined);
  return isSure
    ? [{ path: ["groups", at, "host"], message: `${host} is not among the members.` }]
    : [];
}

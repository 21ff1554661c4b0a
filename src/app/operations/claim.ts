/** Names that may be used once. The store decides; asking before only spares the work. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { checkName, deriveName, displayNameKey } from "../../domain/names.js";
import type { GroupConflict } from "../../ports/storage.js";
import type { LookupContext } from "./lookup.js";
import { bold } from "./show.js";

interface WantedName {
  readonly kind: "agent" | "group";
  readonly name: string;
  readonly displayName: string;
  /** The name was made from the display name: another one can be given. */
  readonly isDerived: boolean;
}

/** The name that was given, or the one made from the display name. */
export function wantedName(
  kind: WantedName["kind"],
  displayName: string,
  name: string | undefined,
): WantedName {
  if (name !== undefined) return { kind, displayName, name: checkName(name), isDerived: false };
  return { kind, displayName, name: deriveName(displayName), isDerived: true };
}

/** Rejects with the same sentence as the loser of two that want the same name at once. */
export async function assertFree(
  { storage, asker }: LookupContext,
  wanted: WantedName,
): Promise<void> {
  const [agents, groups] = await Promise.all([
    storage.agents.list(asker.guildId),
    storage.groups.list(asker.guildId),
  ]);
  if ([...agents, ...groups].some((one) => one.name === wanted.name)) throw taken("name", wanted);
  if (hasDisplayName(wanted.kind === "agent" ? agents : groups, wanted.displayName)) {
    throw taken("displayName", wanted);
  }
}

/** Whether one of them that is not archived has this display name. */
export function hasDisplayName(rivals: readonly (Agent | Group)[], displayName: string): boolean {
  const key = displayNameKey(displayName);
  return rivals.some((one) => one.archivedAtMs === null && displayNameKey(one.displayName) === key);
}

/** What a conflict means to the person. */
export function taken(conflict: GroupConflict, wanted: WantedName): UserError {
  if (conflict === "displayName") return displayNameTaken(wanted.kind, wanted.displayName);
  if (conflict === "member") return memberArchived();
  const remedy = wanted.isDerived ? "give another one with `name`" : "choose another one";
  return new UserError(
    "taken",
    `The name \`${wanted.name}\` is taken or was used before; ${remedy}.`,
  );
}

/** The members were checked before; one of them was archived at the same moment. */
export function memberArchived(): UserError {
  return new UserError("conflict", "One of these agents was archived just now; try again.");
}

export function displayNameTaken(kind: WantedName["kind"], displayName: string): UserError {
  return new UserError(
    "taken",
    `There is ${kind === "agent" ? "an agent" : "a group"} called ${bold(displayName)} already; choose another display name.`,
  );
}

/**
 * Stores what has something on Discord. When the store failed it may have been done all the same,
 * for example when the connection broke before the answer: it is looked up before it counts as not
 * done, since what is on Discord would be taken back then.
 */
export async function storeOnce<Conflict>(
  store: () => Promise<Conflict | null>,
  isThere: () => Promise<boolean>,
): Promise<Conflict | null> {
  try {
    return await store();
  } catch (error) {
    if (await isThere().catch(() => false)) return null;
    throw error;
  }
}

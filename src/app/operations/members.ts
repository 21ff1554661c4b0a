/** Who is in a group, and who is its host. */
import { type Agent, COORDINATOR } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import { MAX_MEMBERS, MIN_MEMBERS } from "../../domain/limits.js";
import { findNamed, joinKnown } from "../../domain/names.js";
import { listOf } from "../../domain/phrases.js";
import { activeAgent, type LookupContext } from "./lookup.js";
import { bold } from "./show.js";

/** The agents of a list, in its order. The first mistake is a `UserError` that names the culprit. */
export async function membersOf(
  context: LookupContext,
  texts: readonly string[],
): Promise<readonly Agent[]> {
  const given = joinKnown(
    texts.map((text) => text.trim()).filter((text) => text !== ""),
    await context.storage.agents.list(context.asker.guildId),
  );
  if (given.length < MIN_MEMBERS || given.length > MAX_MEMBERS) {
    throw new UserError(
      "invalid",
      `A group has ${MIN_MEMBERS} to ${MAX_MEMBERS} members; you gave ${given.length}.`,
    );
  }
  const members: Agent[] = [];
  for (const text of given) {
    const agent = await activeAgent(context, text);
    if (members.some((member) => member.id === agent.id)) {
      throw new UserError(
        "invalid",
        `${bold(agent.displayName)} is in the list twice; the members have to be different agents.`,
      );
    }
    members.push(agent);
  }
  return members;
}

/** The member that a person named as host. */
export async function hostOf(
  context: LookupContext,
  members: readonly Agent[],
  text: string,
): Promise<Agent> {
  const member = findNamed(text, members);
  if (member !== undefined) return member;
  const other = await activeAgent(context, text);
  throw new UserError(
    "invalid",
    `${bold(other.displayName)} is not a member of the group, so it cannot be the host.`,
  );
}

/** The coordinator where it is a member, else the first. */
export function defaultHost(members: readonly Agent[]): Agent {
  const host = members.find((member) => member.name === COORDINATOR) ?? members[0];
  if (host === undefined) throw new Error("A group without members has no host.");
  return host;
}

/** `**Researcher** and **Editor**`. */
export function memberList(members: readonly Agent[]): string {
  return listOf(members.map((member) => bold(member.displayName)));
}

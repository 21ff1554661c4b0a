/** Refusals that several operations share, each with its one sentence. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { MAX_PARTICIPANTS } from "../../domain/limits.js";
import { aKind, bold } from "./show.js";

export function isArchived(one: Agent | Group): UserError {
  const command = "members" in one ? "group_restore" : "agent_restore";
  return new UserError(
    "conflict",
    `${bold(one.displayName)} is archived; \`/${command}\` brings it back.`,
  );
}

export function noMember(agent: Pick<Agent, "displayName">, group: Group): UserError {
  return new UserError(
    "unknown",
    `${bold(agent.displayName)} is not a member of ${bold(group.displayName)}.`,
  );
}

/** `where`: what it works in, as the end of a sentence. */
export function wrongKind({ displayName, kind }: Group, where: string): UserError {
  return new UserError(
    "conflict",
    `${bold(displayName)} is ${aKind(kind)} group; this works only in ${where}.`,
  );
}

/** `whose`: an open group, say. */
export function wrongChannel(whose: string): UserError {
  return new UserError(
    "conflict",
    `This works only in the channel of ${whose}, or in one of its threads.`,
  );
}

export function tooManyParticipants(): UserError {
  return new UserError(
    "full",
    `A group chat holds at most ${MAX_PARTICIPANTS} agents besides its host.`,
  );
}

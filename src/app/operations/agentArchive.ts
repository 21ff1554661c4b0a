import { z } from "zod";
import { type Agent, COORDINATOR } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { listOf } from "../../domain/phrases.js";
import type { LeftGroup } from "../../ports/storage.js";
import { archiveAgent } from "../archiving.js";
import { unmovedLines } from "./archived.js";
import { text } from "./fields.js";
import { anyAgent } from "./lookup.js";
import { defineOperation, type OperationContext } from "./operation.js";
import { bold } from "./show.js";

/** Puts an agent away, and with it every group that has a single member left. */
export const agentArchive = defineOperation({
  name: "agent_archive",
  description: "Archive an agent: it leaves its groups and answers no more; nothing is deleted",
  permission: "manager",
  input: z.object({
    agent: text({ description: "The agent, by name or display name", suggests: "agent" }),
  }),
  async run(context, given) {
    const agent = await anyAgent(context, given.agent);
    if (agent.archivedAtMs !== null) throw archivedAlready(agent);
    if (agent.name === COORDINATOR) {
      throw new UserError(
        "conflict",
        `${bold(agent.displayName)} cannot be archived: it is the place to begin.`,
      );
    }
    if (agent.id === context.actingAgentId) {
      throw new UserError("forbidden", "An agent cannot archive itself.");
    }
    const archived = await archiveAgent(context, agent, context.asker);
    if (archived === null) throw archivedAlready(agent);
    const lines = [
      `${bold(agent.displayName)} is archived; \`/agent_restore\` brings it back.`,
      ...(await groupLines(context, archived.left)),
      ...unmovedLines(archived.unmoved),
    ];
    return { text: lines.join("\n") };
  },
});

function archivedAlready({ displayName }: Agent): UserError {
  return new UserError("conflict", `${bold(displayName)} is archived already.`);
}

async function groupLines(
  { storage }: OperationContext,
  left: readonly LeftGroup[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  const going = left.filter(({ isEnded }) => !isEnded);
  if (going.length > 0) {
    lines.push(
      `It is no longer in ${namesOf(
        going.map(({ group }) => group),
        "or",
      )}.`,
    );
  }
  const passed = going.filter(({ wasHost }) => wasHost).map(({ group }) => group);
  for (const hostId of new Set(passed.map((group) => group.hostId))) {
    const host = await storage.agents.get(hostId);
    const groups = passed.filter((group) => group.hostId === hostId);
    if (host !== null)
      lines.push(`${bold(host.displayName)} is now the host of ${namesOf(groups)}.`);
  }
  const ended = left.filter(({ isEnded }) => isEnded).map(({ group }) => group);
  for (const [those, reason] of [
    [ended.filter(({ kind }) => kind !== "hosted"), "fewer than two members are left"],
    [ended.filter(({ kind }) => kind === "hosted"), "nobody is left"],
  ] as const) {
    const [what, are] = those.length === 1 ? ["group", "is"] : ["groups", "are"];
    if (those.length > 0) {
      lines.push(`The ${what} ${namesOf(those)} ${are} archived too, since ${reason}.`);
    }
  }
  return lines;
}

function namesOf(groups: readonly Group[], word: "and" | "or" = "and"): string {
  return listOf(
    groups.map((group) => bold(group.displayName)),
    word,
  );
}

/** What a call of a tool has changed: for the channel, for later turns, and for those who manage the server. */
import type { Step } from "../../domain/round/round.js";
import type { ToolEvent } from "../../domain/round/toolUse.js";
import { shorten } from "../../domain/shorten.js";
import { targetsOf } from "../../domain/targets.js";
import type { DirectWork } from "../composeDirect.js";
import type { Services } from "../services.js";
import { LOOKING, MESSAGE_AGENT } from "./tool.js";

/** Eight of them fit in one message. */
const CHANGE_CHARACTERS = 220;

/** Their later lines say what else has changed; those of the others, how to go on. */
const TOLD_WHOLE: ReadonlySet<string> = new Set(["archive", "restore"]);

/** In short, by the sentence that the tool returned; null where nothing was changed. */
export function changeOf(tool: string, result: string): string | null {
  if (LOOKING.has(tool) || tool === MESSAGE_AGENT || result.startsWith("Nothing changed")) {
    return null;
  }
  const lines = result.split("\n");
  const told = TOLD_WHOLE.has(tool) ? lines : lines.slice(0, 1);
  return shorten(told.join(" ").replace(/\s+/gu, " ").trim(), CHANGE_CHARACTERS);
}

/** Who wanted it, through which agent, what was to be done to what, and what came of it. */
export async function logCall(
  { storage, log }: Pick<Services, "storage" | "log">,
  { round, state, step }: DirectWork<Extract<Step, { do: "tool" }>>,
  { outcome, result }: Extract<ToolEvent, { type: "toolRan" }>,
): Promise<void> {
  const { name, argumentsJson } = step.call;
  if (LOOKING.has(name)) return;
  const agent = await storage.agents.get(step.agentId);
  const trigger = await storage.messages.get(round.triggerId);
  log.info(
    {
      guildId: round.place.guildId,
      userId: state.startedBy[0] ?? null,
      person: state.chain?.startedBy.name ?? trigger?.author.name ?? null,
      agentId: step.agentId,
      agent: agent?.displayName ?? null,
      roundId: round.id,
      operation: name,
      on: targetsOf(argumentsJson),
      outcome,
      result: shorten(result.replace(/\s+/gu, " "), CHANGE_CHARACTERS),
    },
    outcome === "done"
      ? "an agent changed something for a person"
      : "an agent could not change something for a person",
  );
}

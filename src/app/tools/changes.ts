/** What a call of a tool has changed: for the channel, for later turns, and for those who manage the server. */
import { plain } from "../../domain/plain.js";
import { nextStep, type RoundState } from "../../domain/round/nextStep.js";
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

/** How to go on, which would be repeated with each change. */
const ADVICE =
  /; (?:see `\/[^`]*`|`\/[^`]*` (?:brings|puts) [^.;]*|the channel topic follows [^.;]*)/gu;

/** What a call of a tool returns that found all as it was to be. */
const NOTHING_CHANGED = "Nothing changed: ";

/**
 * In short, by the sentence that the tool returned; null where nothing was changed. A call that may
 * have run before the process died (`isDoubtful`) is taken for the one that made things as they are.
 */
export function changeOf(tool: string, result: string, isDoubtful: boolean): string | null {
  if (LOOKING.has(tool) || tool === MESSAGE_AGENT) return null;
  if (!result.startsWith(NOTHING_CHANGED)) return shortOf(tool, result);
  const asked = result
    .slice(NOTHING_CHANGED.length)
    .replace("like that already", "as it was asked for");
  return isDoubtful ? shortOf(tool, asked) : null;
}

function shortOf(tool: string, result: string): string {
  const lines = result.split("\n");
  const told = TOLD_WHOLE.has(tool) ? lines : lines.slice(0, 1);
  const what = told.map((line) => line.replace(ADVICE, "")).join(" ");
  return shorten(what.replace(/\s+/gu, " ").trim(), CHANGE_CHARACTERS);
}

/**
 * For a round that is too old to go on: the call that may have been running when the process ended
 * runs no more, and nobody is left in the belief that it was not done.
 */
export function unknownCall(state: RoundState): readonly ToolEvent[] {
  const step = nextStep(state);
  if (step?.do !== "tool" || LOOKING.has(step.call.name)) return [];
  const { name, argumentsJson } = step.call;
  const targets = Object.values(targetsOf(argumentsJson)).join(", ");
  // Between back ticks nothing is a mark but they themselves.
  const what = `\`${name.replaceAll("`", "")}\`${targets === "" ? "" : ` (${plain(targets)})`}`;
  const result = `Perhaps ${what}: the bot was ended in the middle of it, so look whether it is so.`;
  return [{ type: "toolRan", outcome: "failed", result, change: result }];
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

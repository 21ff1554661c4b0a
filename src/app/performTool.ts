/** Does one call of a tool, which only rounds in agents' own channels have. */
import type { Agent } from "../domain/agent.js";
import { UserError } from "../domain/errors.js";
import type { GuildId } from "../domain/ids.js";
import { FILE_VOICE } from "../domain/message.js";
import { isSpent } from "../domain/round/direct.js";
import type { Step } from "../domain/round/round.js";
import type { ToolEvent, ToolOutcome } from "../domain/round/toolUse.js";
import type { Asker } from "../ports/chat.js";
import type { DirectWork } from "./composeDirect.js";
import {
  assertMayTalk,
  inputProblem,
  type OperationContext,
  runOperation,
} from "./operations/operation.js";
import type { Done } from "./perform.js";
import { isForeseen, sentenceOf } from "./report.js";
import type { Services } from "./services.js";
import { NOBODY } from "./taskAuthor.js";
import { chainEndOf } from "./tools/chainEnd.js";
import { changeOf, logCall } from "./tools/changes.js";
import { chainForTask, messageInput, prepareMessage } from "./tools/messageAgent.js";
import { argumentsOf, FOR_NOBODY, MESSAGE_AGENT } from "./tools/tool.js";
import { turnLeftMs } from "./turnTime.js";

type Ran = Extract<ToolEvent, { type: "toolRan" }>;
type ToolWork = DirectWork<Extract<Step, { do: "tool" }>>;

/**
 * Runs one call with the rights that the person has at this moment. Whatever stands in the way is
 * what the model is told. A tool that has begun is not cut off by a stop.
 */
export async function performTool(services: Services, work: ToolWork): Promise<Done> {
  const event = await tryTool(services, work);
  if (event.type === "toolRan") await logCall(services, work, event);
  return { events: [event] };
}

async function tryTool(services: Services, work: ToolWork): Promise<ToolEvent> {
  try {
    return await runTool(services, work);
  } catch (error) {
    if (!isForeseen(error)) {
      services.log.error({ err: error, roundId: work.round.id }, "a tool failed");
    }
    return ran(outcomeOf(error), sentenceOf(error));
  }
}

async function runTool(services: Services, work: ToolWork): Promise<ToolEvent> {
  const { round, step } = work;
  const agent = await services.storage.agents.get(step.agentId);
  if (agent === null) throw new Error(`Agent ${step.agentId} is not stored.`);
  const context: OperationContext = {
    ...services,
    asker: await askerOf(services, work),
    place: round.place,
    actingAgentId: agent.id,
    chainForTask: (task) => chainForTask(services, work, agent, task),
  };
  if (work.state.startedBy.length > 0) assertMayTalk(context);
  const { name, argumentsJson } = step.call;
  if (turnLeftMs(services, work) <= 0) {
    throw new UserError("conflict", "The time of this turn is over, so this did not run.");
  }
  if (isSpent(work.state, name)) {
    throw new UserError(
      "conflict",
      `\`${name.slice(0, 60)}\` was called wrongly twice, so it does not run again in this turn: tell the person what was missing.`,
    );
  }
  if (name === MESSAGE_AGENT) return startMessage(context, work, agent);
  const operation = services.tools.operations.get(name);
  if (operation === undefined) throw noTool(services, name);
  const given = argumentsOf(argumentsJson);
  const result = await resultOf(context, work, async () => {
    // Better refused than done without what its model wanted.
    const strict = { ...operation, input: operation.input.strict() };
    const { text } = await runOperation(strict, context, given);
    return text;
  });
  const change = changeOf(name, result, work.isDoubtful);
  return { ...ran("done", result), ...(change === null ? {} : { change }) };
}

/** A call that may have been done before the process died is not refused for having been done. */
async function resultOf(
  context: OperationContext,
  { step, round, isDoubtful }: ToolWork,
  run: () => Promise<string>,
): Promise<string> {
  try {
    return await run();
  } catch (error) {
    if (!isDoubtful || !(error instanceof UserError)) throw error;
    const { name, argumentsJson } = step.call;
    const before = await context.tools.doneBefore(
      context,
      name,
      argumentsOf(argumentsJson),
      round.openedAtMs,
    );
    if (before === null) throw error;
    return before;
  }
}

/**
 * The person at the start, as the chat service knows them now. A task of parley.yaml has none: what
 * needs no rights is done all the same.
 */
async function askerOf({ chat }: Services, { round, state, step }: ToolWork): Promise<Asker> {
  const [userId] = state.startedBy;
  if (userId === undefined) {
    if (FOR_NOBODY.has(step.call.name)) return nobodyIn(round.place.guildId);
    throw new UserError(
      "forbidden",
      "No person asked for this: the task is one of parley.yaml, and with that an agent can only look up agents and groups. Somebody has to ask for it here.",
    );
  }
  const asker = await chat.asker(userId, round.place);
  if (asker === null) {
    throw new UserError("forbidden", "The person who asked is not in this server any more.");
  }
  return asker;
}

async function startMessage(
  context: OperationContext,
  { round, state, step }: ToolWork,
  agent: Agent,
): Promise<ToolEvent> {
  const parsed = messageInput.strict().safeParse(argumentsOf(step.call.argumentsJson));
  if (!parsed.success) throw new UserError("invalid", inputProblem(parsed.error));
  const from = { agent, round, state };
  const prepared = await prepareMessage(context, from, parsed.data);
  if ("posts" in prepared) {
    context.log.info(
      {
        userId: context.asker.userId,
        agentId: agent.id,
        toId: prepared.toId,
        roundId: round.id,
      },
      "an agent writes to another one",
    );
    return { type: "sending", outgoing: prepared };
  }
  return {
    ...ran(
      "refused",
      "Agents have written to each other often enough without a person in between; the people have been told. Sum up what there is.",
    ),
    chainEnd: await chainEndOf(context, { round, state, count: prepared.chainOver }),
  };
}

function noTool({ tools }: Services, name: string): UserError {
  const known = tools.definitions.map((tool) => tool.name).join(", ");
  return new UserError(
    "invalid",
    `There is no tool \`${name.slice(0, 60)}\`. There are: ${known}.`,
  );
}

/** Who asks where no person did. */
function nobodyIn(guildId: GuildId): Asker {
  const none = { roleIds: [], canManageChannels: false, canWriteHere: false };
  return { userId: NOBODY, name: FILE_VOICE.name, guildId, ...none };
}

function ran(outcome: ToolOutcome, result: string): Ran {
  return { type: "toolRan", outcome, result };
}

function outcomeOf(error: unknown): ToolOutcome {
  if (!(error instanceof UserError)) return "failed";
  return error.code === "invalid" ? "invalid" : "refused";
}

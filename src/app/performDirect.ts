/** Does the steps that only rounds in agents' own channels have: one call of a tool, one post to another agent. */
import type { Agent } from "../domain/agent.js";
import { UserError } from "../domain/errors.js";
import { conversationOf, type Message } from "../domain/message.js";
import { type DirectRound, isSpent } from "../domain/round/direct.js";
import type { Round, Step } from "../domain/round/round.js";
import type { OutgoingPost, ToolEvent, ToolOutcome } from "../domain/round/toolUse.js";
import { type Asker, ChatError } from "../ports/chat.js";
import type { DirectWork } from "./composeDirect.js";
import {
  assertMayTalk,
  inputProblem,
  type OperationContext,
  runOperation,
} from "./operations/operation.js";
import type { Done } from "./perform.js";
import { postPart } from "./post.js";
import { isForeseen, sentenceOf } from "./report.js";
import type { Services } from "./services.js";
import { chainForTask, keyOf, messageInput, prepareMessage } from "./tools/messageAgent.js";
import { argumentsOf, LOOKING, MESSAGE_AGENT } from "./tools/tool.js";

type Ran = Extract<ToolEvent, { type: "toolRan" }>;
type ToolWork = DirectWork<Extract<Step, { do: "tool" }>>;

/**
 * Runs one call with the rights that the person has at this moment. Whatever stands in the way is
 * what the model is told. A tool that has begun is not cut off by a stop.
 */
export async function performTool(services: Services, work: ToolWork): Promise<Done> {
  try {
    return { events: [await runTool(services, work)] };
  } catch (error) {
    if (!isForeseen(error)) {
      services.log.error({ err: error, roundId: work.round.id }, "a tool failed");
    }
    return { events: [ran(outcomeOf(error), sentenceOf(error))] };
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
  assertMayTalk(context);
  const { name, argumentsJson } = step.call;
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
  if (!LOOKING.has(name)) await logChange(context, work, given);
  return ran("done", result);
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

/** The person at the start, as the chat service knows them now. */
async function askerOf({ chat }: Services, { round, state }: ToolWork): Promise<Asker> {
  const [userId] = state.startedBy;
  const asker = userId === undefined ? null : await chat.asker(userId, round.place);
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
  const from = { agent, round, state, key: keyOf(round, state) };
  const prepared = await prepareMessage(context, from, parsed.data);
  if (prepared !== "chain over") {
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
    ...((await isChainNews(context, round, state)) ? { isChainOver: true } : {}),
  };
}

/** In each conversation it is said once for a chain that it is over: by the first call that finds it so. */
async function isChainNews(
  { storage }: OperationContext,
  round: Round,
  state: DirectRound,
): Promise<boolean> {
  const key = `chain over ${state.chain?.id ?? round.id} ${conversationOf(round.place)}`;
  const mine = keyOf(round, state);
  const told = await storage.settings.get(key);
  if (told !== null) return told === mine;
  await storage.settings.set(key, mine);
  return true;
}

function noTool({ tools }: Services, name: string): UserError {
  const known = tools.definitions.map((tool) => tool.name).join(", ");
  return new UserError(
    "invalid",
    `There is no tool \`${name.slice(0, 60)}\`. There are: ${known}.`,
  );
}

function ran(outcome: ToolOutcome, result: string): Ran {
  return { type: "toolRan", outcome, result };
}

function outcomeOf(error: unknown): ToolOutcome {
  if (!(error instanceof UserError)) return "failed";
  return error.code === "invalid" ? "invalid" : "refused";
}

/** For those who manage the server: who wanted it, through which agent, and what it was done to. */
async function logChange(
  { storage, asker, log }: OperationContext,
  { round, step }: ToolWork,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const name = ["agent", "group", "name", "display_name"]
    .map((field) => given[field])
    .find((value) => typeof value === "string");
  const subject =
    name === undefined
      ? null
      : ((await storage.agents.find(asker.guildId, name.replace(/^@/u, ""))) ??
        (await storage.groups.find(asker.guildId, name.replace(/^@/u, ""))));
  log.info(
    {
      userId: asker.userId,
      agentId: step.agentId,
      roundId: round.id,
      operation: step.call.name,
      subjectId: subject?.id ?? null,
    },
    "an agent changed something for a person",
  );
}

/** Posts one part of a message to another agent, exactly once. */
export async function performSend(
  services: Services,
  work: DirectWork<Extract<Step, { do: "send" }>>,
): Promise<Done> {
  const { round, state, step, signal, isDoubtful } = work;
  const { outgoing } = state;
  const post = outgoing?.posts[step.part];
  if (outgoing === null || post === undefined) throw new Error("There is nothing to send.");
  const other = await services.storage.agents.get(outgoing.toId);
  if (other === null || other.archivedAtMs !== null) {
    return { events: [{ type: "unsent", reason: `${outgoing.toName} is archived.` }] };
  }
  try {
    const messageId = await postPart(services, {
      round: { ...round, place: post.place },
      // Its last message is older than this one wherever it stands: ids rise with time.
      reply: {
        agentId: step.agentId,
        turn: state.turns,
        displayName: outgoing.displayName,
        parts: [],
        posted: state.sentIds,
        handoffs: [],
        seenThroughId: round.triggerId,
      },
      part: post,
      buttons: [],
      isDoubtful,
      signal,
    });
    if (messageId === null)
      return { events: [{ type: "unsent", reason: `${outgoing.displayName} is archived.` }] };
    const event: ToolEvent = { type: "sent", messageId };
    const message = heardMessage(services, work, post, messageId);
    if (message === null) return { events: [event] };
    return {
      events: [event],
      message,
      ...(post.chain === null ? {} : { wakes: message.place }),
    };
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    services.log.warn({ err: error, roundId: round.id }, "a message to an agent was not posted");
    return { events: [{ type: "unsent", reason: error.detail }] };
  }
}

/** As it stands in the transcript of the other agent. */
function heardMessage(
  { clock }: Services,
  { state, step }: DirectWork<Extract<Step, { do: "send" }>>,
  { heardAt, share, chain }: OutgoingPost,
  id: Message["id"],
): Message | null {
  if (heardAt === null) return null;
  return {
    id,
    place: heardAt,
    author: {
      kind: "agent",
      agentId: step.agentId,
      name: state.outgoing?.displayName ?? "",
    },
    text: share,
    attachments: [],
    replyToId: null,
    askedId: null,
    ...(chain === null ? {} : { chain }),
    createdAtMs: clock.now(),
    editedAtMs: null,
    deletedAtMs: null,
    roundId: null,
    turn: null,
    seenThroughId: null,
  };
}

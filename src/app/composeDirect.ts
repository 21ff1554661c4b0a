/** A turn in an agent's own channel: its model answers in words, or calls tools first. */
import type { Agent } from "../domain/agent.js";
import { compareSnowflakes, type MessageId } from "../domain/ids.js";
import { conversationOf, type Message, type Place } from "../domain/message.js";
import { directPrompt } from "../domain/prompts/direct.js";
import { toldApart } from "../domain/prompts/people.js";
import { readReply } from "../domain/reply.js";
import { callsOf, type DirectRound, stepsLeft } from "../domain/round/direct.js";
import type { Step, TurnFailure } from "../domain/round/round.js";
import type { ToolUse } from "../domain/round/toolUse.js";
import { isShown } from "../domain/shown.js";
import { splitReply } from "../domain/split.js";
import { ModelError, type ModelReply, type ToolCall } from "../ports/model.js";
import { Patience } from "./calls.js";
import { leftOutIn } from "./compose.js";
import { type Failed, failedTurn, failureOf } from "./failure.js";
import { hear } from "./hear.js";
import type { Done, Work } from "./perform.js";
import { callWithPictures } from "./pictures.js";
import { Room } from "./room.js";
import type { Services } from "./services.js";
import { logSilence, MAX_ATTEMPTS, type Silence } from "./speak.js";
import { isToldOfTools } from "./told.js";
import { tokensOf, toolMessages } from "./toolMessages.js";
import { turnLeftMs } from "./turnTime.js";
import { whileTyping } from "./typing.js";

export type DirectWork<S extends Step = Step> = Work<S> & { readonly state: DirectRound };

/** Rejects only when the signal is aborted or the storage fails: a failed turn is an event. */
export async function composeDirect(
  services: Services,
  work: DirectWork<Extract<Step, { do: "compose" }>>,
): Promise<Done> {
  const { round, state, step, signal } = work;
  const agent = await services.storage.agents.get(step.agentId);
  const fail = (failed: TurnFailure | Failed) => failedTurn(step.agentId, failed);
  if (agent === null || agent.archivedAtMs !== null) return fail("gone");
  if (turnLeftMs(services, work) <= 0) return fail("timeout");
  const areStepsUsed = stepsLeft(state) <= 0;
  return whileTyping(services, round.place, async () => {
    try {
      const done = await answerAnyhow(services, work, agent);
      return typeof done === "string" ? fail(areStepsUsed ? "steps" : done) : done;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      // Without tools on offer a call of one is no answer.
      if (areStepsUsed && error.kind === "bad-answer") return fail("steps");
      return fail(failureOf(error, agent.model ?? services.settings.model));
    } finally {
      signal.throwIfAborted();
    }
  });
}

/** A model that refuses tools answers without them, and is never again asked with any. */
async function answerAnyhow(
  services: Services,
  work: DirectWork<Extract<Step, { do: "compose" }>>,
  agent: Agent,
): Promise<Done | Silence> {
  const { sight, settings } = services;
  const model = agent.model ?? settings.model;
  try {
    return await answer(services, work, agent);
  } catch (error) {
    const isRefusal = error instanceof ModelError && error.kind === "no-tools";
    if (!isRefusal || sight.hasNoTools(model)) throw error;
    sight.refusedTools(model);
    return answer(services, work, agent);
  }
}

/** What it did, or why there is nothing to post. */
async function answer(
  services: Services,
  work: DirectWork<Extract<Step, { do: "compose" }>>,
  agent: Agent,
): Promise<Done | Silence> {
  const { settings } = services;
  const { round, state, signal } = work;
  const { transcript, omitted } = await heardBy(services, round.place, signal);
  const left = stepsLeft(state);
  const model = agent.model ?? settings.model;
  const hasTools = !services.sight.hasNoTools(model);
  const canCall = left > 0 && hasTools;
  const seat = { ...(await seatOf(services, state, agent, toldApart(transcript))), hasTools };
  const room = new Room(agent.tokenBudget ?? settings.seatTokenBudget, (tokenBudget) => {
    const after = toolMessages(state, tokenBudget);
    const prompt = directPrompt({
      seat,
      transcript,
      omitted,
      tokenBudget: tokenBudget - Math.min(tokensOf(after), Math.floor(tokenBudget / 2)),
      round: { id: round.id, triggerIds: state.triggerIds },
    });
    return { prompt, after };
  });
  const patience = new Patience();
  let silence: Silence = "empty";
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const { reply, unseen } = await room.ask(({ prompt, after }) =>
      callWithPictures(
        services,
        {
          guildId: round.place.guildId,
          groupId: null,
          roundId: round.id,
          agentId: agent.id,
          userId: state.startedBy[0] ?? null,
        },
        {
          purpose: "direct",
          model,
          timeoutMs: Math.max(1, turnLeftMs(services, work)),
          signal,
          ...(canCall ? { tools: services.tools.definitions } : {}),
        },
        prompt,
        { after, patience },
      ),
    );
    if (reply.toolCalls.length > 0 && canCall) {
      const calls = distinct(reply.toolCalls.slice(0, left), state);
      const leftMs = turnLeftMs(services, work);
      const { text } = reply;
      return { events: [{ type: "toolsCalled", agentId: agent.id, text, calls, leftMs }] };
    }
    const read = (said: string) =>
      readReply(said, {
        self: { displayName: agent.displayName, name: agent.name },
        others: namesIn(transcript, agent),
      });
    const { text, isOthers } = read(reply.text);
    const before = state.exchanges.map((exchange) => read(exchange.text).text);
    const parts = splitReply(withEarlierWords(before, text), Infinity, reply.finish === "length");
    if (parts.length === 0) {
      silence = isOthers ? "foreign" : "empty";
      logSilence(services, { round, agent, reply }, silence);
      continue;
    }
    return {
      events: [
        {
          type: "composed",
          agentId: agent.id,
          displayName: agent.displayName,
          parts,
          handoffs: [],
          seenThroughId: newestOf(state.triggerIds, round.triggerId),
          ...leftOutIn(transcript, state.triggerIds, unseen),
          ...(left <= 0 && wantsMore(reply) ? { isCutShort: true } : {}),
          ...(hasTools || (await isToldOfTools(services, round, agent.id, model))
            ? {}
            : { hasNoTools: true }),
        },
      ],
    };
  }
  return silence;
}

/**
 * What the model said beside its calls of tools is part of its reply, before the rest: people read
 * it once, when the turn is over. Models often repeat themselves there; that is left out.
 */
function withEarlierWords(before: readonly string[], text: string): string {
  if (!isShown(text)) return "";
  const words = [...before, text].map((part) => part.trim()).filter((part) => part !== "");
  return words
    .filter((part, at) => !words.slice(at + 1).some((later) => later.includes(part)))
    .join("\n\n");
}

function wantsMore({ toolCalls, wantedTools = false }: ModelReply): boolean {
  return toolCalls.length > 0 || wantedTools;
}

/**
 * What the agent hears. What waits for a turn of its own is left out: this turn has the rights of
 * one person, and somebody else's wish must not be done with them.
 */
async function heardBy(services: Services, place: Place, signal: AbortSignal) {
  const { transcript, omitted } = await hear(services, place, signal);
  const pending = await services.storage.messages.pending(conversationOf(place));
  const isWaiting = new Set(pending.map(({ id }) => id));
  return { transcript: transcript.filter(({ id }) => !isWaiting.has(id)), omitted };
}

async function seatOf(
  { storage }: Services,
  { chain, startedBy, triggerIds }: DirectRound,
  agent: Agent,
  transcript: readonly Message[],
) {
  const other = chain === null ? null : await storage.agents.get(chain.fromId);
  const trigger = transcript.findLast(({ id }) => triggerIds.includes(id));
  return {
    self: { agentId: agent.id, displayName: agent.displayName, role: agent.prompt },
    askerName:
      startedBy.length === 0 ? null : (chain?.startedBy.name ?? trigger?.author.name ?? "somebody"),
    chain,
    otherName: other?.displayName ?? chain?.fromName ?? null,
  };
}

/** A result names its call, and some endpoints number theirs anew in each answer. */
function distinct(calls: readonly ToolCall[], state: DirectRound): readonly ToolUse[] {
  const used = new Set(callsOf(state).map(({ id }) => id));
  return calls.map(({ id, name, argumentsJson }, index) => {
    const isNew = !used.has(id);
    used.add(id);
    return { id: isNew ? id : `${id}_${used.size}_${index}`, name, argumentsJson };
  });
}

function namesIn(transcript: readonly Message[], self: Agent): readonly string[] {
  const names = transcript.map(({ author }) => author.name);
  return [...new Set(names)].filter((name) => name !== self.displayName && name !== self.name);
}

function newestOf(ids: readonly MessageId[], fallback: MessageId): MessageId {
  return ids.toSorted(compareSnowflakes).at(-1) ?? fallback;
}

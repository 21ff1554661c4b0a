/** What a round begins with: in an open group, and in an agent's own channel. */
import type { Agent } from "../domain/agent.js";
import { leftOutOf } from "../domain/files.js";
import type { Group } from "../domain/group.js";
import type { AgentId, UserId } from "../domain/ids.js";
import { MAX_REPLIES } from "../domain/limits.js";
import { namedIn } from "../domain/mentions.js";
import { conversationOf, type Message } from "../domain/message.js";
import { toldJudgeIn } from "../domain/round/open.js";
import type { Naming, RoundEvent, RoundMember } from "../domain/round/round.js";
import type { JudgeFailure } from "../domain/verdict.js";
import type { Services } from "./services.js";

type Opened = Extract<RoundEvent, { type: "opened" }>;

/** What a round of an open group begins with: who is there, and whom the triggers name. */
export async function openingOf(
  services: Pick<Services, "storage" | "settings">,
  group: Group,
  triggers: readonly Message[],
): Promise<Opened> {
  const members = await membersOf(services, group);
  const asked = askedIn(triggers);
  const leftOut = leftOutOf(triggers);
  const before = await roundBefore(services, triggers[0]);
  const toldMuted = toldMutedIn(before, members);
  const toldJudge = judgeTold(before);
  return {
    type: "opened",
    members,
    hostId: group.hostId,
    named: asked === null ? await namingsIn(services, triggers, members) : [asked],
    triggerIds: triggers.map((message) => message.id),
    startedBy: peopleIn(triggers),
    cap: Math.min(services.settings.maxReplies, MAX_REPLIES),
    isAsk: asked !== null,
    ...(toldMuted.length === 0 ? {} : { toldMuted }),
    ...(toldJudge.length === 0 ? {} : { toldJudge }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
}

/** The same for a round in an agent's own channel. */
export function directOpeningOf(agent: Agent, triggers: readonly Message[]): Opened {
  const { id: agentId, name, displayName } = agent;
  const chain = triggers.at(-1)?.chain;
  const leftOut = leftOutOf(triggers);
  return {
    type: "opened",
    members: [{ agentId, name, displayName, isMuted: false }],
    hostId: agentId,
    named: [],
    triggerIds: triggers.map((message) => message.id),
    startedBy: chain === undefined ? peopleIn(triggers) : [chain.startedBy.userId],
    cap: 1,
    isAsk: false,
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(chain === undefined ? {} : { chain }),
  };
}

/** The people that wrote these, each once. */
export function peopleIn(triggers: readonly Message[]): readonly UserId[] {
  const people = triggers.flatMap(({ author }) =>
    author.kind === "person" ? [author.userId] : [],
  );
  return [...new Set(people)];
}

/** The member that a question of `/ask` is for. Such a question is a round of its own. */
function askedIn(triggers: readonly Message[]): Naming | null {
  const [question] = triggers;
  if (question === undefined || question.askedId === null) return null;
  return { agentId: question.askedId, by: "ask", messageId: question.id };
}

async function namingsIn(
  services: Pick<Services, "storage">,
  triggers: readonly Message[],
  members: readonly RoundMember[],
): Promise<readonly Naming[]> {
  const named: Naming[] = [];
  for (const message of triggers) {
    const repliedTo =
      message.replyToId === null ? null : await services.storage.messages.get(message.replyToId);
    const found: Pick<Naming, "agentId" | "by">[] = [...namedIn(message.text, members)];
    if (repliedTo?.author.kind === "agent") {
      found.push({ agentId: repliedTo.author.agentId, by: "reply" });
    }
    for (const { agentId, by } of found) {
      const isMember = members.some((member) => member.agentId === agentId);
      if (isMember && !named.some((naming) => naming.agentId === agentId)) {
        named.push({ agentId, by, messageId: message.id });
      }
    }
  }
  return named;
}

/** What has happened so far in the round before, in the same conversation. */
async function roundBefore(
  { storage }: Pick<Services, "storage">,
  trigger: Message | undefined,
): Promise<readonly RoundEvent[]> {
  if (trigger === undefined) return [];
  const before = await storage.rounds.latest(conversationOf(trigger.place));
  const journal = before === null ? [] : await storage.rounds.journal(before.id);
  return journal.map(({ event }) => event);
}

/**
 * The muted members of which the conversation has been told already. Each round hands that on to
 * the next one, as long as the member stays muted.
 */
function toldMutedIn(
  before: readonly RoundEvent[],
  members: readonly RoundMember[],
): readonly AgentId[] {
  const muted = members.filter((member) => member.isMuted).map((member) => member.agentId);
  const [opening] = before;
  if (opening?.type !== "opened") return [];
  const said = before.flatMap((event) =>
    event.type === "announced" && event.notice.type === "mutedNamed" && event.messageId !== null
      ? event.notice.agentIds
      : [],
  );
  const told = [...(opening.toldMuted ?? []), ...said];
  const wasMuted = opening.members.filter((member) => member.isMuted);
  return muted.filter(
    (id) => told.includes(id) && wasMuted.some((member) => member.agentId === id),
  );
}

/**
 * The ways in which the judge fails, of which the conversation has been told. A round hands on to
 * the next one what the one before knew, also when it had no judge; a verdict ends the outage.
 */
function judgeTold(before: readonly RoundEvent[]): readonly JudgeFailure[] {
  const [opening] = before;
  if (opening?.type !== "opened") return [];
  const judged = before.find((event) => event.type === "judged");
  if (judged !== undefined && judged.failure === null) return [];
  const said = before.flatMap((event) =>
    event.type === "announced" && event.notice.type === "judgeFailed" && event.messageId !== null
      ? [event.notice.failure]
      : [],
  );
  return [...new Set([...toldJudgeIn(opening), ...said])];
}

/** Members of a group that are not archived, as a round sees them. */
export async function membersOf(
  services: Pick<Services, "storage">,
  group: Group,
): Promise<readonly RoundMember[]> {
  const members: RoundMember[] = [];
  for (const agentId of group.members) {
    const agent = await services.storage.agents.get(agentId);
    if (agent === null || agent.archivedAtMs !== null) continue;
    const { name, displayName } = agent;
    members.push({ agentId, name, displayName, isMuted: group.muted.includes(agentId) });
  }
  return members;
}

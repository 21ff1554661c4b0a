/**
 * What the commands of the floor have in common. They are for who may talk to agents: giving a turn
 * is having an agent speak, as a message in an open group is, and changes no agent and no group.
 */
import type { z } from "zod";
import { UserError } from "../../domain/errors.js";
import type { FloorTask } from "../../domain/floor.js";
import type { Group } from "../../domain/group.js";
import type { AgentId } from "../../domain/ids.js";
import { FLOOR_TEXT_CHARACTERS } from "../../domain/limits.js";
import { conversationOf } from "../../domain/message.js";
import { findNamed } from "../../domain/names.js";
import { lackText, listOf } from "../../domain/phrases.js";
import type { RoundMember } from "../../domain/round/round.js";
import { assertBudget } from "../budgets.js";
import { startFloorRound } from "../floorRounds.js";
import { membersOf } from "../opening.js";
import { written } from "./fields.js";
import { activeAgent } from "./lookup.js";
import {
  type Answer,
  defineOperation,
  field,
  type Operation,
  type OperationContext,
} from "./operation.js";
import { isArchived, noMember, wrongChannel, wrongKind } from "./refusals.js";
import { bold } from "./show.js";

/** A text that a person writes for the floor. */
export function floorText(what: string, description: string, limit = FLOOR_TEXT_CHARACTERS) {
  return field(
    written({
      most: limit,
      error: `Give the ${what} as a text`,
      empty: `The ${what} must not be empty`,
      long: `The ${what} can have ${limit.toLocaleString("en")} characters at most`,
    }),
    { description, isSaid: true },
  );
}

interface FloorHere {
  readonly group: Group;
  /** Not archived, in the group's order. */
  readonly members: readonly RoundMember[];
  /** Of these, who is not muted. */
  readonly speakers: readonly AgentId[];
}

/** The moderated group whose channel or thread this is. Rejects with `UserError` when there is none. */
export async function floorHere(context: OperationContext): Promise<FloorHere> {
  const group = await context.storage.groups.byChannel(context.place.channelId);
  if (group === null) {
    throw wrongChannel("a moderated group");
  }
  if (group.archivedAtMs !== null) throw isArchived(group);
  if (group.kind !== "moderated") throw wrongKind(group, "moderated groups");
  const members = await membersOf(context, group);
  const speakers = members.filter((member) => !member.isMuted).map((member) => member.agentId);
  return { group, members, speakers };
}

/** The members that a person named, in that order. Rejects with `UserError` naming the culprit. */
export async function chosenOf(
  context: OperationContext,
  { group, members }: FloorHere,
  names: readonly string[] | undefined,
): Promise<readonly AgentId[] | null> {
  if (names === undefined || names.length === 0) return null;
  const chosen: AgentId[] = [];
  for (const name of names) {
    const member = findNamed(name, members);
    if (member === undefined) throw noMember(await activeAgent(context, name), group);
    if (member.isMuted) {
      throw new UserError("conflict", `${bold(member.displayName)} is muted here.`);
    }
    chosen.push(member.agentId);
  }
  return chosen;
}

/** Refuses what would have agents speak when the tokens of the day are used up. */
export async function assertFloorBudget(
  context: OperationContext,
  { group }: FloorHere,
): Promise<void> {
  await assertBudget(context, { ...context.asker, groupId: group.id }, "command");
}

/**
 * Refuses what could not be said here: nothing is to be answered as begun of which the channel never
 * hears. Agents speak through webhooks, the bot itself does not.
 */
function assertSayable({ chat, place }: OperationContext, task: FloorTask): void {
  const isByAgents =
    task.do === "turns" || task.do === "moderate" || (task.do === "close" && task.hasSummary);
  const lacking = chat
    .lacking(place.threadId ?? place.channelId)
    .filter((permission) => isByAgents || permission !== "Manage Webhooks");
  if (lacking.length === 0) return;
  throw new UserError("forbidden", lackText(listOf(lacking), "in this channel for that"));
}

/** When something begins that waits, as the end of a sentence. */
export const AFTERWARDS = "as soon as what is running here has ended";

/** Begins a round of the floor. `answer`: what the person is told when it begins at once, and when it waits. */
export async function begin(
  context: OperationContext,
  { group, members }: FloorHere,
  task: FloorTask,
  answer: { readonly now: string; readonly later: string },
  topic?: string,
): Promise<Answer> {
  assertSayable(context, task);
  const { place, asker, mailboxes } = context;
  // What comes while the process is ending begins after the next start.
  const isBusy = mailboxes.isClosing || mailboxes.isBusy(conversationOf(place));
  await startFloorRound(context, {
    group,
    place,
    members,
    asker,
    task,
    ...(topic === undefined ? {} : { topic }),
  });
  return { text: isBusy ? answer.later : answer.now };
}

/**
 * A command that begins something on the floor. Those of one channel are looked at one after another,
 * in the order in which they came: each knows of all that were given before it.
 */
export function defineOnFloor<Shape extends z.ZodRawShape>(
  operation: Operation<Shape>,
): Operation<Shape> {
  return defineOperation({
    ...operation,
    run: (context, input) =>
      context.exclusive.run(context.place.channelId, () => operation.run(context, input)),
  });
}

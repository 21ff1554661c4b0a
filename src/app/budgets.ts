/** Limits of tokens for a day, counted from the stored model calls. */
import {
  type Afterwards,
  type BudgetScope,
  budgetText,
  exhaustedIn,
  ownBudgetText,
} from "../domain/budget.js";
import { DAY_MS, dayStart } from "../domain/days.js";
import { UserError } from "../domain/errors.js";
import type { GroupId, GuildId, UserId } from "../domain/ids.js";
import { conversationOf } from "../domain/message.js";
import { unsaidChanges } from "../domain/round/direct.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Round, RoundEvent } from "../domain/round/round.js";
import type { Services } from "./services.js";

/** For whom tokens would be used. */
interface Spender {
  readonly guildId: GuildId;
  readonly groupId: GroupId | null;
  readonly userId: UserId | null;
}

type BudgetServices = Pick<Services, "storage" | "settings" | "clock">;

/** The budget that is used up today, or null. */
async function exhausted(
  { storage, settings, clock }: BudgetServices,
  spender: Spender,
): Promise<BudgetScope | null> {
  const { dailyTokens } = settings;
  if (Object.values(dailyTokens).every((budget) => budget === null)) return null;
  return exhaustedIn(dailyTokens, await storage.usage.spent(spender, dayStart(clock.now())));
}

/** Refuses what a person asks for in a command. */
export async function assertBudget(
  services: BudgetServices,
  spender: Spender,
  afterwards: Afterwards = "nothing",
): Promise<void> {
  const refusal = await budgetRefusal(services, spender, afterwards);
  if (refusal !== null) throw new UserError("conflict", refusal);
}

/** Why no model is asked for this person now, and until when; null: one is. */
export async function budgetRefusal(
  services: BudgetServices,
  spender: Spender,
  afterwards: Afterwards = "nothing",
): Promise<string | null> {
  const scope = await exhausted(services, spender);
  if (scope === null) return null;
  const untilMs = dayStart(services.clock.now()) + DAY_MS;
  return scope === "person"
    ? ownBudgetText(untilMs, afterwards)
    : budgetText({ by: null, budget: { scope, untilMs } }, afterwards);
}

/**
 * What ends a round before its next call of a model, or null. The turn in flight was finished. In
 * each conversation it is said once a day, by the first round that ends so.
 */
export async function budgetStop(
  services: BudgetServices,
  { round, state }: { readonly round: Round; readonly state: RoundState },
): Promise<readonly RoundEvent[] | null> {
  const { guildId } = round.place;
  const { groupId } = round;
  // People who wrote together are answered as long as one of them has tokens left.
  const people = state.startedBy.length === 0 ? [null] : state.startedBy;
  let scope: BudgetScope | null = null;
  for (const userId of people) {
    scope = await exhausted(services, { guildId, groupId, userId });
    if (scope === null) return null;
  }
  const [userId = null] = people;
  if (scope === null) return null;
  const { storage, clock } = services;
  const today = dayStart(clock.now());
  const ids = { server: guildId, group: groupId, person: userId };
  const key = `budget ${scope} ${ids[scope] ?? ""} ${conversationOf(round.place)}`;
  const told = await storage.settings.get(key);
  const mine = `${today} ${round.id}`;
  const isTold = told !== null && told !== mine && told.startsWith(`${today} `);
  if (!isTold) await storage.settings.set(key, mine);
  const stopped: RoundEvent = {
    type: "stopped",
    by: scope === "person" ? await nameOfStarter(services, state) : null,
    userId: null,
    why: "budget",
    budget: {
      scope,
      ...(state.kind === "moderated" ? { isOnFloor: true } : {}),
      untilMs: today + DAY_MS,
    },
  };
  // An agent that waits for an answer is told that there is none: that is not passed over.
  // Nor is what its tools have changed.
  const isOwed = state.kind === "direct" && (state.isOwed || unsaidChanges(state).length > 0);
  return isTold && !isOwed ? [stopped, { type: "closed", outcome: "stopped" }] : [stopped];
}

async function nameOfStarter(
  { storage }: BudgetServices,
  { triggerIds }: RoundState,
): Promise<string | null> {
  const [triggerId] = triggerIds;
  const trigger = triggerId === undefined ? null : await storage.messages.get(triggerId);
  return trigger?.author.kind === "person" ? trigger.author.name : null;
}

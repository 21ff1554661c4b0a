import { never } from "./errors.js";
import type { StopNotice } from "./round/round.js";

/** Whose tokens are used up for the day. */
export type BudgetScope = "server" | "group" | "person";

/** Tokens that may be used in a day; null: as many as wanted. */
export type Budgets = Readonly<Record<BudgetScope, number | null>>;

/** The first that is used up, the widest first; null: none is. */
export function exhaustedIn(
  budgets: Budgets,
  spent: Readonly<Record<BudgetScope, number>>,
): BudgetScope | null {
  const scopes = ["server", "group", "person"] as const;
  return (
    scopes.find((scope) => {
      const budget = budgets[scope];
      return budget !== null && spent[scope] >= budget;
    }) ?? null
  );
}

/** What becomes of what is wanted until then: messages are not answered, a command has to be given again. */
export type Afterwards = "messages" | "turns" | "command" | "nothing";

/** What people read: who used them up, until when agents are silent, and what is to be done. */
export function budgetText(
  {
    by,
    budget,
  }: Pick<StopNotice, "by"> & {
    readonly budget: { readonly scope: BudgetScope; readonly untilMs: number };
  },
  afterwards: Afterwards = "messages",
): string {
  const then = {
    messages: " Messages written until then will not be answered, so write again after that.",
    turns: " Give the turns again then.",
    command: " Give the command again then.",
    nothing: "",
  }[afterwards];
  return `${silenceText(by, budget.scope, midnight(budget.untilMs))}.${then}`;
}

/** The same for the person who asks for something, who alone reads it. */
export function ownBudgetText(untilMs: number, afterwards: Afterwards): string {
  const then = afterwards === "command" ? " Give the command again then." : "";
  return `You have used up today's tokens: agents do not answer you until ${midnight(untilMs)}.${then}`;
}

function midnight(untilMs: number): string {
  return `midnight UTC (<t:${Math.floor(untilMs / 1_000)}:f>)`;
}

function silenceText(by: string | null, scope: BudgetScope, end: string): string {
  switch (scope) {
    case "server":
      return `This server has used up today's tokens: agents are silent until ${end}`;
    case "group":
      return `This group has used up today's tokens: agents are silent until ${end}`;
    case "person":
      return `${by ?? "Who wrote this"} has used up today's tokens: agents do not answer ${by ?? "them"} until ${end}`;
    default:
      return never(scope);
  }
}

import type { StopNotice } from "./round/round.js";

/** Whose tokens of the day are used up. */
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
export type Afterwards = "messages" | "command" | "nothing";

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
  const who = {
    server: "This server has used up its tokens of today",
    group: "This group has used up its tokens of today",
    person: `${by ?? "Who wrote this"} has used up their tokens of today`,
  }[budget.scope];
  const seconds = Math.floor(budget.untilMs / 1_000);
  const then = {
    messages: " What is written before that is not answered later.",
    command: " Give the command again then.",
    nothing: "",
  }[afterwards];
  return `${who}: agents are silent until midnight UTC (<t:${seconds}:f>).${then}`;
}

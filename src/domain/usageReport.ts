/** What was used, by agent, group, day and purpose, in a code block that fits the screen of a phone. */
import { cell, fit } from "./columns.js";
import type { AgentId, GroupId } from "./ids.js";
import { costOf, type Prices, priceOf } from "./prices.js";

/** The calls of one day, group, agent, purpose and model. */
export interface UsageSum {
  /** Beginning of the day in UTC. */
  readonly dayMs: number;
  /** Null: in an agent's own channel. */
  readonly groupId: GroupId | null;
  /** Null: of the judge, or of a secret vote. */
  readonly agentId: AgentId | null;
  readonly purpose: string;
  readonly model: string;
  readonly calls: number;
  readonly failedCalls: number;
  /** Failed ones too: the endpoint told no tokens, and these are an estimate. */
  readonly estimatedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

interface UsageNames {
  readonly agent: (id: AgentId) => string;
  readonly group: (id: GroupId) => string;
}

/** Where agents are written to alone. */
const OWN_CHANNELS = "own channels";
const NAME_COLUMNS = 15;
const TOKEN_COLUMNS = 7;
const CALL_COLUMNS = 6;
const COST_COLUMNS = 9;
/** Lines of one list; the rest is summed up. */
const MAX_LINES = 14;

/** The tables, without a heading. Of one group the list of groups is left out. */
export function usageTables(
  sums: readonly UsageSum[],
  options: { readonly names: UsageNames; readonly prices: Prices; readonly isOneGroup: boolean },
): string {
  const { names, prices, isOneGroup } = options;
  const table = (title: string, keyOf: (sum: UsageSum) => string, isInOrder = false) =>
    tableOf(title, sums, { keyOf, prices, isInOrder });
  const groupOf = ({ groupId }: UsageSum) =>
    groupId === null ? OWN_CHANNELS : names.group(groupId);
  return [
    table("agent", ({ agentId, purpose }) =>
      agentId === null ? nobodys(purpose) : names.agent(agentId),
    ),
    ...(isOneGroup ? [] : [table("group", groupOf)]),
    table("day (UTC)", ({ dayMs }) => new Date(dayMs).toISOString().slice(0, 10), true),
    table("purpose", ({ purpose }) => (purpose === "direct" ? OWN_CHANNELS : purpose)),
  ].join("\n\n");
}

function nobodys(purpose: string): string {
  return purpose === "vote" ? "(secret votes)" : "(judge)";
}

/** The whole in one sentence. */
export function usageTotal(sums: readonly UsageSum[], prices: Prices): string {
  const all = add(sums, prices);
  const failed = all.failedCalls === 0 ? "" : ` (${all.failedCalls.toLocaleString("en")} failed)`;
  const cost = all.cost === null ? "" : `, ${dollars(all.cost)}`;
  const calls = `${all.calls.toLocaleString("en")} ${all.calls === 1 ? "call" : "calls"}${failed}`;
  return `${calls}: ${count(all.inputTokens)} tokens in, ${count(all.outputTokens)} out${cost}`;
}

/** Says that tokens are an estimate, where some are; else null. */
export function estimateNote(sums: readonly UsageSum[]): string | null {
  const calls = sums.reduce((total, { estimatedCalls }) => total + estimatedCalls, 0);
  if (calls === 0) return null;
  const whose = calls === 1 ? "one call are" : `${calls.toLocaleString("en")} calls are`;
  return `-# The tokens of ${whose} an estimate, since the model's endpoint did not count them.`;
}

/** Models that were used and have no price, where others have one. */
export function unpricedModels(sums: readonly UsageSum[], prices: Prices): readonly string[] {
  if (prices.size === 0) return [];
  const used = sums.filter((sum) => sum.inputTokens + sum.outputTokens > 0);
  const models = new Set(used.map(({ model }) => model));
  return [...models].filter((model) => priceOf(prices, model) === null).sort();
}

interface Added {
  readonly calls: number;
  readonly failedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null: nothing of it has a price. */
  readonly cost: number | null;
}

function add(sums: readonly UsageSum[], prices: Prices): Added {
  const total = (pick: (sum: UsageSum) => number) => sums.reduce((all, sum) => all + pick(sum), 0);
  const costs = sums.flatMap((sum) => {
    const price = priceOf(prices, sum.model);
    return price === null ? [] : [costOf(price, sum)];
  });
  return {
    calls: total((sum) => sum.calls),
    failedCalls: total((sum) => sum.failedCalls),
    inputTokens: total((sum) => sum.inputTokens),
    outputTokens: total((sum) => sum.outputTokens),
    cost: costs.length === 0 ? null : costs.reduce((all, cost) => all + cost, 0),
  };
}

function tableOf(
  title: string,
  sums: readonly UsageSum[],
  options: {
    readonly keyOf: (sum: UsageSum) => string;
    readonly prices: Prices;
    /** By name, the last first, instead of by size. */
    readonly isInOrder: boolean;
  },
): string {
  const { keyOf, prices, isInOrder } = options;
  const groups = new Map<string, UsageSum[]>();
  for (const sum of sums) groups.set(keyOf(sum), [...(groups.get(keyOf(sum)) ?? []), sum]);
  const rows = [...groups].map(([name, members]) => ({ name, members, ...add(members, prices) }));
  const tokens = (row: Added) => row.inputTokens + row.outputTokens;
  rows.sort((a, b) =>
    isInOrder ? (a.name < b.name ? 1 : -1) : tokens(b) - tokens(a) || b.calls - a.calls,
  );
  const shown = rows.length > MAX_LINES ? rows.slice(0, MAX_LINES - 1) : rows;
  const rest = rows.slice(shown.length);
  const others =
    rest.length === 0
      ? []
      : [
          lineOf(
            `${rest.length} more`,
            add(
              rest.flatMap(({ members }) => members),
              prices,
            ),
          ),
        ];
  const head = [
    fit(title, NAME_COLUMNS),
    fit("tokens", TOKEN_COLUMNS, "right"),
    fit("calls", CALL_COLUMNS, "right"),
  ].join(" ");
  return [head, ...shown.map((row) => lineOf(cell(row.name), row)), ...others].join("\n");
}

function lineOf(name: string, row: Added): string {
  return [
    fit(name, NAME_COLUMNS),
    fit(count(row.inputTokens + row.outputTokens), TOKEN_COLUMNS, "right"),
    fit(count(row.calls), CALL_COLUMNS, "right"),
    ...(row.cost === null ? [] : [fit(dollars(row.cost), COST_COLUMNS, "right")]),
  ].join(" ");
}

function dollars(amount: number): string {
  if (amount > 0 && amount < 0.01) return "<$0.01";
  return `$${amount < 1_000 ? amount.toFixed(2) : Math.round(amount).toLocaleString("en")}`;
}

/** At most six characters. */
function count(number: number): string {
  if (number < 10_000) return String(number);
  if (number < 999_500) return `${rounded(number / 1_000)}k`;
  return number < 999_500_000 ? `${rounded(number / 1e6)}M` : `${rounded(number / 1e9)}G`;
}

function rounded(number: number): string {
  return number < 99.95 ? number.toFixed(1) : String(Math.round(number));
}

import { z } from "zod";
import { DAY_MS, dayStart } from "../../domain/days.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { estimateNote, unpricedModels, usageTables, usageTotal } from "../../domain/usageReport.js";
import { text } from "./fields.js";
import { anyGroup } from "./lookup.js";
import { defineOperation, field, isManager, MANAGERS, type OperationContext } from "./operation.js";
import { bold, codeBlock, plain } from "./show.js";

const DEFAULT_DAYS = 7;
const MAX_DAYS = 366;

/** What was used: managers see the whole server, everybody else the group in whose channel they are. */
export const usage = defineOperation({
  name: "usage",
  description: "Show the tokens that were used, by agent, group, day and purpose",
  permission: "talker",
  input: z.object({
    group: text({ description: "Only of this group", suggests: "group" }).optional(),
    days: field(
      z
        .number({ error: "Give the days as a number" })
        .int("Give whole days")
        .min(1, "Give at least one day")
        .max(MAX_DAYS, `Give ${MAX_DAYS} days at most`)
        .optional(),
      { description: "Of so many days, today included; 7 when not given" },
    ),
  }),
  async run(context, { group: given, days = DEFAULT_DAYS }) {
    const { storage, asker, clock, settings } = context;
    const group = await scopeOf(context, given);
    const sinceMs = dayStart(clock.now()) - (days - 1) * DAY_MS;
    const sums = await storage.usage.sums(asker.guildId, sinceMs, group?.id ?? null);
    const heading = `**Usage ${days === 1 ? "of today" : `of the last ${days} days`}**${
      group === null ? "" : ` in ${bold(group.displayName)}`
    }`;
    if (sums.length === 0) return { text: `${heading}\nNothing was used.` };
    const agents = await storage.agents.list(asker.guildId);
    const groups = await storage.groups.list(asker.guildId);
    const names = {
      agent: (id: string) => agents.find((agent) => agent.id === id)?.displayName ?? "unknown",
      group: (id: string) => groups.find((one) => one.id === id)?.displayName ?? "group chats",
    };
    const { prices } = settings;
    const unpriced = unpricedModels(sums, prices);
    const estimated = estimateNote(sums);
    return {
      text: [
        heading,
        usageTotal(sums, prices),
        codeBlock(usageTables(sums, { names, prices, isOneGroup: group !== null })),
        ...(estimated === null ? [] : [estimated]),
        ...(unpriced.length === 0
          ? []
          : [`-# Without a price in \`PRICES\`: ${unpriced.map(plain).join(", ")}`]),
      ].join("\n"),
    };
  },
});

/** Null: the whole server. */
async function scopeOf(
  context: OperationContext,
  given: string | undefined,
): Promise<Group | null> {
  if (isManager(context)) return given === undefined ? null : anyGroup(context, given);
  const here = await context.storage.groups.byChannel(context.place.channelId);
  const wanted = given === undefined ? here : await anyGroup(context, given);
  if (here !== null && here.id === wanted?.id) return here;
  throw new UserError(
    "forbidden",
    `In the channel of a group everybody sees what that group used; only ${MANAGERS} see the rest.`,
  );
}

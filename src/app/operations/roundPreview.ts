import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { type AgentId, asId } from "../../domain/ids.js";
import { conversationOf, type Message, said } from "../../domain/message.js";
import { noticeText } from "../../domain/notices.js";
import { nameIn } from "../../domain/round/common.js";
import { applyEvent, nextStep } from "../../domain/round/nextStep.js";
import type { Notice, RoundEvent } from "../../domain/round/round.js";
import { isGroupChatCommand, isStopWord } from "../../domain/textCommand.js";
import { previewText } from "../../domain/why.js";
import { assertBudget } from "../budgets.js";
import { judge } from "../judge.js";
import { historyBefore, judgedMembers } from "../judging.js";
import { openingOf } from "../opening.js";
import { unstoppable } from "../stopping.js";
import { written } from "./fields.js";
import { openGroupHere } from "./here.js";
import { defineOperation, field, type OperationContext } from "./operation.js";

/** What a person can write in one message without paying Discord for more. */
const TEXT_CHARACTERS = 2_000;

/** Who would answer a text, found out as a round does it; nobody answers and nothing is stored but the tokens. */
export const roundPreview = defineOperation({
  name: "round_preview",
  description: "Show who would answer a text, and in which order, without anybody answering",
  permission: "talker",
  input: z.object({
    text: field(
      written({
        most: TEXT_CHARACTERS,
        error: "Give a text",
        empty: "The text must not be empty",
        long: "The text can have 2,000 characters at most",
      }),
      { description: "What you would write here", isSaid: true },
    ),
  }),
  async run(context, { text }) {
    const group = await openGroupHere(context);
    if (isStopWord(text)) {
      throw new UserError("conflict", "That message would stop what is going on; nobody answers.");
    }
    if (isGroupChatCommand(text)) {
      throw new UserError(
        "conflict",
        "Messages that begin with `!gc` are commands; nobody answers.",
      );
    }
    const { asker } = context;
    await assertBudget(context, { ...asker, groupId: group.id });
    const { events, notices } = await decide(context, group, text);
    const latest = await context.storage.rounds.latest(conversationOf(context.place));
    const isRunning = latest !== null && latest.closedAtMs === null;
    return {
      text: [
        previewText(events),
        ...notices,
        ...(isRunning
          ? ["-# A round is going on here: what you write now waits for its end."]
          : []),
      ].join("\n"),
    };
  },
});

/** The beginning of the round that the text would start: up to where it is decided who answers. */
async function decide(
  context: OperationContext,
  group: Group,
  text: string,
): Promise<{ readonly events: readonly RoundEvent[]; readonly notices: readonly string[] }> {
  const { asker, place } = context;
  const draft = draftOf(context, text);
  const opening = await openingOf(context, group, [draft]);
  const events: RoundEvent[] = [opening];
  const notices: Notice[] = [];
  let state = applyEvent(group.kind, null, opening);
  const add = (event: RoundEvent) => {
    events.push(event);
    state = applyEvent(group.kind, state, event);
  };
  let step = nextStep(state);
  for (; step?.do === "announce"; step = nextStep(state)) {
    notices.push(step.notice);
    add({ type: "announced", notice: step.notice, messageId: null });
  }
  if (step?.do === "judge") {
    const account = {
      guildId: asker.guildId,
      groupId: group.id,
      roundId: null,
      agentId: null,
      userId: asker.userId,
    };
    const judged = await judge(
      context,
      {
        purpose: "preview",
        members: await judgedMembers(context, step.agentIds),
        history: await historyBefore(context, place, null),
        fresh: [draft],
        account,
      },
      unstoppable(),
    );
    add({ type: "judged", ...judged });
  }
  const nameOf = (id: AgentId) => nameIn(opening.members, id);
  return {
    events,
    notices: notices.map((notice) => noticeText(notice, { cap: opening.cap, nameOf })),
  };
}

/** The text as it would be stored if it were written now. */
function draftOf({ asker, place, clock }: OperationContext, text: string): Message {
  return said({
    id: asId("0"),
    place,
    author: { kind: "person", userId: asker.userId, name: asker.name },
    text,
    createdAtMs: clock.now(),
  });
}

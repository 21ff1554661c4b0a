/** A hosted chat begins, debates and ends. */
import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import type { HostedChat } from "../../domain/hostedChat.js";
import { compareSnowflakes } from "../../domain/ids.js";
import { DEBATE_PASSES, MAX_DEBATE_PASSES, MAX_PARTICIPANTS } from "../../domain/limits.js";
import { conversationOf, said } from "../../domain/message.js";
import { NO_PARTICIPANTS } from "../../domain/notices.js";
import { ONLY_SHOWN } from "../../domain/phrases.js";
import { assertBudget } from "../budgets.js";
import { moved } from "../chatNews.js";
import { agentsOfChat } from "../hostedChats.js";
import { beginningOf } from "../stopByWord.js";
import { StopRound } from "../stopping.js";
import { beginOwed, beginWith, wordsFor } from "../words.js";
import { text, written } from "./fields.js";
import { agentsNamed } from "./gcAgents.js";
import { storeParticipants } from "./gcParticipants.js";
import { announced, assertMayUse, chatHere, type Venue, venueIn } from "./gcPlace.js";
import { memberList } from "./members.js";
import { defineOperation, field, type OperationContext } from "./operation.js";
import { tooManyParticipants, wrongKind } from "./refusals.js";
import { bold } from "./show.js";

/** Where a host speaks for others. */
const HOSTED_PLACES = "hosted groups and agents' own channels";

/** Leaves room in one message for the name. */
const TOPIC_CHARACTERS = 1_700;

export const gcStart = defineOperation({
  name: "gc_start",
  description: "Start a group chat here: these agents tell the host what they think",
  permission: "talker",
  input: z.object({
    agents: text({
      description: "The agents, by name or display name, with commas between them",
      suggests: "agent",
      isSeveral: true,
    }).optional(),
  }),
  async run(context, given) {
    const { storage, clock, place, exclusive } = context;
    await assertMayUse(context, place);
    const agents = await agentsNamed(context, given.agents ?? "");
    return exclusive.run(place.channelId, async () => {
      const venue = await venueIn(context, place.channelId);
      if (venue.kind === "group") throw wrongKind(venue.group, HOSTED_PLACES);
      const hostId = venue.kind === "chat" ? venue.chat.hostId : venue.agent.id;
      const others = agents.filter(({ id }) => id !== hostId);
      if (others.length > MAX_PARTICIPANTS) {
        throw tooManyParticipants();
      }
      const participants = others.map(({ id }) => id);
      const before =
        venue.kind === "chat" ? (await agentsOfChat(context, venue.chat)).slice(1) : [];
      // Nobody means to throw everybody out by naming nobody.
      if (before.length > 0 && others.length === 0) {
        throw new UserError(
          "invalid",
          "Say who takes part: `!gc start <agent> <agent> …`. To end the chat, write `!gc end`.",
        );
      }
      const gone = before.filter(({ id }) => !participants.includes(id));
      const fresh = others.filter(({ id }) => !before.some((one) => one.id === id));
      const isSomebodyStaying = fresh.length < others.length;
      const host = await storage.agents.get(hostId);
      const hostName = bold(host?.displayName ?? "the host");
      const sentences = [
        `A group chat with ${hostName} as its host has started.`,
        ...[moved(gone, "left"), moved(fresh, "joined")].flatMap((one) => (one ? [`${one}.`] : [])),
        ...(isSomebodyStaying ? [`Taking part: ${memberList(others)}.`] : []),
        ...(others.length === 0 ? [NO_PARTICIPANTS] : []),
      ];
      const text = sentences.join(" ");
      return announced(context, place, { there: text, elsewhere: text }, async (owed) => {
        if (venue.kind === "chat") {
          await storeParticipants(context, venue, participants, owed);
          return;
        }
        const { guildId, channelId } = place;
        const startedAtMs = clock.now();
        const chat = { groupId: null, guildId, channelId, hostId, participants, startedAtMs };
        await storage.hostedChats.start(chat, owed);
      });
    });
  },
});

export const gcDebate = defineOperation({
  name: "gc_debate",
  description:
    "One debate: the participants answer each other in a few passes, then the host speaks",
  permission: "talker",
  input: z.object({
    topic: field(
      written({
        most: TOPIC_CHARACTERS,
        error: "Write the topic as a text",
        empty: "Say what the debate is about",
        long: `A topic may have at most ${TOPIC_CHARACTERS.toLocaleString("en")} characters`,
      }),
      { description: "What it is about; everybody here sees it", isSaid: true },
    ),
    passes: field(
      z
        .int({ error: `A debate has 1 to ${MAX_DEBATE_PASSES} passes` })
        .min(1, `A debate has 1 to ${MAX_DEBATE_PASSES} passes`)
        .max(MAX_DEBATE_PASSES, `A debate has 1 to ${MAX_DEBATE_PASSES} passes`)
        .optional(),
      {
        description: `How often each is asked, 1 to ${MAX_DEBATE_PASSES}; ${DEBATE_PASSES} when left out`,
      },
    ),
  }),
  async run(context, given) {
    const { storage, clock, asker, place, mailboxes, commandId } = context;
    await assertMayUse(context, place);
    const here = hostedHere(context, await venueIn(context, place.channelId));
    if (place.threadId !== null && (await storage.exchanges.ofThread(place.threadId)) !== null) {
      throw new UserError("conflict", ONLY_SHOWN);
    }
    if ((await agentsOfChat(context, here)).length < 2) {
      throw new UserError("conflict", NO_PARTICIPANTS);
    }
    await assertBudget(context, { ...asker, groupId: here.groupId });
    const passes = given.passes ?? DEBATE_PASSES;
    const isBusy = mailboxes.isBusy(conversationOf(place));
    const length = `${passes} ${passes === 1 ? "pass" : "passes"}`;
    const opening = await wordsFor(context, {
      place,
      // Everything after this sign is a quotation up to the end of the message.
      text: `Debate of ${length}, opened by ${bold(asker.name)}:\n>>> ${given.topic}`,
      isSilent: false,
      trigger: said({
        place,
        author: { kind: "person", userId: asker.userId, name: asker.name },
        text: given.topic,
        replyToId: commandId ?? null,
        debatePasses: passes,
        createdAtMs: clock.now(),
      }),
    });
    if (commandId !== undefined) {
      // The opening says it all. Messages that come after this one do not wait until it stands there.
      await storage.words.owe({ words: [opening], obeyed: commandId, atMs: clock.now() });
      const nothing = { text: "", isSaid: true };
      return { ...nothing, later: beginOwed(context, [opening]).then(() => nothing) };
    }
    if (!(await beginWith(context, [opening]))) {
      return { text: "The debate was called off before it began." };
    }
    return {
      text: isBusy
        ? "The debate begins as soon as what is going on here has ended."
        : "The debate has begun.",
    };
  },
});

export const gcEnd = defineOperation({
  name: "gc_end",
  description: "End the group chat here; all participants leave",
  permission: "talker",
  input: z.object({}),
  async run(context) {
    const { storage, place, mailboxes, exclusive, departures } = context;
    await assertMayUse(context, place);
    return exclusive.run(place.channelId, async () => {
      const venue = await venueIn(context, place.channelId);
      const here = hostedHere(context, venue);
      const [, ...others] = await agentsOfChat(context, here);
      const isGroup = venue.kind === "chat" && venue.group !== null;
      if (isGroup && others.length === 0 && !mailboxes.isBusy(conversationOf(place))) {
        throw new UserError("conflict", "There is no group chat to end here.");
      }
      const left = others.length === 0 ? "" : ` ${moved(others, "left")}.`;
      const text = `The group chat has ended.${left}`;
      const answer = await announced(
        context,
        place,
        { there: text, elsewhere: text },
        async (owed) => {
          if (isGroup) await storeParticipants(context, venue, [], owed);
          else {
            await storage.hostedChats.end(here.channelId, owed);
            departures.changed(here.channelId, here.participants, []);
          }
        },
      );
      await stopRounds(context);
      return answer;
    });
  },
});

/**
 * Ends the rounds of the chat, in the channel and in the threads under it, unless they began with
 * what was written after the command. What agents write to each other there goes on.
 */
async function stopRounds({
  storage,
  mailboxes,
  place,
  asker,
  sinceId,
}: OperationContext): Promise<void> {
  const stop = new StopRound({ by: asker.name, userId: asker.userId });
  const unfinished = await storage.rounds.unfinished();
  const rounds = unfinished.filter((round) => round.place.channelId === place.channelId);
  for (const round of rounds) {
    const isLater =
      sinceId !== undefined &&
      compareSnowflakes(await beginningOf({ storage }, round), sinceId) > 0;
    if (round.kind !== "hosted" || isLater) continue;
    mailboxes.abort(conversationOf(round.place), stop, round.id);
  }
  const here = conversationOf(place);
  // What is about to begin has no round yet.
  if (rounds.every((round) => conversationOf(round.place) !== here)) mailboxes.abort(here, stop);
}

/** The hosted chat here. */
function hostedHere(context: OperationContext, venue: Venue): HostedChat {
  const here = chatHere(context, venue);
  if (here.kind === "group") throw wrongKind(here.group, HOSTED_PLACES);
  return here.chat;
}

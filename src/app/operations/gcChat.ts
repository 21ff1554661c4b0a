/** A hosted chat begins, debates and ends. */
import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import type { HostedChat } from "../../domain/hostedChat.js";
import { DEBATE_PASSES, MAX_DEBATE_PASSES, MAX_PARTICIPANTS } from "../../domain/limits.js";
import { conversationOf } from "../../domain/message.js";
import { listOf, NO_PARTICIPANTS } from "../../domain/notices.js";
import { answerPending } from "../answerPending.js";
import { assertBudget } from "../budgets.js";
import { moved } from "../chatNews.js";
import { agentsOfChat } from "../hostedChats.js";
import { StopRound, unstoppable } from "../stopping.js";
import { text } from "./fields.js";
import { noChat } from "./gcMembers.js";
import { storeParticipants } from "./gcParticipants.js";
import { agentsNamed, assertMayChange, tell, type Venue, venueIn } from "./gcPlace.js";
import { defineOperation, field } from "./operation.js";
import { bold } from "./show.js";

/** Leaves room in one message for the name. */
const TOPIC_CHARACTERS = 1_700;

export const gcStart = defineOperation({
  name: "gc_start",
  description: "Start a hosted chat here: these agents tell the host what they think",
  permission: "talker",
  input: z.object({
    agents: text({
      description: "The agents, by name or display name, with commas between them",
      suggests: "agent",
    }).optional(),
  }),
  async run(context, given) {
    const { storage, clock, place, exclusive } = context;
    await assertMayChange(context, place);
    const agents = await agentsNamed(context, given.agents ?? "");
    return exclusive.run(place.channelId, async () => {
      const venue = await venueIn(context, place.channelId);
      if (venue.kind === "group") throw wrongKind(venue);
      const hostId = venue.kind === "chat" ? venue.chat.hostId : venue.agent.id;
      const others = agents.filter(({ id }) => id !== hostId);
      if (others.length > MAX_PARTICIPANTS) {
        throw new UserError(
          "full",
          `A group chat holds ${MAX_PARTICIPANTS} agents beside its host at most.`,
        );
      }
      const participants = others.map(({ id }) => id);
      const before =
        venue.kind === "chat" ? (await agentsOfChat(context, venue.chat)).slice(1) : [];
      const gone = before.filter(({ id }) => !participants.includes(id));
      const fresh = others.filter(({ id }) => !before.some((one) => one.id === id));
      if (venue.kind === "chat") await storeParticipants(context, venue, participants);
      else {
        await storage.hostedChats.start({
          groupId: null,
          guildId: place.guildId,
          channelId: place.channelId,
          hostId,
          participants,
          startedAtMs: clock.now(),
        });
      }
      const host = await storage.agents.get(hostId);
      const hostName = bold(host?.displayName ?? "the host");
      const sentences = [
        `A group chat with ${hostName} as its host has started.`,
        ...[moved(gone, "left"), moved(fresh, "joined")].flatMap((one) => (one ? [`${one}.`] : [])),
        ...(others.length === 0 ? [NO_PARTICIPANTS] : []),
      ];
      return tell(context, place, sentences.join(" "));
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
      z
        .string({ error: "Write the topic as a text" })
        .trim()
        .min(1, "Say what the debate is about")
        .max(
          TOPIC_CHARACTERS,
          `A topic can have ${TOPIC_CHARACTERS.toLocaleString("en")} characters at most`,
        ),
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
    const { storage, chat, clock, ids, asker, place, mailboxes } = context;
    await assertMayChange(context, place);
    const here = chatHere(await venueIn(context, place.channelId));
    if ((await agentsOfChat(context, here)).length < 2) {
      throw new UserError("conflict", NO_PARTICIPANTS);
    }
    await assertBudget(context, { ...asker, groupId: here.groupId });
    const passes = given.passes ?? DEBATE_PASSES;
    const isBusy = mailboxes.isBusy(conversationOf(place));
    const length = `${passes} ${passes === 1 ? "pass" : "passes"}`;
    const id = await chat.announce(
      {
        place,
        // Everything after this sign is a quotation up to the end of the message.
        text: `${bold(asker.name)} opens a debate of ${length}:\n>>> ${given.topic}`,
        buttons: [],
        isSilent: false,
        nonce: `gc${ids.round()}`,
        isDoubtful: false,
        afterId: null,
      },
      unstoppable(),
    );
    await storage.messages.record(
      {
        id,
        place,
        author: { kind: "person", userId: asker.userId, name: asker.name },
        text: given.topic,
        attachments: [],
        replyToId: null,
        askedId: null,
        debatePasses: passes,
        createdAtMs: clock.now(),
        editedAtMs: null,
        deletedAtMs: null,
        roundId: null,
        turn: null,
        seenThroughId: null,
      },
      { isPending: true },
    );
    answerPending(context, place);
    // In public it has been said already.
    if (context.isAnsweredInPublic === true) return { text: "" };
    return {
      text: isBusy
        ? "The debate begins as soon as what is going on here has ended."
        : "The debate has begun.",
    };
  },
});

export const gcEnd = defineOperation({
  name: "gc_end",
  description: "End the hosted chat here; all participants leave",
  permission: "talker",
  input: z.object({}),
  async run(context) {
    const { storage, place, asker, mailboxes, exclusive } = context;
    await assertMayChange(context, place);
    return exclusive.run(place.channelId, async () => {
      const venue = await venueIn(context, place.channelId);
      const here = chatHere(venue);
      const [, ...others] = await agentsOfChat(context, here);
      if (venue.kind === "chat" && venue.group !== null) {
        if (others.length === 0 && !mailboxes.isBusy(conversationOf(place))) {
          throw new UserError(
            "conflict",
            "No group chat is going on here, so there is none to end.",
          );
        }
        await storeParticipants(context, venue, []);
      } else await storage.hostedChats.end(here.channelId);
      const { name: by, userId } = asker;
      mailboxes.abort(conversationOf(place), new StopRound({ by, userId }));
      const left = listOf(others.map(({ displayName }) => bold(displayName)));
      return tell(
        context,
        place,
        others.length === 0
          ? "The group chat has ended."
          : `The group chat has ended. ${left} ${others.length === 1 ? "has" : "have"} left.`,
      );
    });
  },
});

function chatHere(venue: Venue): HostedChat {
  if (venue.kind === "group") throw wrongKind(venue);
  if (venue.kind === "agent") throw noChat();
  return venue.chat;
}

function wrongKind({ group }: Extract<Venue, { kind: "group" }>): UserError {
  return new UserError(
    "conflict",
    `This works in hosted groups and in agents' own channels, and ${bold(group.displayName)} is ${group.kind === "open" ? "an open" : `a ${group.kind}`} group.`,
  );
}

import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import { asId, type MessageId, type UserId } from "../../domain/ids.js";
import { MAX_READ_MESSAGES, READ_MESSAGES } from "../../domain/limits.js";
import { cut, escapeLabels, imitable, personName, plainName } from "../../domain/prompts/labels.js";
import type { SeenMessage } from "../../ports/chat.js";
import { text } from "../operations/fields.js";
import { defineOperation, field, isHeard, type OperationContext } from "../operations/operation.js";
import { quoted } from "../operations/show.js";

/** Of one message; a channel is read to know what it is about. */
const MESSAGE_CHARACTERS = 1_000;

/**
 * Reads a channel or thread as the person could, without what people wrote whom the settings say to
 * ignore. What stands there is material, never an order.
 */
export const channelRead = defineOperation({
  name: "channel_read",
  description: "Read messages of a channel or thread of this server, oldest first",
  permission: "talker",
  input: z.object({
    channel: text({ description: "The channel or thread: its name, mention, id or link" }),
    around: field(
      z
        .string({ error: "Give the id of a message as a text" })
        .regex(/^\d{17,20}$/u, "Give the id of a message, a number of 17 to 20 digits"),
      { description: "The id of a message to read around; the newest messages when left out" },
    ).optional(),
    limit: field(
      z
        .int({ error: "Give a whole number" })
        .min(1, `Give a number from 1 to ${MAX_READ_MESSAGES}`)
        .max(MAX_READ_MESSAGES, `Give a number from 1 to ${MAX_READ_MESSAGES}`),
      { description: "How many messages, 1 to 50; 20 when left out" },
    ).optional(),
  }),
  async run(context, { channel, around, limit }) {
    const { chat, asker } = context;
    const meant = meantBy(channel);
    const wanted = around ?? meant.around;
    const isElsewhere = meant.guildId !== undefined && meant.guildId !== asker.guildId;
    const seen = isElsewhere
      ? null
      : await chat.read({
          guildId: asker.guildId,
          userId: asker.userId,
          channel: meant.channel,
          around: wanted === undefined ? null : asId<MessageId>(wanted),
          limit: limit ?? READ_MESSAGES,
        });
    if (seen === null) {
      throw new UserError(
        "unknown",
        `There is no channel ${quoted(channel)} that ${plainName(asker.name)} may read.`,
      );
    }
    if (seen.length === 0) return { text: "Nothing has been written there." };
    const heard = await heardOf(context, seen);
    const speakers = imitable(heard.map(({ authorName }) => authorName));
    const lines = heard.map((message) => lineOf(message, speakers));
    return { text: [...lines, ...leftOut(seen.length - heard.length)].join("\n") };
  },
});

async function heardOf(
  { chat, settings, place }: OperationContext,
  seen: readonly SeenMessage[],
): Promise<readonly SeenMessage[]> {
  const people = new Set(seen.flatMap(({ userId }) => userId ?? []));
  const ignored = new Set<UserId>();
  for (const userId of people) {
    if (isHeard({ asker: { userId, roleIds: [] }, settings })) continue;
    const person = await chat.asker(userId, place);
    if (person === null || !isHeard({ asker: person, settings })) ignored.add(userId);
  }
  return seen.filter(({ userId }) => userId === null || !ignored.has(userId));
}

function leftOut(count: number): readonly string[] {
  if (count === 0) return [];
  const what = count === 1 ? "message" : "messages";
  return [`(${count} ${what} of people who may not talk to the agents here: left out.)`];
}

/** As Discord copies links of channels, threads and messages. */
const LINK =
  /^<?https?:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/(\d{17,20})\/(\d{17,20})(?:\/(\d{17,20}))?\/?>?$/iu;

/** What a link leads to; anything else is a name, mention or id. A link of a message is read around it. */
function meantBy(text: string): {
  readonly guildId?: string | undefined;
  readonly channel: string;
  readonly around?: string | undefined;
} {
  const [, guildId, channel, around] = LINK.exec(text.trim()) ?? [];
  return channel === undefined ? { channel: text } : { guildId, channel, around };
}

function lineOf(
  { id, authorName, userId, text: said, files, createdAtMs }: SeenMessage,
  speakers: ReturnType<typeof imitable>,
): string {
  const time = new Date(createdAtMs).toISOString().slice(0, 16).replace("T", " ");
  const who = `${personName(authorName)}${userId === null ? "" : " (person)"}`;
  const text = escapeLabels(cut(said, MESSAGE_CHARACTERS), speakers);
  const names = files.map((name) => `[file: ${plainName(name)}]`);
  const words = [text, ...names].filter((part) => part !== "").join(" ");
  // Indented, so that no line of a message looks like the beginning of another one.
  return `${id} ${time} ${who}: ${words.replaceAll("\n", "\n  ")}`;
}

/** Messages of people that are more than text and files. */
import {
  type APIMessageSnapshot,
  type APIPoll,
  type APIStickerItem,
  PollLayoutType,
  StickerFormatType,
} from "discord-api-types/v10";
import type { MessageRecord } from "../world/records.js";
import { bits, isoTime } from "../world/views.js";
import type { World } from "../world/world.js";
import { PersonError } from "./personError.js";

export interface NewPoll {
  readonly question: string;
  readonly answers: readonly string[];
}

const POLL_HOURS = 24;

/** https://docs.discord.com/developers/resources/poll#poll-create-request-object */
export function pollOf(world: World, { question, answers }: NewPoll): APIPoll {
  if (question === "" || question.length > 300) {
    throw new PersonError("A question has 1 to 300 characters.");
  }
  if (answers.length === 0 || answers.length > 10 || answers.some(({ length }) => length > 55)) {
    throw new PersonError("A poll has 1 to 10 answers of at most 55 characters.");
  }
  return {
    question: { text: question },
    answers: answers.map((text, index) => ({ answer_id: index + 1, poll_media: { text } })),
    expiry: isoTime(world.clock.now() + POLL_HOURS * 3_600_000),
    allow_multiselect: false,
    layout_type: PollLayoutType.Default,
    results: { is_finalized: false, answer_counts: [] },
  };
}

export function stickerOf(world: World, name: string): APIStickerItem {
  if (name === "") throw new PersonError("A sticker has a name.");
  return { id: world.ids.next(), name, format_type: StickerFormatType.PNG };
}

/** What a forward carries of a message: not who wrote it. */
export function snapshotOf(message: MessageRecord): APIMessageSnapshot {
  return {
    message: {
      type: message.type,
      content: message.content,
      mentions: [],
      mention_roles: [...message.mentionRoleIds],
      attachments: [...message.attachments],
      embeds: [...message.embeds],
      timestamp: isoTime(message.createdAtMs),
      edited_timestamp: message.editedAtMs === null ? null : isoTime(message.editedAtMs),
      flags: bits(message.flags),
      components: [...message.components],
      ...(message.stickers.length > 0 ? { sticker_items: [...message.stickers] } : {}),
    },
  };
}

import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIMessage,
  ButtonStyle,
  type Client,
  ComponentType,
  MessageFlags,
  RESTJSONErrorCodes,
  type RESTPatchAPIChannelMessageJSONBody,
  type RESTPostAPIChannelMessageJSONBody,
  Routes,
} from "discord.js";
import { asId, snowflakeAt } from "../../domain/ids.js";
import { STALE_ROUND_MS } from "../../domain/limits.js";
import { conversationOf } from "../../domain/message.js";
import { type Announcement, type Button, type Chat, ChatError } from "../../ports/chat.js";
import type { Clock, Log } from "../../ports/system.js";
import { attempt, confirmedEmpty, madeOf, withShortPauses } from "./attempt.js";
import { unlessContradicted } from "./contradicted.js";
import type { Doubts } from "./doubts.js";
import { hasCode } from "./errors.js";
import type { Meant } from "./meant.js";
import type { Personas } from "./personas.js";
import type { PacedRest } from "./rest.js";
import { findMessage, isSameText } from "./search.js";

const SAYING = { hasEffect: true, needs: "View Channel and Send Messages" };
const REMOVING = { hasEffect: false, needs: "Manage Messages" };
/** https://docs.discord.com/developers/components/reference#action-row */
const BUTTONS_PER_ROW = 5;

/** What the bot says and does under its own name. */
export function createAnnouncements(options: {
  readonly client: Client<true>;
  readonly sender: PacedRest;
  readonly personas: Pick<Personas, "removePost">;
  readonly doubts: Doubts;
  readonly hasChannel: Chat["hasChannel"];
  readonly clock: Clock;
  readonly log: Log;
}): Pick<Chat, "announce" | "findOwn" | "editAnnouncement" | "remove" | "showTyping"> {
  const { client, sender, personas, doubts, clock, log } = options;

  const find = (announcement: Announcement, signal: AbortSignal) => {
    const { place, text } = announcement;
    const afterId = announcement.afterId ?? snowflakeAt(clock.now() - STALE_ROUND_MS);
    return doubts.look(meantBy(announcement), { afterId, except: [] }, () =>
      findMessage(
        { client, sender },
        { place, afterId },
        (message) => isOwn(message) && isSameText(message.content, text),
        signal,
      ),
    );
  };
  const isOwn = (message: APIMessage) =>
    message.author.id === client.user.id && message.webhook_id === undefined;

  return {
    async announce(announcement, signal) {
      if (announcement.isDoubtful) {
        const found = await withShortPauses(clock, signal, () => find(announcement, signal));
        if (found !== null) return found;
      }
      const route = Routes.channelMessages(conversationOf(announcement.place));
      const body = bodyOf(announcement);
      return doubts.sending(meantBy(announcement), signal, async () => {
        const message = await withShortPauses(clock, signal, () =>
          attempt(SAYING, signal, (signal) =>
            madeOf<APIMessage>(sender.post(route, { body, signal })),
          ),
        );
        return asId(message.id);
      });
    },

    findOwn: ({ buttonId, ...where }, signal) =>
      doubts.lookForButton(where.place, buttonId, where, () =>
        findMessage(
          { client, sender },
          where,
          (message) => isOwn(message) && hasButton(message, buttonId),
          signal,
        ),
      ),

    async editAnnouncement(place, messageId, change) {
      const body: RESTPatchAPIChannelMessageJSONBody = {
        content: change.text,
        components: rowsOf(change.buttons),
        // An edit is searched for mentions anew.
        allowed_mentions: { parse: [] },
      };
      await withShortPauses(clock, undefined, () =>
        attempt(SAYING, undefined, () =>
          sender.patch(Routes.channelMessage(conversationOf(place), messageId), { body }),
        ),
      );
    },

    async remove(place, messageId) {
      const route = Routes.channelMessage(conversationOf(place), messageId);
      const removeByBot = () =>
        attempt(REMOVING, undefined, async () => {
          try {
            confirmedEmpty(await sender.delete(route));
          } catch (error) {
            if (hasCode(error, RESTJSONErrorCodes.UnknownMessage)) return;
            if (hasCode(error, RESTJSONErrorCodes.MissingPermissions)) {
              await personas.removePost(place, messageId);
            } else throw error;
          }
        });
      try {
        await unlessContradicted(options, { place, needs: "remove" }, () =>
          withShortPauses(clock, undefined, removeByBot),
        );
      } catch (error) {
        if (!(error instanceof ChatError) || error.kind !== "gone") throw error;
      }
    },

    async showTyping(place) {
      // It would be shown too late, and what people wait for later still.
      if (sender.isHeldUp) return;
      try {
        await sender.post(Routes.channelTyping(conversationOf(place)));
      } catch (error) {
        log.debug({ err: error }, "typing was not shown");
      }
    },
  };
}

function meantBy({ place, text, buttons }: Announcement): Meant {
  return { place, personaName: null, text, buttonIds: buttons.map(({ id }) => id) };
}

function bodyOf(announcement: Announcement): RESTPostAPIChannelMessageJSONBody {
  return {
    content: announcement.text,
    components: rowsOf(announcement.buttons),
    allowed_mentions: { parse: [] },
    nonce: announcement.nonce,
    // With it, Discord answers a repetition with the first message instead of saying it again.
    enforce_nonce: true,
    ...(announcement.isSilent ? { flags: MessageFlags.SuppressNotifications } : {}),
  };
}

function hasButton(message: APIMessage, buttonId: string): boolean {
  return (message.components ?? []).some(
    (row) =>
      row.type === ComponentType.ActionRow &&
      row.components.some(
        (component) => "custom_id" in component && component.custom_id === buttonId,
      ),
  );
}

/** Buttons as Discord lays them out. */
export function rowsOf(
  buttons: readonly Button[],
): APIActionRowComponent<APIButtonComponentWithCustomId>[] {
  const rows: APIActionRowComponent<APIButtonComponentWithCustomId>[] = [];
  for (let first = 0; first < buttons.length; first += BUTTONS_PER_ROW) {
    rows.push({
      type: ComponentType.ActionRow,
      components: buttons.slice(first, first + BUTTONS_PER_ROW).map((button) => ({
        type: ComponentType.Button,
        custom_id: button.id,
        label: button.label,
        style: button.style === "danger" ? ButtonStyle.Danger : ButtonStyle.Secondary,
      })),
    });
  }
  return rows;
}

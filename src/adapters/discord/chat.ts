import type { Client } from "discord.js";
import { conversationOf } from "../../domain/message.js";
import type { Chat } from "../../ports/chat.js";
import type { WebhookStore } from "../../ports/storage.js";
import type { Clock, Log } from "../../ports/system.js";
import { createAnnouncements } from "./announcements.js";
import { createChannels } from "./channels.js";
import { unlessContradicted } from "./contradicted.js";
import { Doubts } from "./doubts.js";
import { createPersonas } from "./personas.js";
import { createPictures } from "./pictures.js";
import { createReading } from "./reading.js";
import type { PacedRest } from "./rest.js";
import { createThreads } from "./threads.js";

/** The chat port on Discord, over a gateway that is logged in. */
export function createDiscordChat(options: {
  readonly client: Client<true>;
  readonly sender: PacedRest;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly log: Log;
}): Chat {
  const { client, sender, webhooks: store, clock, log } = options;
  const doubts = new Doubts({
    client,
    clock,
    log,
    remove: ({ place, personaName }, messageId) =>
      personaName === null
        ? announcements.remove(place, messageId)
        : personas.removePost(place, messageId),
  });
  const channels = createChannels({ client, sender, clock, log });
  const { hasChannel } = channels;
  const asked = { client, clock, hasChannel };
  const personas = createPersonas({ client, sender, store, doubts, clock, log });
  const announcements = createAnnouncements({
    client,
    sender,
    personas,
    doubts,
    hasChannel,
    clock,
    log,
  });
  return {
    post: (post, signal) =>
      unlessContradicted(asked, { place: post.place, needs: "post", signal }, () =>
        personas.post(post, signal),
      ),
    findPost: (wanted, signal) =>
      unlessContradicted(asked, { place: wanted.place, needs: "look", signal }, () =>
        personas.findPost(wanted, signal),
      ),
    editPost: personas.editPost,
    ...announcements,
    announce: (announcement, signal) =>
      unlessContradicted(asked, { place: announcement.place, needs: "say", signal }, () =>
        announcements.announce(announcement, signal),
      ),
    ...channels,
    ...createPictures({ client, sender, clock }),
    ...createThreads({ client, sender, clock, log }),
    ...createReading(client),
    link: (place, messageId) =>
      `https://discord.com/channels/${place.guildId}/${conversationOf(place)}/${messageId}`,
  };
}

import type { APIUser } from "discord-api-types/v10";
import { never } from "../never.js";
import type { InteractionSource, WebhookRecord } from "./records.js";
import { bits, viewUser } from "./views.js";
import type { World } from "./world.js";

/** Who posts: a user (the bot's user included), a webhook persona, or the application's answer. */
export type Sender =
  | { readonly kind: "user"; readonly userId: string }
  | {
      readonly kind: "webhook";
      readonly webhook: WebhookRecord;
      readonly name: string;
      readonly avatarHash: string | null;
      readonly avatarUrl: string | null;
    }
  | {
      readonly kind: "interaction";
      readonly source: InteractionSource;
      readonly ephemeralFor: string | null;
    };

export function authorOf(world: World, sender: Sender): APIUser {
  switch (sender.kind) {
    case "user":
      return viewUser(world.user(sender.userId));
    case "interaction":
      return viewUser(world.user(world.application.botUserId));
    case "webhook":
      return {
        id: sender.webhook.id,
        username: sender.name,
        avatar: sender.avatarHash,
        discriminator: "0000",
        public_flags: bits(0),
        flags: bits(0),
        bot: true,
        global_name: null,
        primary_guild: null,
      };
    default:
      return never(sender);
  }
}

export function webhookIdOf(world: World, sender: Sender): string | null {
  if (sender.kind === "webhook") return sender.webhook.id;
  return sender.kind === "interaction" ? world.application.id : null;
}

export function applicationIdOf(world: World, sender: Sender): string | null {
  if (sender.kind === "webhook") return sender.webhook.applicationId;
  return sender.kind === "interaction" ? world.application.id : null;
}

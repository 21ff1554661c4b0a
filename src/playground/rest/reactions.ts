import {
  PermissionFlagsBits as Permission,
  type RESTGetAPIChannelMessageReactionUsersResult,
} from "discord-api-types/v10";
import { requireInChannel } from "../world/permissions.js";
import {
  addReaction,
  clearReactions,
  findReaction,
  readEmoji,
  removeReaction,
} from "../world/reactions.js";
import { viewUser } from "../world/views.js";
import type { World } from "../world/world.js";
import { answer, noContent, param, type RestApp, type RestContext, requireBot } from "./context.js";
import { publicMessage, readableChannel } from "./messages.js";

const BASE = "/channels/:channel/messages/:message/reactions";

export function reactionRoutes(app: RestApp, world: World): void {
  app.put(`${BASE}/:emoji/@me`, (c) => {
    const { channel, message, botId } = target(c);
    const emoji = readEmoji(world, param(c, "emoji"));
    // Reactions and their permissions need to be read before one is added.
    requireInChannel(world, channel, botId, Permission.ReadMessageHistory);
    if (!findReaction(message, emoji)) {
      requireInChannel(world, channel, botId, Permission.AddReactions);
    }
    addReaction(world, message, botId, emoji);
    return noContent(c);
  });

  app.delete(`${BASE}/:emoji/@me`, (c) => {
    const { message, botId } = target(c);
    removeReaction(world, message, botId, readEmoji(world, param(c, "emoji")));
    return noContent(c);
  });

  app.delete(`${BASE}/:emoji/:user`, (c) => {
    const { channel, message, botId } = target(c);
    requireInChannel(world, channel, botId, Permission.ManageMessages);
    removeReaction(world, message, param(c, "user"), readEmoji(world, param(c, "emoji")));
    return noContent(c);
  });

  app.get(`${BASE}/:emoji`, (c) => {
    const { message } = target(c);
    const reaction = findReaction(message, readEmoji(world, param(c, "emoji")));
    return answer<RESTGetAPIChannelMessageReactionUsersResult>(
      c,
      [...(reaction?.userIds ?? [])].map((id) => viewUser(world.user(id))),
    );
  });

  app.delete(BASE, (c) => {
    const { channel, message, botId } = target(c);
    requireInChannel(world, channel, botId, Permission.ManageMessages);
    clearReactions(world, message);
    return noContent(c);
  });

  app.delete(`${BASE}/:emoji`, (c) => {
    const { channel, message, botId } = target(c);
    requireInChannel(world, channel, botId, Permission.ManageMessages);
    clearReactions(world, message, readEmoji(world, param(c, "emoji")));
    return noContent(c);
  });

  function target(c: RestContext) {
    const botId = requireBot(c, world);
    const channel = readableChannel(world, c, botId);
    return { botId, channel, message: publicMessage(world, channel.id, param(c, "message")) };
  }
}

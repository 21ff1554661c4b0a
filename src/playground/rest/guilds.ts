import {
  PermissionFlagsBits as Permission,
  type RESTGetAPICurrentUserGuildsResult,
  type RESTGetAPIGuildChannelsResult,
  type RESTGetAPIGuildMemberResult,
  type RESTGetAPIGuildMembersResult,
  type RESTGetAPIGuildResult,
  type RESTGetAPIGuildRoleResult,
  type RESTGetAPIGuildRolesResult,
  type RESTGetAPIUserResult,
} from "discord-api-types/v10";
import { invalidField, refusal, unknown } from "../errors.js";
import { createChannel, updateChannel } from "../world/channels.js";
import { viewPlainChannel } from "../world/channelViews.js";
import { removeMember, updateMember } from "../world/guilds.js";
import { guildPermissions, requireInGuild } from "../world/permissions.js";
import type { GuildRecord } from "../world/records.js";
import { compareIds } from "../world/snowflakes.js";
import {
  mayListMembers,
  viewApplication,
  viewGuild,
  viewMember,
  viewRole,
  viewSelf,
  viewUser,
} from "../world/views.js";
import type { World } from "../world/world.js";
import { readNewChannel } from "./channelForms.js";
import {
  answer,
  bodyForm,
  noContent,
  param,
  type RestApp,
  type RestContext,
  requireBot,
} from "./context.js";
import { isObject, textOf } from "./form.js";

export function guildRoutes(app: RestApp, world: World): void {
  app.get("/guilds/:guild", (c) => {
    return answer<RESTGetAPIGuildResult>(c, viewGuild(world, joinedGuild(c)));
  });

  app.get("/guilds/:guild/roles", (c) => {
    const roles = [...joinedGuild(c).roles.values()];
    return answer<RESTGetAPIGuildRolesResult>(
      c,
      roles.map((role) => viewRole(role, world.application.botUserId)),
    );
  });

  app.get("/guilds/:guild/roles/:role", (c) => {
    const role = joinedGuild(c).roles.get(param(c, "role"));
    if (!role) throw unknown("role");
    return answer<RESTGetAPIGuildRoleResult>(c, viewRole(role, world.application.botUserId));
  });

  app.get("/guilds/:guild/channels", (c) => {
    return answer<RESTGetAPIGuildChannelsResult>(
      c,
      world.channelsOf(joinedGuild(c).id).map(viewPlainChannel),
    );
  });

  app.post("/guilds/:guild/channels", (c) => {
    const guild = joinedGuild(c);
    requireInGuild(guild, world.application.botUserId, Permission.ManageChannels);
    const channel = createChannel(world, guild, readNewChannel(world, guild, bodyForm(c)));
    return answer(c, viewPlainChannel(channel), 201);
  });

  app.patch("/guilds/:guild/channels", (c) => {
    const guild = joinedGuild(c);
    requireInGuild(guild, world.application.botUserId, Permission.ManageChannels);
    const body = c.get("body");
    if (!Array.isArray(body)) throw invalidField("", "LIST_TYPE_CONVERT", "Must be a list");
    const moves = body.filter((move) => isObject(move));
    if (moves.filter((move) => move["parent_id"] !== undefined).length > 1) {
      throw refusal("oneMoveAtATime");
    }
    for (const move of moves) {
      const parentId = move["parent_id"];
      updateChannel(world, guild, world.channel(textOf(move["id"])), {
        ...(typeof move["position"] === "number" ? { position: move["position"] } : {}),
        ...(parentId === undefined
          ? {}
          : { parentId: parentId === null ? null : textOf(parentId) }),
      });
    }
    return noContent(c);
  });

  app.get("/guilds/:guild/members", (c) => {
    const members = [...joinedGuild(c).members.values()];
    if (!mayListMembers(world)) throw refusal("missingAccess");
    const limit = Number(c.req.query("limit") ?? 1);
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
      throw invalidField("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 1000.");
    }
    const after = c.req.query("after") ?? "0";
    if (!/^\d+$/.test(after)) {
      throw invalidField("after", "NUMBER_TYPE_COERCE", `Value "${after}" is not snowflake.`);
    }
    const page = members
      .filter((member) => compareIds(member.userId, after) > 0)
      .sort((a, b) => compareIds(a.userId, b.userId))
      .slice(0, limit);
    return answer<RESTGetAPIGuildMembersResult>(
      c,
      page.map((member) => viewMember(world, member)),
    );
  });

  app.get("/guilds/:guild/members/search", (c) => {
    const wanted = (c.req.query("query") ?? "").toLowerCase();
    const limit = Number(c.req.query("limit") ?? 1);
    const found = [...joinedGuild(c).members.values()].filter((member) => {
      const user = world.user(member.userId);
      return [member.nick, user.globalName, user.username].some((name) =>
        name?.toLowerCase().startsWith(wanted),
      );
    });
    return answer<RESTGetAPIGuildMembersResult>(
      c,
      found.slice(0, limit).map((member) => viewMember(world, member)),
    );
  });

  app.get("/guilds/:guild/members/:user", (c) => {
    const guild = joinedGuild(c);
    world.user(param(c, "user"));
    return answer<RESTGetAPIGuildMemberResult>(
      c,
      viewMember(world, world.member(guild.id, param(c, "user"))),
    );
  });

  app.patch("/guilds/:guild/members/@me", (c) => {
    const guild = joinedGuild(c);
    const botId = world.application.botUserId;
    requireInGuild(guild, botId, Permission.ChangeNickname);
    const form = bodyForm(c);
    const nick = form.isNull("nick") ? null : form.text("nick", { max: 32 });
    form.check();
    updateMember(
      world,
      guild,
      botId,
      nick === undefined ? {} : { nick: nick === "" ? null : nick },
    );
    return answer<RESTGetAPIGuildMemberResult>(c, viewMember(world, world.member(guild.id, botId)));
  });

  function joinedGuild(c: RestContext): GuildRecord {
    const botId = requireBot(c, world);
    const guild = world.guild(param(c, "guild"));
    if (!guild.members.has(botId)) throw refusal("missingAccess");
    return guild;
  }
}

export function userRoutes(app: RestApp, world: World): void {
  for (const path of ["/applications/@me", "/oauth2/applications/@me"]) {
    app.get(path, (c) => {
      requireBot(c, world);
      return answer(c, viewApplication(world));
    });
  }

  app.get("/users/@me", (c) => {
    return answer<RESTGetAPIUserResult>(c, viewSelf(world.user(requireBot(c, world))));
  });

  app.get("/users/@me/guilds", (c) => {
    const botId = requireBot(c, world);
    const joined = [...world.guilds.values()].filter((guild) => guild.members.has(botId));
    return answer<RESTGetAPICurrentUserGuildsResult>(
      c,
      joined.map((guild) => ({
        id: guild.id,
        name: guild.name,
        icon: null,
        banner: null,
        owner: guild.ownerId === botId,
        permissions: String(guildPermissions(guild, botId)),
        features: [],
      })),
    );
  });

  app.delete("/users/@me/guilds/:guild", (c) => {
    const botId = requireBot(c, world);
    const guild = world.guild(param(c, "guild"));
    if (!guild.members.has(botId)) throw unknown("guild");
    removeMember(world, guild, botId);
    return noContent(c);
  });

  app.get("/users/:user", (c) => {
    requireBot(c, world);
    return answer<RESTGetAPIUserResult>(c, viewUser(world.user(param(c, "user"))));
  });
}

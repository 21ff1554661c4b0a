import {
  ChannelType,
  PermissionFlagsBits as Permission,
  type RESTGetAPIChannelThreadMembersResult,
  type RESTGetAPIChannelThreadsArchivedPublicResult,
  type RESTGetAPIGuildThreadsResult,
} from "discord-api-types/v10";
import { refusal, unknown } from "../errors.js";
import { viewThread, viewThreadMember } from "../world/channelViews.js";
import { canSee, requireInChannel } from "../world/permissions.js";
import type { ChannelRecord, ThreadRecord } from "../world/records.js";
import { createThread, type NewThread } from "../world/threadCreation.js";
import { joinThread, leaveThread } from "../world/threads.js";
import type { World } from "../world/world.js";
import {
  answer,
  bodyForm,
  noContent,
  param,
  type RestApp,
  type RestContext,
  requireBot,
} from "./context.js";
import type { Form } from "./form.js";
import { publicMessage, readableChannel } from "./messages.js";
import { readArchiveMinutes } from "./threadForms.js";

/** Sent by Discord, missing in the types. */
const UNTYPED = { has_more: false };

const THREAD_TYPES = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
] as const;

const DEFAULT_ARCHIVE_MINUTES = 4320;

export function threadRoutes(app: RestApp, world: World): void {
  app.post("/channels/:channel/messages/:message/threads", (c) => {
    const botId = requireBot(c, world);
    const parent = parentOf(c, botId);
    requireInChannel(world, parent, botId, Permission.CreatePublicThreads);
    const startMessage = publicMessage(world, parent.id, param(c, "message"));
    const type =
      parent.type === ChannelType.GuildAnnouncement
        ? ChannelType.AnnouncementThread
        : ChannelType.PublicThread;
    const thread = createThread(world, parent, { ...read(bodyForm(c), botId, type), startMessage });
    return answer(c, withMember(thread, botId), 201);
  });

  app.post("/channels/:channel/threads", (c) => {
    const botId = requireBot(c, world);
    const parent = parentOf(c, botId);
    const form = bodyForm(c);
    // Without a type a thread is private.
    const type = form.oneOf("type", THREAD_TYPES) ?? ChannelType.PrivateThread;
    const isPrivate = type === ChannelType.PrivateThread;
    requireInChannel(
      world,
      parent,
      botId,
      isPrivate ? Permission.CreatePrivateThreads : Permission.CreatePublicThreads,
    );
    const thread = createThread(world, parent, read(form, botId, type));
    return answer(c, withMember(thread, botId), 201);
  });

  app.get("/guilds/:guild/threads/active", (c) => {
    const botId = requireBot(c, world);
    const guild = world.guild(param(c, "guild"));
    if (!guild.members.has(botId)) throw refusal("missingAccess");
    const threads = world
      .threadsOf(guild.id)
      .filter((thread) => !thread.archived && canSee(world, thread, botId));
    return answer<RESTGetAPIGuildThreadsResult>(c, { ...listOf(threads, botId), ...UNTYPED });
  });

  for (const kind of ["public", "private"] as const) {
    app.get(`/channels/:channel/threads/archived/${kind}`, (c) => {
      const botId = requireBot(c, world);
      const parent = parentOf(c, botId);
      requireInChannel(world, parent, botId, Permission.ReadMessageHistory);
      if (kind === "private") requireInChannel(world, parent, botId, Permission.ManageThreads);
      const limit = Number(c.req.query("limit") ?? 50);
      const threads = world
        .threadsOf(parent.guildId)
        .filter((thread) => thread.parentId === parent.id && thread.archived)
        .filter((thread) => (thread.type === ChannelType.PrivateThread) === (kind === "private"))
        .sort((a, b) => b.archiveTimestampMs - a.archiveTimestampMs);
      return answer<RESTGetAPIChannelThreadsArchivedPublicResult>(c, {
        ...listOf(threads.slice(0, limit), botId),
        has_more: threads.length > limit,
      });
    });
  }

  app.get("/channels/:channel/thread-members", (c) => {
    const botId = requireBot(c, world);
    const thread = threadOf(c, botId);
    return answer<RESTGetAPIChannelThreadMembersResult>(
      c,
      [...thread.members.keys()].map((id) => viewThreadMember(thread, id)),
    );
  });

  app.get("/channels/:channel/thread-members/:user", (c) => {
    const botId = requireBot(c, world);
    const thread = threadOf(c, botId);
    const wanted = param(c, "user");
    const userId = wanted === "@me" ? botId : wanted;
    if (!thread.members.has(userId)) throw unknown("member");
    return answer(c, viewThreadMember(thread, userId));
  });

  app.put("/channels/:channel/thread-members/:user", (c) => {
    const botId = requireBot(c, world);
    const thread = threadOf(c, botId);
    if (thread.archived) throw refusal("threadArchived");
    const wanted = param(c, "user");
    const userId = wanted === "@me" ? botId : world.member(thread.guildId, wanted).userId;
    if (userId !== botId) {
      requireInChannel(world, thread, botId, Permission.SendMessagesInThreads);
    }
    joinThread(world, thread, userId);
    return noContent(c);
  });

  app.delete("/channels/:channel/thread-members/:user", (c) => {
    const botId = requireBot(c, world);
    const thread = threadOf(c, botId);
    if (thread.archived) throw refusal("threadArchived");
    const wanted = param(c, "user");
    if (wanted !== "@me") requireInChannel(world, thread, botId, Permission.ManageThreads);
    leaveThread(world, thread, wanted === "@me" ? botId : wanted);
    return noContent(c);
  });

  function parentOf(c: RestContext, botId: string): ChannelRecord {
    const channel = readableChannel(world, c, botId);
    if (channel.kind === "thread") throw refusal("wrongChannelType");
    return channel;
  }

  function threadOf(c: RestContext, botId: string): ThreadRecord {
    const channel = readableChannel(world, c, botId);
    if (channel.kind !== "thread") throw refusal("wrongChannelType");
    return channel;
  }

  function withMember(thread: ThreadRecord, userId: string) {
    return { ...viewThread(thread), member: viewThreadMember(thread, userId) };
  }

  function listOf(threads: readonly ThreadRecord[], botId: string) {
    const joined = threads.filter((thread) => thread.members.has(botId));
    return {
      threads: threads.map(viewThread),
      members: joined.map((thread) => viewThreadMember(thread, botId)),
    };
  }
}

function read(form: Form, ownerId: string, type: ThreadRecord["type"]): NewThread {
  form.required("name");
  const name = form.text("name", { min: 1, max: 100 });
  const autoArchiveMinutes = readArchiveMinutes(form) ?? DEFAULT_ARCHIVE_MINUTES;
  const invitable = form.bool("invitable");
  const slowmodeSeconds = form.integer("rate_limit_per_user", 0, 21_600);
  form.check();
  return {
    name: name ?? "",
    ownerId,
    type,
    autoArchiveMinutes,
    ...(invitable === undefined ? {} : { invitable }),
    ...(slowmodeSeconds === undefined ? {} : { slowmodeSeconds }),
  };
}

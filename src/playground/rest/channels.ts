import {
  PermissionFlagsBits as Permission,
  type RESTDeleteAPIChannelResult,
  type RESTGetAPIChannelResult,
  type RESTPatchAPIChannelResult,
} from "discord-api-types/v10";
import { refusal, unknown } from "../errors.js";
import { deleteChannel, deleteOverwrite, setOverwrite, updateChannel } from "../world/channels.js";
import { viewChannel, viewPlainChannel, viewThread } from "../world/channelViews.js";
import { requireInChannel } from "../world/permissions.js";
import type { ThreadRecord } from "../world/records.js";
import { deleteThread } from "../world/threadCreation.js";
import { mayManage, updateThread } from "../world/threads.js";
import type { World } from "../world/world.js";
import { readChannelChange, readOverwrite } from "./channelForms.js";
import { answer, bodyForm, noContent, param, type RestApp, requireBot } from "./context.js";
import type { Form } from "./form.js";
import { readArchiveMinutes } from "./threadForms.js";

export function channelRoutes(app: RestApp, world: World): void {
  app.get("/channels/:channel", (c) => {
    const botId = requireBot(c, world);
    const channel = world.anyChannel(param(c, "channel"));
    requireInChannel(world, channel, botId);
    return answer<RESTGetAPIChannelResult>(c, viewChannel(channel));
  });

  app.patch("/channels/:channel", (c) => {
    const botId = requireBot(c, world);
    const channel = world.anyChannel(param(c, "channel"));
    requireInChannel(world, channel, botId);
    const form = bodyForm(c);
    if (channel.kind === "thread") {
      changeThread(channel, form, botId);
      return answer<RESTPatchAPIChannelResult>(c, viewThread(channel));
    }
    requireInChannel(world, channel, botId, Permission.ManageChannels);
    if (form.has("permission_overwrites")) {
      requireInChannel(world, channel, botId, Permission.ManageRoles);
    }
    const guild = world.guild(channel.guildId);
    updateChannel(world, guild, channel, readChannelChange(world, guild, form));
    return answer<RESTPatchAPIChannelResult>(c, viewPlainChannel(channel));
  });

  app.delete("/channels/:channel", (c) => {
    const botId = requireBot(c, world);
    const channel = world.anyChannel(param(c, "channel"));
    if (channel.kind === "thread") {
      requireInChannel(world, channel, botId, Permission.ManageThreads);
      const view = viewThread(channel);
      deleteThread(world, channel);
      return answer<RESTDeleteAPIChannelResult>(c, view);
    }
    requireInChannel(world, channel, botId, Permission.ManageChannels);
    deleteChannel(world, channel);
    return answer<RESTDeleteAPIChannelResult>(c, viewPlainChannel(channel));
  });

  app.put("/channels/:channel/permissions/:overwrite", (c) => {
    const botId = requireBot(c, world);
    const channel = world.channel(param(c, "channel"));
    requireInChannel(world, channel, botId, Permission.ManageRoles);
    const guild = world.guild(channel.guildId);
    const form = bodyForm(c);
    form.required("type");
    form.check();
    setOverwrite(world, channel, readOverwrite(world, guild, form, param(c, "overwrite")));
    return noContent(c);
  });

  app.delete("/channels/:channel/permissions/:overwrite", (c) => {
    const botId = requireBot(c, world);
    const channel = world.channel(param(c, "channel"));
    requireInChannel(world, channel, botId, Permission.ManageRoles);
    if (!channel.overwrites.has(param(c, "overwrite"))) throw unknown("overwrite");
    deleteOverwrite(world, channel, param(c, "overwrite"));
    return noContent(c);
  });

  function changeThread(thread: ThreadRecord, form: Form, botId: string): void {
    const name = form.text("name", { min: 1, max: 100 });
    const archived = form.bool("archived");
    const locked = form.bool("locked");
    const invitable = form.bool("invitable");
    const slowmodeSeconds = form.integer("rate_limit_per_user", 0, 21_600);
    const autoArchiveMinutes = readArchiveMinutes(form);
    form.check();
    const isManager = mayManage(world, thread, botId);
    // Anyone who may write opens an unlocked thread again; the rest is for owner and managers.
    const onlyOpens =
      archived === false && Object.keys(form.raw).every((key) => key === "archived");
    if (!isManager && thread.ownerId !== botId && !onlyOpens) throw refusal("missingPermissions");
    if (!isManager && (locked !== undefined || thread.locked)) throw refusal("missingPermissions");
    if (thread.archived && archived !== false) throw refusal("threadArchived");
    updateThread(world, thread, {
      ...(name === undefined ? {} : { name }),
      ...(archived === undefined ? {} : { archived }),
      ...(locked === undefined ? {} : { locked }),
      ...(invitable === undefined ? {} : { invitable }),
      ...(slowmodeSeconds === undefined ? {} : { slowmodeSeconds }),
      ...(autoArchiveMinutes === undefined ? {} : { autoArchiveMinutes }),
    });
  }
}

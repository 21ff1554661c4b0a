import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandType,
  ApplicationCommandOptionType as OptionType,
} from "discord-api-types/v10";
import { never } from "../never.js";
import { commandsIn } from "../rest/commands.js";
import { viewChannel } from "../world/channelViews.js";
import { storeAttachment } from "../world/files.js";
import { channelPermissions, guildPermissions, has } from "../world/permissions.js";
import type { AnyChannelRecord, CommandRecord, UploadedFile } from "../world/records.js";
import { viewMemberWithoutUser, viewRole, viewUser } from "../world/views.js";
import type { World } from "../world/world.js";
import { PersonError } from "./personError.js";

export type CommandValue = string | number | boolean | UploadedFile;
export type CommandValues = Readonly<Record<string, CommandValue>>;

interface SentOption {
  readonly name: string;
  readonly type: number;
  readonly value?: string | number | boolean;
  readonly focused?: true;
  readonly options?: readonly SentOption[];
}

/** The command that a person sees under that name; a server's own comes before a global one. */
export function findCommand(
  world: World,
  guildId: string,
  name: string,
  type: ApplicationCommandType = ApplicationCommandType.ChatInput,
): CommandRecord {
  const all = [...commandsIn(world, guildId), ...commandsIn(world, undefined)];
  const found = all.find((command) => command.name === name && command.type === type);
  if (!found) throw new PersonError(`There is no command ${name}.`);
  return found;
}

export function mayUseCommand(
  world: World,
  command: CommandRecord,
  channel: AnyChannelRecord,
  userId: string,
): boolean {
  const wanted = command.default_member_permissions;
  if (wanted === null || wanted === undefined) return true;
  const guildWide = guildPermissions(world.guild(channel.guildId), userId);
  if (wanted === "0") return has(guildWide, 1n << 3n);
  return has(channelPermissions(world, channel, userId), BigInt(wanted));
}

/** The `data` of a slash command or its autocomplete; `path` is `name` or `name subcommand`. */
export function slashData(
  world: World,
  channel: AnyChannelRecord,
  path: string,
  values: CommandValues,
  focused?: string,
): { readonly command: CommandRecord; readonly data: unknown } {
  const [name = "", ...steps] = path.trim().replace(/^\//, "").split(/\s+/);
  const command = findCommand(world, channel.guildId, name);
  const resolved = new Resolved(world, channel);
  const options = fill(command.options ?? [], steps);
  const data = {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(options.length > 0 ? { options } : {}),
    ...resolved.data(),
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
  };
  return { command, data };

  function fill(
    known: readonly APIApplicationCommandOption[],
    rest: readonly string[],
  ): SentOption[] {
    const [step, ...further] = rest;
    const nested = known.filter(
      (option) =>
        option.type === OptionType.Subcommand || option.type === OptionType.SubcommandGroup,
    );
    if (step !== undefined) {
      const option = nested.find((candidate) => candidate.name === step);
      if (!option) throw new PersonError(`/${name} has no subcommand ${step}.`);
      return [{ name: step, type: option.type, options: fill(option.options ?? [], further) }];
    }
    if (nested.length > 0) throw new PersonError(`/${name} needs a subcommand.`);
    const basic = known as readonly APIApplicationCommandBasicOption[];
    const stray = Object.keys(values).find((key) => !basic.some((option) => option.name === key));
    if (stray !== undefined) throw new PersonError(`/${path} has no option ${stray}.`);
    return basic.flatMap((option) => sent(option, values[option.name]));
  }

  function sent(
    option: APIApplicationCommandBasicOption,
    value: CommandValue | undefined,
  ): SentOption[] {
    const isFocused = option.name === focused;
    if (value === undefined && !isFocused) {
      if (option.required && focused === undefined) {
        throw new PersonError(`/${path} needs the option ${option.name}.`);
      }
      return [];
    }
    const base = { name: option.name, type: option.type };
    if (isFocused) return [{ ...base, value: typedText(value), focused: true }];
    return [{ ...base, value: resolved.value(option, value ?? "") }];
  }
}

/** What stands in the field so far. */
function typedText(value: CommandValue | undefined): string {
  return value === undefined || typeof value === "object" ? "" : String(value);
}

/** Checks values as Discord's client does and gathers the objects that they name. */
class Resolved {
  readonly #world: World;
  readonly #channel: AnyChannelRecord;
  readonly #found: Record<string, Record<string, unknown>> = {};

  constructor(world: World, channel: AnyChannelRecord) {
    this.#world = world;
    this.#channel = channel;
  }

  data(): { readonly resolved?: unknown } {
    return Object.keys(this.#found).length > 0 ? { resolved: this.#found } : {};
  }

  value(option: APIApplicationCommandBasicOption, value: CommandValue): string | number | boolean {
    const wrong = (what: string) => new PersonError(`The option ${option.name} ${what}.`);
    if (option.type === OptionType.Attachment) {
      if (typeof value !== "object") throw wrong("is a file");
      const attachment = storeAttachment(this.#world, this.#channel.id, value);
      this.#keep("attachments", attachment.id, attachment);
      return attachment.id;
    }
    if (typeof value === "object") throw wrong("is not a file");
    switch (option.type) {
      case OptionType.String: {
        const text = String(value);
        const max = option.max_length ?? 6000;
        const min = option.min_length ?? 0;
        if (text.length < min || text.length > max) throw wrong(`has ${min} to ${max} characters`);
        const { choices } = option;
        if (choices && choices.length > 0 && !choices.some((choice) => choice.value === text)) {
          throw wrong("must be one of its choices");
        }
        return text;
      }
      case OptionType.Integer:
      case OptionType.Number: {
        const number = Number(value);
        const isWrongKind = option.type === OptionType.Integer && !Number.isInteger(number);
        if (Number.isNaN(number) || isWrongKind) throw wrong("is a number");
        if (option.min_value !== undefined && number < option.min_value)
          throw wrong("is too small");
        if (option.max_value !== undefined && number > option.max_value) throw wrong("is too big");
        return number;
      }
      case OptionType.Boolean:
        return value === true || value === "true";
      case OptionType.User:
        return this.#user(String(value));
      case OptionType.Channel: {
        const channel = this.#world.anyChannel(String(value));
        this.#keep("channels", channel.id, { ...viewChannel(channel), permissions: "0" });
        return channel.id;
      }
      case OptionType.Role:
        return this.#role(String(value));
      case OptionType.Mentionable: {
        const id = String(value);
        return this.#world.users.has(id) ? this.#user(id) : this.#role(id);
      }
      default:
        return never(option);
    }
  }

  #user(id: string): string {
    const member = this.#world.member(this.#channel.guildId, id);
    this.#keep("users", id, viewUser(this.#world.user(id)));
    const permissions = String(channelPermissions(this.#world, this.#channel, id));
    const { mute: _mute, deaf: _deaf, ...view } = viewMemberWithoutUser(member);
    this.#keep("members", id, { ...view, permissions });
    return id;
  }

  #role(id: string): string {
    const role = this.#world.guild(this.#channel.guildId).roles.get(id);
    if (!role) throw new PersonError("There is no such role.");
    this.#keep("roles", id, viewRole(role, this.#world.application.botUserId));
    return id;
  }

  #keep(kind: string, id: string, value: unknown): void {
    const kept = this.#found[kind] ?? {};
    this.#found[kind] = { ...kept, [id]: value };
  }
}

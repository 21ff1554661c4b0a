import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type InteractionContextType,
  type RESTGetAPIApplicationCommandsResult,
  type RESTPostAPIApplicationCommandsResult,
} from "discord-api-types/v10";
import { invalidField, refusal, unknown } from "../errors.js";
import type { CommandRecord } from "../world/records.js";
import { bits } from "../world/views.js";
import type { World } from "../world/world.js";
import { checkCommand } from "./commandForm.js";
import {
  answer,
  bodyForm,
  noContent,
  param,
  type RestApp,
  type RestContext,
  requireBot,
} from "./context.js";
import { Form, isObject } from "./form.js";

const MAX_SLASH = 100;
const MAX_MENUS = 15;
const CREATIONS_A_DAY = 200;
const DAY_MS = 86_400_000;

type Scope = string | undefined;

export function commandRoutes(app: RestApp, world: World): void {
  for (const base of ["/applications/:application", "/applications/:application/guilds/:guild"]) {
    app.get(`${base}/commands`, (c) => {
      const scope = scopeOf(c);
      return answer<RESTGetAPIApplicationCommandsResult>(c, commandsIn(world, scope));
    });

    app.put(`${base}/commands`, (c) => {
      const scope = scopeOf(c);
      const body = c.get("body");
      if (!Array.isArray(body)) throw invalidField("", "LIST_TYPE_CONVERT", "Must be a list");
      const errors: ConstructorParameters<typeof Form>[2] = [];
      const forms = body.map(
        (entry: unknown, index) => new Form(isObject(entry) ? entry : {}, String(index), errors),
      );
      for (const form of forms) checkCommand(form, false);
      refuseDuplicates(forms);
      forms[0]?.check();
      requireRoom(forms.map((form) => kindOf(form)));
      const before = commandsIn(world, scope);
      const next = forms.map((form) => ({ form, same: before.find((old) => isSame(old, form)) }));
      countCreations(world, scope, next.filter(({ same }) => !same).length);
      for (const old of before) world.commands.delete(old.id);
      const stored = next.map(({ form, same }) => store(form, scope, same));
      return answer<RESTGetAPIApplicationCommandsResult>(c, stored);
    });

    app.post(`${base}/commands`, (c) => {
      const scope = scopeOf(c);
      const form = bodyForm(c);
      checkCommand(form, false);
      form.check();
      const same = commandsIn(world, scope).find((old) => isSame(old, form));
      if (!same) {
        requireRoom([...commandsIn(world, scope).map((old) => old.type), kindOf(form)]);
        countCreations(world, scope, 1);
      }
      const stored = store(form, scope, same);
      return answer<RESTPostAPIApplicationCommandsResult>(c, stored, same ? 200 : 201);
    });

    app.get(`${base}/commands/:command`, (c) => answer(c, commandOf(c, scopeOf(c))));

    app.patch(`${base}/commands/:command`, (c) => {
      const command = commandOf(c, scopeOf(c));
      const form = bodyForm(c);
      checkCommand(form, true);
      form.check();
      const merged = new Form({ ...command, ...form.raw });
      return answer<APIApplicationCommand>(c, store(merged, command.guild_id, command));
    });

    app.delete(`${base}/commands/:command`, (c) => {
      world.commands.delete(commandOf(c, scopeOf(c)).id);
      return noContent(c);
    });
  }

  /** undefined for global commands, else the server. */
  function scopeOf(c: RestContext): Scope {
    requireBot(c, world);
    if (param(c, "application") !== world.application.id) throw refusal("missingAccess");
    const guildId = c.req.param("guild");
    if (guildId === undefined) return undefined;
    if (!world.guild(guildId).members.has(world.application.botUserId)) {
      throw refusal("missingAccess");
    }
    return guildId;
  }

  function commandOf(c: RestContext, scope: Scope): CommandRecord {
    const command = world.commands.get(param(c, "command"));
    if (!command || command.guild_id !== scope) throw unknown("command");
    return command;
  }

  function store(form: Form, scope: Scope, same: CommandRecord | undefined): CommandRecord {
    const { raw } = form;
    const command: CommandRecord = {
      id: same?.id ?? world.ids.next(),
      application_id: world.application.id,
      version: world.ids.next(),
      type: kindOf(form),
      name: String(raw["name"]),
      name_localizations: null,
      description: form.text("description") ?? "",
      description_localizations: null,
      default_member_permissions: form.text("default_member_permissions") ?? null,
      dm_permission: scope === undefined,
      contexts: (form.list("contexts", 3) ?? null) as InteractionContextType[] | null,
      integration_types: (form.list("integration_types", 2) ?? [
        ApplicationIntegrationType.GuildInstall,
      ]) as ApplicationIntegrationType[],
      nsfw: form.bool("nsfw") ?? false,
      ...(scope === undefined ? {} : { guild_id: scope }),
      ...(kindOf(form) === ApplicationCommandType.ChatInput
        ? { options: (form.list("options", 25) ?? []) as APIApplicationCommandOption[] }
        : {}),
    };
    world.commands.set(command.id, command);
    return command;
  }
}

export function commandsIn(world: World, scope: Scope): CommandRecord[] {
  return [...world.commands.values()].filter((command) => command.guild_id === scope);
}

function kindOf(form: Form): ApplicationCommandType {
  const type = form.raw["type"];
  return typeof type === "number" ? bits(type) : ApplicationCommandType.ChatInput;
}

function isSame(command: CommandRecord, form: Form): boolean {
  return command.name === form.raw["name"] && command.type === kindOf(form);
}

function refuseDuplicates(forms: readonly Form[]): void {
  const seen = new Set<string>();
  for (const form of forms) {
    const key = `${kindOf(form)}:${String(form.raw["name"])}`;
    if (seen.has(key)) {
      form.wrong(
        "name",
        "APPLICATION_COMMANDS_DUPLICATE_NAME",
        "Application command names must be unique",
      );
    }
    seen.add(key);
  }
}

function requireRoom(kinds: readonly ApplicationCommandType[]): void {
  for (const kind of new Set(kinds)) {
    const count = kinds.filter((other) => other === kind).length;
    if (count > (kind === ApplicationCommandType.ChatInput ? MAX_SLASH : MAX_MENUS)) {
      throw refusal("tooManyCommands");
    }
  }
}

/** https://docs.discord.com/developers/interactions/application-commands#registering-a-command */
function countCreations(world: World, scope: Scope, count: number): void {
  const key = scope ?? "global";
  const nowMs = world.clock.now();
  const recent = (world.commandCreations.get(key) ?? []).filter((ms) => ms > nowMs - DAY_MS);
  if (recent.length + count > CREATIONS_A_DAY) throw refusal("tooManyCommandCreations");
  for (let index = 0; index < count; index++) recent.push(nowMs);
  world.commandCreations.set(key, recent);
}

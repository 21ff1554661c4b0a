import {
  ApplicationCommandType,
  ApplicationCommandOptionType as OptionType,
} from "discord-api-types/v10";
import type { Form } from "./form.js";

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-naming */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const COMMAND_TYPES = [
  ApplicationCommandType.ChatInput,
  ApplicationCommandType.User,
  ApplicationCommandType.Message,
  ApplicationCommandType.PrimaryEntryPoint,
] as const;

const OPTION_TYPES = [
  OptionType.Subcommand,
  OptionType.SubcommandGroup,
  OptionType.String,
  OptionType.Integer,
  OptionType.Boolean,
  OptionType.User,
  OptionType.Channel,
  OptionType.Role,
  OptionType.Mentionable,
  OptionType.Number,
  OptionType.Attachment,
] as const;

const MAX_CHARACTERS = 8000;

/** Notes everything that Discord would refuse about a command. */
export function checkCommand(form: Form, isPartial: boolean): void {
  const type = form.oneOf("type", COMMAND_TYPES) ?? ApplicationCommandType.ChatInput;
  if (!isPartial) form.required("name");
  if (type === ApplicationCommandType.ChatInput) {
    checkName(form);
    if (!isPartial) form.required("description");
    form.text("description", { min: 1, max: 100 });
    checkOptions(form, 0);
  } else {
    form.text("name", { min: 1, max: 32 });
    if (form.text("description")) {
      form.wrong(
        "description",
        "APPLICATION_COMMAND_INVALID_DESCRIPTION",
        "Context menu commands cannot have description",
      );
    }
    if (form.has("options") && (form.list("options", 25)?.length ?? 0) > 0) {
      form.wrong(
        "options",
        "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS",
        "Context menu commands cannot have options",
      );
    }
  }
  const permissions = form.text("default_member_permissions");
  if (permissions !== undefined && !/^\d+$/.test(permissions)) {
    form.wrong("default_member_permissions", "PERMISSION_TYPE_INVALID", "Invalid permissions");
  }
  form.list("contexts", 3);
  form.list("integration_types", 2);
  if (charactersOf(form) > MAX_CHARACTERS) {
    form.wrong(
      "",
      "APPLICATION_COMMAND_TOO_LARGE",
      `Command exceeds maximum size (${MAX_CHARACTERS})`,
    );
  }
}

function checkName(form: Form): void {
  const name = form.text("name", { min: 1, max: 32 });
  if (name === undefined) return;
  if (!NAME.test(name) || name !== name.toLowerCase()) {
    form.wrong("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
  }
}

function checkOptions(form: Form, depth: number): void {
  const options = form.objects("options", 25) ?? [];
  const names = new Set<unknown>();
  let hasOptional = false;
  for (const option of options) {
    option.required("name");
    option.required("description");
    option.required("type");
    checkName(option);
    option.text("description", { min: 1, max: 100 });
    const type = option.oneOf("type", OPTION_TYPES);
    if (names.has(option.raw["name"])) {
      option.wrong(
        "name",
        "APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATE",
        "Options must have unique names",
      );
    }
    names.add(option.raw["name"]);
    if (type === OptionType.Subcommand || type === OptionType.SubcommandGroup) {
      if (depth > (type === OptionType.Subcommand ? 1 : 0)) {
        option.wrong(
          "type",
          "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
          "Sub-commands nested too deep",
        );
      }
      checkOptions(option, depth + 1);
      continue;
    }
    if (option.bool("required") === true) {
      if (hasOptional) {
        option.wrong(
          "required",
          "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
          "Required options must be placed before non-required options",
        );
      }
    } else {
      hasOptional = true;
    }
    checkValueRules(option, type);
  }
  const kinds = options.map((option) => Number(option.raw["type"]) <= 2);
  if (kinds.includes(true) && kinds.includes(false)) {
    form.wrong(
      "options",
      "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
      "Sub-command and sub-command group option types are mutually exclusive to all other types",
    );
  }
}

function checkValueRules(option: Form, type: OptionType | undefined): void {
  const choices = option.objects("choices", 25) ?? [];
  const isChoosable =
    type === OptionType.String || type === OptionType.Integer || type === OptionType.Number;
  if (choices.length > 0 && !isChoosable) {
    option.wrong("choices", "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID", "Choices not allowed");
  }
  for (const choice of choices) {
    choice.required("name");
    choice.text("name", { min: 1, max: 100 });
    choice.required("value");
    if (type === OptionType.String) choice.text("value", { min: 1, max: 100 });
  }
  if (option.bool("autocomplete") === true) {
    if (!isChoosable || choices.length > 0) {
      option.wrong(
        "autocomplete",
        "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID",
        "Autocomplete cannot be used here",
      );
    }
  }
  option.integer("min_length", 0, 6000);
  option.integer("max_length", 1, 6000);
}

/** Names, descriptions and values of a command and everything in it. */
function charactersOf(form: Form): number {
  const own = ["name", "description"].reduce((sum, key) => sum + lengthOf(form.raw[key]), 0);
  const options = form.objects("options", 25) ?? [];
  const choices = form.objects("choices", 25) ?? [];
  return (
    own +
    options.reduce((sum, option) => sum + charactersOf(option), 0) +
    choices.reduce(
      (sum, choice) => sum + lengthOf(choice.raw["name"]) + lengthOf(choice.raw["value"]),
      0,
    )
  );
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}

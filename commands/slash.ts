/**
 * Slash commands out of operations: every field of the input is an option, in the same order.
 * A command file only names its operation.
 */
import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  cleanContent,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from "discord.js";
import { z } from "zod";
import { type FieldMeta, metaOf, type Operation } from "../src/app/operations/operation.js";

export interface SlashCommand {
  /** As Discord is told of it. */
  readonly data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** Null when it has subcommands. */
  readonly operation: Operation | null;
  /** Every operation that it reaches. */
  readonly operations: readonly Operation[];
  /** Which operation was asked for, and its input as the person gave it. */
  readonly read: (interaction: ChatInputCommandInteraction) => Asked;
  /** What an option is about that a person is typing; undefined: it has no suggestions. */
  readonly fieldOf: (interaction: AutocompleteInteraction, option: string) => FieldMeta | undefined;
}

export interface Asked {
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The command of an operation. */
export function slash(operation: Operation): SlashCommand {
  return {
    data: {
      name: operation.name,
      description: operation.description,
      ...(operation.permission === "manager"
        ? { default_member_permissions: PermissionFlagsBits.ManageChannels.toString() }
        : {}),
      contexts: [InteractionContextType.Guild],
      integration_types: [ApplicationIntegrationType.GuildInstall],
      options: Object.entries(operation.input.shape).map(([name, schema]) =>
        optionOf(name, schema as z.ZodType),
      ),
    },
    operation,
    operations: [operation],
    read: (interaction) => ({ operation, input: inputOf(operation, interaction) }),
    fieldOf(_interaction, option) {
      const schema = operation.input.shape[option] as z.ZodType | undefined;
      return schema === undefined ? undefined : metaOf(schema);
    },
  };
}

/** A parent command whose subcommands are operations. */
export function slashGroup(
  name: string,
  description: string,
  subcommands: Readonly<Record<string, Operation>>,
): SlashCommand {
  const commands = new Map(
    Object.entries(subcommands).map(([key, operation]) => [key, slash(operation)]),
  );
  const chosen = (interaction: AutocompleteInteraction | ChatInputCommandInteraction) => {
    const command = commands.get(interaction.options.getSubcommand());
    if (command === undefined) throw new Error("Discord sent a subcommand that does not exist.");
    return command;
  };
  return {
    data: {
      name,
      description,
      contexts: [InteractionContextType.Guild],
      integration_types: [ApplicationIntegrationType.GuildInstall],
      options: [...commands].map(([key, { data }]) => ({
        type: ApplicationCommandOptionType.Subcommand,
        name: key,
        description: data.description,
        options: (data.options ?? []) as APIApplicationCommandBasicOption[],
      })),
    },
    operation: null,
    operations: Object.values(subcommands),
    read: (interaction) => chosen(interaction).read(interaction),
    fieldOf: (interaction, option) => chosen(interaction).fieldOf(interaction, option),
  };
}

function optionOf(name: string, schema: z.ZodType): APIApplicationCommandBasicOption {
  const { description, suggests, option } = metaOf(schema);
  const common = { name, description, required: !schema.isOptional() };
  const autocomplete = suggests !== undefined;
  if (option === "attachment") return { ...common, type: ApplicationCommandOptionType.Attachment };
  if (option === "list") {
    return { ...common, type: ApplicationCommandOptionType.String, autocomplete };
  }
  const inner = innermost(schema);
  if (inner instanceof z.ZodBoolean) {
    return { ...common, type: ApplicationCommandOptionType.Boolean };
  }
  if (inner instanceof z.ZodNumber) {
    return {
      ...common,
      type: ApplicationCommandOptionType.Integer,
      ...within(inner.minValue, inner.maxValue, "min_value", "max_value"),
    };
  }
  if (inner instanceof z.ZodEnum) {
    return {
      ...common,
      type: ApplicationCommandOptionType.String,
      choices: inner.options.map((value) => ({ name: String(value), value: String(value) })),
    };
  }
  if (inner instanceof z.ZodString) {
    return {
      ...common,
      type: ApplicationCommandOptionType.String,
      ...within(inner.minLength, inner.maxLength, "min_length", "max_length"),
      ...(autocomplete ? { autocomplete } : {}),
    };
  }
  throw new Error(`The field ${name} has a form that no option of a command can have.`);
}

/** Looks through what does not change how a value is typed. */
function innermost(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return innermost(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodPipe ? innermost(schema.in as z.ZodType) : schema;
}

/** The bounds that there are; zod's own bounds of integers are none for people. */
function within<Min extends string, Max extends string>(
  min: number | null,
  max: number | null,
  minKey: Min,
  maxKey: Max,
): Partial<Record<Min | Max, number>> {
  const isBound = (value: number | null): value is number =>
    value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return {
    ...(isBound(min) ? { [minKey]: min } : {}),
    ...(isBound(max) ? { [maxKey]: max } : {}),
  } as Partial<Record<Min | Max, number>>;
}

type Given = Pick<ChatInputCommandInteraction, "options" | "channel">;

function inputOf(operation: Operation, given: Given): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(operation.input.shape)) {
    const value = valueOf(given, name, metaOf(schema as z.ZodType));
    if (value !== undefined) input[name] = value;
  }
  return input;
}

function valueOf({ options, channel }: Given, name: string, meta: FieldMeta): unknown {
  const { option, isSaid = false } = meta;
  if (option === "attachment") {
    const file = options.getAttachment(name);
    if (file === null) return undefined;
    const type = file.contentType?.split(";")[0]?.trim().toLowerCase() ?? null;
    return { name: file.name, type, bytes: file.size, url: file.url };
  }
  const value = options.get(name)?.value;
  if (isSaid && typeof value === "string" && channel !== null) return cleanContent(value, channel);
  if (option !== "list" || typeof value !== "string") return value;
  return listFrom(value);
}

/** `Researcher, Editor` as a list; commas too many are passed over. */
export function listFrom(text: string): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

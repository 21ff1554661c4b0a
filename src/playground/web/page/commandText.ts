import type {
  APIApplicationCommandBasicOption,
  APIApplicationCommandOption,
} from "discord-api-types/v10";
import type { PlaygroundCommand } from "../../peopleApi.js";
import { COMMAND, OPTION } from "./discord.js";

/** A command as one types it: `round_stop`, or with its subcommand `gc start`. */
export interface SlashCommand {
  readonly path: string;
  readonly description: string;
  readonly options: readonly APIApplicationCommandBasicOption[];
}

/** Every slash command, each subcommand apart, by name. */
export function slashCommands(commands: readonly PlaygroundCommand[]): readonly SlashCommand[] {
  return commands
    .filter((command) => command.type === COMMAND.slash)
    .flatMap(({ name, description, options }) => leaves(name, description, options))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function leaves(
  path: string,
  description: string,
  options: readonly APIApplicationCommandOption[],
): readonly SlashCommand[] {
  const nested = options.flatMap((option) =>
    option.type === OPTION.subcommand || option.type === OPTION.group
      ? leaves(`${path} ${option.name}`, option.description, option.options ?? [])
      : [],
  );
  if (nested.length > 0) return nested;
  const basic = options.filter(
    (option): option is APIApplicationCommandBasicOption =>
      option.type !== OPTION.subcommand && option.type !== OPTION.group,
  );
  return [{ path, description, options: basic }];
}

/** The commands that `/typed` may become: those that begin so, then those that contain it. */
export function matchingCommands(
  commands: readonly SlashCommand[],
  typed: string,
): readonly SlashCommand[] {
  const wanted = typed.toLowerCase().trim();
  const begins = commands.filter(({ path }) => path.startsWith(wanted));
  const contains = commands.filter(({ path }) => !path.startsWith(wanted) && path.includes(wanted));
  return [...begins, ...contains];
}

export interface WrittenCommand {
  readonly command: SlashCommand;
  /** What was written for each option. */
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Reads a command that was typed or pasted to the end: `/ask agent: Editor text: Shorter, please`.
 * Text before the first named option is for the first one that is required, if there is any.
 * Undefined while the text may still become another command.
 */
export function readCommandText(
  text: string,
  commands: readonly SlashCommand[],
): WrittenCommand | undefined {
  const command = commands
    .filter(({ path }) => text.startsWith(`/${path} `) || text.startsWith(`/${path}\n`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  if (!command) return undefined;
  const rest = text.slice(command.path.length + 2);
  const names = command.options.map((option) => option.name);
  const marks = [...rest.matchAll(/(?<=^|\s)([\p{L}\p{N}_-]{1,32}):/gu)].filter(([, name = ""]) =>
    names.includes(name),
  );
  const values: Record<string, string> = {};
  const loose = rest.slice(0, marks[0]?.index ?? rest.length).trim();
  const first = command.options.find((option) => option.required) ?? command.options[0];
  if (first && loose !== "") values[first.name] = loose;
  for (const [index, mark] of marks.entries()) {
    const end = marks[index + 1]?.index ?? rest.length;
    values[mark[1] ?? ""] = rest.slice(mark.index + mark[0].length, end).trim();
  }
  return { command, values };
}

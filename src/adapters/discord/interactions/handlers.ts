import type {
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from "discord.js";
import type { ButtonHandler, MessageMenu } from "../../../app/operations/handlers.js";
import type { FieldMeta, Operation } from "../../../app/operations/operation.js";

/** A slash command; `commands/` makes them. */
interface Command {
  readonly data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** Null when it has subcommands. */
  readonly operation: Operation | null;
  /** Which operation was asked for, and its input as the person gave it. */
  readonly read: (interaction: ChatInputCommandInteraction) => {
    readonly operation: Operation;
    readonly input: Readonly<Record<string, unknown>>;
  };
  /** What an option is about that a person is typing; undefined: it has no suggestions. */
  readonly fieldOf: (interaction: AutocompleteInteraction, option: string) => FieldMeta | undefined;
}

/** Everything that a person can use. A feature adds its entries here. */
export interface Handlers {
  readonly commands: readonly Command[];
  /** By the name in the button's id, the part before the first colon. */
  readonly buttons: ReadonlyMap<string, ButtonHandler>;
  readonly menus: readonly MessageMenu[];
}

import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  type Client,
  Events,
  type Interaction,
  InteractionContextType,
  MessageFlags,
  RESTJSONErrorCodes,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from "discord.js";
import type { MessageMenu } from "../../../app/operations/handlers.js";
import type { Services } from "../../../app/services.js";
import { hasCode } from "../errors.js";
import type { PacedRest } from "../rest.js";
import { suggest } from "./autocomplete.js";
import type { Handlers } from "./handlers.js";
import { registerCommands } from "./registration.js";
import { type Desk, pressed, usedCommand, usedMenu } from "./respond.js";

/**
 * Answers commands, buttons, menus and suggestions from now on, and tells Discord the commands: if
 * not at once, then as soon as it takes them. With `closing`, the end of the process, that ends.
 */
export async function startInteractions(options: {
  readonly client: Client<true>;
  readonly sender: PacedRest;
  readonly services: Services;
  readonly handlers: Handlers;
  readonly closing: AbortSignal;
}): Promise<void> {
  const { client, sender, services, handlers, closing } = options;
  const { clock, log } = services;
  const desk: Desk = { sender, clock, log, services, handlers };
  client.on(Events.InteractionCreate, (interaction) => {
    handle(interaction, desk).catch((error: unknown) => {
      const fields = { err: error, interactionId: interaction.id };
      // Too late, or answered by another process: nothing can be said any more.
      if (hasCode(error, ...UNANSWERABLE))
        log.warn(fields, "an interaction could not be answered any more");
      else log.error(fields, "an interaction was not handled");
    });
  });
  await registerCommands(
    [...handlers.commands.map(({ data }) => data), ...handlers.menus.map(entryOf)],
    { client, settings: services.storage.settings, clock, log, closing },
  );
}

/** In servers only, as the bot is. */
function entryOf({ name }: MessageMenu): RESTPostAPIContextMenuApplicationCommandsJSONBody {
  return {
    name,
    type: ApplicationCommandType.Message,
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  };
}

const UNANSWERABLE = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
  // The fifteen minutes of its token are over.
  RESTJSONErrorCodes.InvalidWebhookToken,
];

const NOT_HERE =
  "Parley works in servers that it is a member of. Invite it as a bot, and try again.";

async function handle(interaction: Interaction, desk: Desk): Promise<void> {
  // Commands are registered for servers only, and only a known server has roles to check.
  if (!interaction.inCachedGuild()) {
    if (interaction.isRepliable()) {
      await interaction.reply({ content: NOT_HERE, flags: MessageFlags.Ephemeral });
    }
    return;
  }
  if (interaction.isAutocomplete()) await suggest(interaction, desk.services, desk.handlers);
  else if (interaction.isChatInputCommand()) await usedCommand(interaction, desk);
  else if (interaction.isMessageContextMenuCommand()) await usedMenu(interaction, desk);
  else if (interaction.isButton()) await pressed(interaction, desk);
}

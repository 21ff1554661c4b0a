import type { AutocompleteInteraction } from "discord.js";
import type { Services } from "../../../app/services.js";
import { placeOfUse } from "../received.js";
import type { Handlers } from "./handlers.js";
import { suggestionsFor } from "./suggestions.js";

/** Offers what fits what a person is typing. Nothing is offered when that fails: typing goes on. */
export async function suggest(
  interaction: AutocompleteInteraction<"cached">,
  services: Services,
  handlers: Handlers,
): Promise<void> {
  const { name, value } = interaction.options.getFocused(true);
  const command = handlers.commands.find(({ data }) => data.name === interaction.commandName);
  const field = command?.fieldOf(interaction, name);
  const choices =
    field === undefined
      ? []
      : await suggestionsFor(services, placeOfUse(interaction), field, value).catch(
          (error: unknown) => {
            services.log.warn({ err: error, option: name }, "there are no suggestions");
            return [];
          },
        );
  await interaction.respond([...choices]);
}

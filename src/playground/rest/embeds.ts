import { type APIEmbed, EmbedType } from "discord-api-types/v10";
import { type Form, textOf } from "./form.js";

const MAX_EMBEDS = 10;
const MAX_FIELDS = 25;
const MAX_TOTAL = 6000;

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
export function checkEmbeds(form: Form): readonly APIEmbed[] | undefined {
  if (form.isNull("embeds")) return [];
  const embeds = form.objects("embeds", MAX_EMBEDS);
  if (!embeds) return undefined;
  let total = 0;
  const count = (text: string | undefined) => {
    total += text?.length ?? 0;
  };
  for (const embed of embeds) {
    count(embed.text("title", { max: 256 }));
    count(embed.text("description", { max: 4096 }));
    count(embed.object("footer")?.text("text", { max: 2048 }));
    count(embed.object("author")?.text("name", { max: 256 }));
    embed.integer("color", 0, 0xff_ff_ff);
    for (const field of embed.objects("fields", MAX_FIELDS) ?? []) {
      field.required("name");
      field.required("value");
      count(field.text("name", { min: 1, max: 256 }));
      count(field.text("value", { min: 1, max: 1024 }));
    }
  }
  if (total > MAX_TOTAL) {
    form.wrong("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000");
  }
  return embeds.map((embed) => ({
    type: EmbedType.Rich,
    ...embed.raw,
    ...withInline(embed),
  }));
}

/** Fields stand below each other unless they say otherwise. */
function withInline(embed: Form): Pick<APIEmbed, "fields"> {
  const fields = embed.objects("fields", MAX_FIELDS);
  if (!fields) return {};
  return {
    fields: fields.map((field) => ({
      name: textOf(field.raw["name"]),
      value: textOf(field.raw["value"]),
      inline: field.raw["inline"] === true,
    })),
  };
}

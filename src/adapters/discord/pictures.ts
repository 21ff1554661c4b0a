import { type APIEmoji, type Client, type REST, RESTJSONErrorCodes, Routes } from "discord.js";
import { imageType } from "../../domain/files.js";
import { PICTURE_BYTES } from "../../domain/limits.js";
import { type Chat, ChatError } from "../../ports/chat.js";
import type { Clock } from "../../ports/system.js";
import { attempt, madeOf, withShortPauses } from "./attempt.js";
import { hasCode } from "./errors.js";

const UPLOADING = { hasEffect: true, needs: "access to its own application" };
const REMOVING = { hasEffect: false, needs: "access to its own application" };
/** https://docs.discord.com/developers/reference#image-formatting */
const PICTURE_PIXELS = 256;

/** Pictures as emojis of the application: their address is public, permanent and Discord's own. */
export function createPictures(options: {
  readonly client: Client<true>;
  readonly sender: REST;
  readonly clock: Clock;
}): Pick<Chat, "uploadPicture" | "discardPicture"> {
  const { client, sender, clock } = options;
  const applicationId = client.application.id;
  return {
    async uploadPicture(name, image) {
      const type = imageType(image);
      if (type === null) {
        throw new ChatError("refused", "The picture must be a PNG, JPEG, GIF or WebP file.");
      }
      if (image.length > PICTURE_BYTES) {
        throw new ChatError(
          "refused",
          "The picture is larger than the 256 KiB that Discord takes.",
        );
      }
      const body = {
        name,
        image: `data:${type};base64,${Buffer.from(image).toString("base64")}`,
      };
      const emoji = await withShortPauses(clock, undefined, () =>
        attempt(UPLOADING, undefined, () =>
          madeOf<APIEmoji>(sender.post(Routes.applicationEmojis(applicationId), { body })),
        ),
      );
      if (emoji.id === null) throw new Error("Discord gave an emoji without an id.");
      return {
        emojiId: emoji.id,
        url: `https://cdn.discordapp.com/emojis/${emoji.id}.png?size=${PICTURE_PIXELS}`,
      };
    },

    async discardPicture({ emojiId }) {
      await attempt(REMOVING, undefined, async () => {
        try {
          await client.rest.delete(Routes.applicationEmoji(applicationId, emojiId));
        } catch (error) {
          if (!hasCode(error, RESTJSONErrorCodes.UnknownEmoji)) throw error;
        }
      });
    },
  };
}

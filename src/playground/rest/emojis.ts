import type {
  RESTGetAPIApplicationEmojiResult,
  RESTGetAPIApplicationEmojisResult,
  RESTPatchAPIApplicationEmojiResult,
  RESTPostAPIApplicationEmojiResult,
} from "discord-api-types/v10";
import { refusal, unknown } from "../errors.js";
import { viewEmoji } from "../world/channelViews.js";
import { readDataUri } from "../world/images.js";
import type { EmojiRecord } from "../world/records.js";
import type { World } from "../world/world.js";
import {
  answer,
  bodyForm,
  noContent,
  param,
  type RestApp,
  type RestContext,
  requireBot,
} from "./context.js";
import type { Form } from "./form.js";

/** https://docs.discord.com/developers/resources/emoji#application-owned-emoji */
const MAX_EMOJIS = 2000;
const MAX_BYTES = 256 * 1024;
const BASE = "/applications/:application/emojis";

export function emojiRoutes(app: RestApp, world: World): void {
  app.get(BASE, (c) => {
    owned(c);
    return answer<RESTGetAPIApplicationEmojisResult>(c, {
      items: [...world.emojis.values()].map((emoji) => viewEmoji(world, emoji)),
    });
  });

  app.post(BASE, (c) => {
    const botId = owned(c);
    const form = bodyForm(c);
    form.required("name");
    form.required("image");
    const name = readName(form);
    const image = readDataUri(form.text("image") ?? "");
    if (form.has("image") && !image) form.wrong("image", "IMAGE_INVALID", "Invalid image data");
    if (image && image.bytes.byteLength > MAX_BYTES) {
      form.wrong("image", "BINARY_TYPE_MAX_SIZE", "File cannot be larger than 256.0 kb.");
    }
    form.check();
    if (world.emojis.size >= MAX_EMOJIS) throw refusal("tooManyEmojis");
    if (!image || name === undefined) throw refusal("invalidJson");
    const emoji: EmojiRecord = {
      id: world.ids.next(),
      name,
      animated: image.kind === "image/gif",
      userId: botId,
      image: { bytes: image.bytes, contentType: image.kind },
    };
    world.emojis.set(emoji.id, emoji);
    return answer<RESTPostAPIApplicationEmojiResult>(c, viewEmoji(world, emoji), 201);
  });

  app.get(`${BASE}/:emoji`, (c) => {
    return answer<RESTGetAPIApplicationEmojiResult>(c, viewEmoji(world, emojiOf(c)));
  });

  app.patch(`${BASE}/:emoji`, (c) => {
    const emoji = emojiOf(c);
    const form = bodyForm(c);
    const name = readName(form, emoji);
    form.check();
    emoji.name = name ?? emoji.name;
    return answer<RESTPatchAPIApplicationEmojiResult>(c, viewEmoji(world, emoji));
  });

  app.delete(`${BASE}/:emoji`, (c) => {
    world.emojis.delete(emojiOf(c).id);
    return noContent(c);
  });

  function owned(c: RestContext): string {
    const botId = requireBot(c, world);
    if (param(c, "application") !== world.application.id) throw refusal("missingAccess");
    return botId;
  }

  function emojiOf(c: RestContext): EmojiRecord {
    owned(c);
    const emoji = world.emojis.get(param(c, "emoji"));
    if (!emoji) throw unknown("emoji");
    return emoji;
  }

  /** Two to 32 letters, digits and underscores; unique within the application. */
  function readName(form: Form, self?: EmojiRecord): string | undefined {
    const name = form.text("name", { min: 2, max: 32 });
    if (name === undefined) return undefined;
    if (!/^\w+$/.test(name)) {
      form.wrong("name", "STRING_TYPE_REGEX", "String value did not match validation regex.");
    }
    const isTaken = [...world.emojis.values()].some(
      (other) => other !== self && other.name === name,
    );
    if (isTaken) {
      form.wrong(
        "name",
        "APPLICATION_EMOJI_NAME_ALREADY_TAKEN",
        "An emoji with that name already exists",
      );
    }
    return name;
  }
}

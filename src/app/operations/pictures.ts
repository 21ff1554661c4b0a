/** Pictures of agents: given by a person or drawn, kept as application emojis. */
import type { Picture } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import { imageType } from "../../domain/files.js";
import type { AgentId } from "../../domain/ids.js";
import { PICTURE_BYTES } from "../../domain/limits.js";
import type { Attachment } from "../../domain/message.js";
import { FileError } from "../../ports/files.js";
import { sentenceOf } from "../report.js";
import type { Services } from "../services.js";

/** The picture of a new agent; `note` says what did not work. */
interface NewPicture {
  readonly picture: Picture | null;
  readonly note: string | null;
}

type PictureServices = Pick<Services, "chat" | "files" | "painter" | "clock" | "log">;

/**
 * Uploads the given image, or one drawn from the display name. An image that is none, or too
 * large, is a `UserError`; trouble on the way never is: it becomes the note.
 */
export async function pictureFor(
  services: PictureServices,
  agentId: AgentId,
  displayName: string,
  avatar: Attachment | undefined,
): Promise<NewPicture> {
  const { painter, log } = services;
  let image: Uint8Array | null = null;
  let note: string | null = null;
  try {
    if (avatar !== undefined) image = await fetchImage(services, avatar);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    note = `The picture that you gave could not be used, so I drew one: ${error.message}`;
  }
  try {
    const picture = await upload(services, agentId, image ?? painter.draw(displayName));
    return { picture, note };
  } catch (error) {
    log.warn({ err: error, agentId }, "the picture of a new agent was not uploaded");
    return {
      picture: null,
      note: `It has no picture for now, because uploading one did not work: ${sentenceOf(error)}`,
    };
  }
}

/** Uploads an image in place of another. Whatever stands in the way is an error. */
export async function replacementFor(
  services: PictureServices,
  agentId: AgentId,
  avatar: Attachment,
): Promise<Picture> {
  try {
    return await upload(services, agentId, await fetchImage(services, avatar));
  } catch (error) {
    if (error instanceof FileError) throw new UserError("invalid", error.message);
    throw error;
  }
}

async function upload(
  { chat, clock }: PictureServices,
  agentId: AgentId,
  image: Uint8Array,
): Promise<Picture> {
  return chat.uploadPicture(pictureName(agentId, clock.now()), image);
}

/** 2-32 letters, digits and underscores, and never the same for two pictures of an agent. */
function pictureName(agentId: AgentId, nowMs: number): string {
  return `${agentId.replace(/\W/gu, "_").slice(-22)}_${nowMs.toString(36)}`;
}

async function fetchImage({ files }: PictureServices, avatar: Attachment): Promise<Uint8Array> {
  if (avatar.bytes > PICTURE_BYTES) {
    const kibibytes = Math.ceil(avatar.bytes / 1024);
    throw new UserError(
      "invalid",
      `The picture is too large: it has ${kibibytes} KiB, and at most ${PICTURE_BYTES / 1024} KiB are allowed.`,
    );
  }
  const image = await files.fetch(avatar, PICTURE_BYTES);
  if (imageType(image) === null) {
    throw new UserError("invalid", "The picture has to be a PNG, JPEG, GIF or WebP image.");
  }
  return image;
}

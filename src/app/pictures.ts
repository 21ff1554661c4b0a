/** A prompt's pictures on their way to a model. */
import { imageType } from "../domain/files.js";
import { IMAGE_BYTES, IMAGES_PER_TURN } from "../domain/limits.js";
import type { Attachment } from "../domain/message.js";
import type { PromptMessage } from "../domain/prompts/speaker.js";
import type { LeftOut } from "../domain/round/round.js";
import { FileError } from "../ports/files.js";
import {
  ModelError,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
} from "../ports/model.js";
import { type CallAccount, callPatiently, Patience } from "./calls.js";
import type { Services } from "./services.js";

/** A file that the model did not get, or not all of it. */
export interface Unseen {
  readonly file: Attachment;
  readonly reason: LeftOut["reason"];
}

type SeeingServices = Pick<Services, "model" | "storage" | "clock" | "log" | "files" | "sight">;

/**
 * One call with the prompt's pictures. A model that refuses pictures is asked once more at once
 * without them, and never again with any. Rejects as `callPatiently` does.
 */
export async function callWithPictures(
  services: SeeingServices,
  account: CallAccount,
  request: Omit<ModelRequest, "messages">,
  prompt: readonly PromptMessage[],
  options: {
    /** What follows the prompt as it is. */
    readonly after?: readonly ModelMessage[];
    /** Of the turn that this call is part of. */
    readonly patience?: Patience;
  } = {},
): Promise<{ readonly reply: ModelReply; readonly unseen: readonly Unseen[] }> {
  const { after = [], patience = new Patience() } = options;
  const { clock, sight } = services;
  const deadlineMs = clock.now() + request.timeoutMs;
  const call = async () => {
    const seen = await withPictures(services, prompt, request);
    const messages = [...seen.messages, ...after];
    const { unseen } = seen;
    const timeoutMs = Math.max(1, deadlineMs - clock.now());
    const whole = { ...request, messages, timeoutMs };
    const reply = await callPatiently(services, account, whole, patience);
    return { reply, unseen };
  };
  try {
    return await call();
  } catch (error) {
    const isRefusal = error instanceof ModelError && error.kind === "no-images";
    if (!isRefusal || sight.isBlind(request.model)) throw error;
    sight.refused(request.model);
    return call();
  }
}

const SHORTENED = { beginning: "only-beginning", nothing: "no-room" } as const;

/** The prompt as it goes out. What the model cannot see is said at the end of the last message. */
async function withPictures(
  services: SeeingServices,
  prompt: readonly PromptMessage[],
  { model, signal }: Pick<ModelRequest, "model" | "signal">,
): Promise<{ readonly messages: readonly ModelMessage[]; readonly unseen: readonly Unseen[] }> {
  const unseen: Unseen[] = [];
  const messages: ModelMessage[] = [];
  for (const { role, text, pictures = [], shortened = [] } of prompt) {
    unseen.push(...shortened.map(({ file, shown }) => ({ file, reason: SHORTENED[shown] })));
    if (role !== "user" || pictures.length === 0) {
      messages.push({ role, text });
      continue;
    }
    const looks = await lookAtPictures(services, pictures, model, signal);
    const images = looks.flatMap((look) => ("url" in look ? [look.url] : []));
    const missing = looks.flatMap((look) => ("url" in look ? [] : [look]));
    unseen.push(...missing);
    messages.push({ role, text: text + notShown(missing), ...(images.length > 0 && { images }) });
  }
  return { messages, unseen };
}

async function lookAtPictures(
  services: SeeingServices,
  pictures: readonly Attachment[],
  model: string,
  signal: AbortSignal | undefined,
): Promise<readonly ({ readonly url: string } | Unseen)[]> {
  const tooMany = pictures.length - IMAGES_PER_TURN;
  return Promise.all(
    pictures.map(async (picture, index) => {
      if (services.sight.isBlind(model)) return { file: picture, reason: "no-images" as const };
      if (index < tooMany) return { file: picture, reason: "too-many" as const };
      const url = await dataUrl(services, picture, signal);
      return url === null ? { file: picture, reason: "unreadable" as const } : { url };
    }),
  );
}

/** The picture itself, since Discord's links expire and not every endpoint can fetch them. */
async function dataUrl(
  { files, log }: SeeingServices,
  picture: Attachment,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    const bytes = await files.fetch(picture, IMAGE_BYTES, signal);
    // By the first bytes: what a file is called says nothing, and a wrong type fails the call.
    const type = imageType(bytes);
    return type === null ? null : `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    log.warn({ err: error }, "a picture could not be fetched");
    return null;
  }
}

function notShown(unseen: readonly Unseen[]): string {
  if (unseen.length === 0) return "";
  return `\n(You cannot see these pictures: ${unseen.map(({ file }) => file.name).join(", ")}.)`;
}

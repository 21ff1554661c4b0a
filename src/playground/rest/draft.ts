import type { APIAllowedMentions, APIAttachment } from "discord-api-types/v10";
import { MessageFlags } from "discord-api-types/v10";
import { refusal } from "../errors.js";
import { storeAttachment } from "../world/files.js";
import { checkAllowedMentions } from "../world/mentions.js";
import type { MessageDraft, UploadedFile } from "../world/records.js";
import type { World } from "../world/world.js";
import { checkComponents } from "./components.js";
import { checkEmbeds } from "./embeds.js";
import type { Form } from "./form.js";

export interface DraftRules {
  /** Flags that this route lets a sender set. */
  readonly flags: number;
  readonly files: ReadonlyMap<string, UploadedFile>;
  readonly channelId: string;
  /** For edits: the files that the message has. */
  readonly kept?: readonly APIAttachment[];
}

export const SENDABLE_FLAGS: number =
  MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications | MessageFlags.IsComponentsV2;

const MAX_FILES = 10;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_REQUEST_BYTES = 25 * 1024 * 1024;

/** The parts of a message that a body names, checked as Discord checks them. */
export function readDraft(world: World, form: Form, rules: DraftRules): Partial<MessageDraft> {
  const content = form.isNull("content") ? "" : form.text("content", { max: 2000 });
  const embeds = checkEmbeds(form);
  const components = checkComponents(form);
  const tts = form.bool("tts");
  const wantedFlags = form.integer("flags", 0, 2 ** 31 - 1);
  form.list("attachments", MAX_FILES);
  const nonNull = form.object("allowed_mentions");
  const allowed = nonNull?.raw as APIAllowedMentions | undefined;
  if (allowed) checkAllowedMentions(allowed);
  form.check();
  const flags = wantedFlags === undefined ? undefined : wantedFlags & rules.flags;
  if ((wantedFlags ?? 0) & MessageFlags.IsComponentsV2 && (content || embeds?.length)) {
    form.wrong(
      content ? "content" : "embeds",
      "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
      "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
    );
  }
  form.check();
  if (world.wordFilters.messages.some((word) => content?.includes(word))) {
    throw refusal("blockedByFilter");
  }
  const attachments = readAttachments(world, form, rules);
  return {
    ...(content === undefined ? {} : { content }),
    ...(embeds ? { embeds } : {}),
    ...(components ? { components: components } : {}),
    ...(attachments ? { attachments } : {}),
    ...(allowed ? { allowedMentions: allowed } : {}),
    ...(flags === undefined ? {} : { flags }),
    ...(tts === undefined ? {} : { tts }),
  };
}

/** 50006 when nothing would be left to see. */
export function requireSomething(draft: Partial<MessageDraft>): void {
  const isEmpty =
    (draft.content ?? "").trim() === "" &&
    !draft.embeds?.length &&
    !draft.attachments?.length &&
    !draft.components?.length;
  if (isEmpty) throw refusal("emptyMessage");
}

function readAttachments(
  world: World,
  form: Form,
  rules: DraftRules,
): readonly APIAttachment[] | undefined {
  const described = form.objects("attachments", MAX_FILES);
  if (!described && rules.files.size === 0) return undefined;
  const kept = described
    ? described.flatMap(
        (entry) => rules.kept?.find((file) => file.id === String(entry.raw.id)) ?? [],
      )
    : (rules.kept ?? []);
  const uploads = [...rules.files].map(([index, file]) => ({
    file,
    description: described?.find((entry) => String(entry.raw.id) === index)?.text("description"),
    name: described?.find((entry) => String(entry.raw.id) === index)?.text("filename"),
  }));
  if (kept.length + uploads.length > MAX_FILES) throw refusal("tooManyAttachments");
  const totalBytes = uploads.reduce((sum, { file }) => sum + file.bytes.byteLength, 0);
  if (totalBytes > MAX_REQUEST_BYTES) throw refusal("fileTooLarge");
  if (uploads.some(({ file }) => file.bytes.byteLength > MAX_FILE_BYTES)) {
    throw refusal("fileTooLarge");
  }
  return [
    ...kept,
    ...uploads.map(({ file, description, name }) =>
      storeAttachment(
        world,
        rules.channelId,
        { ...file, filename: name ?? file.filename },
        description,
      ),
    ),
  ];
}

import {
  type APIModalInteractionResponseCallbackData,
  InteractionType,
  MessageFlags,
  type RESTGetAPIInteractionOriginalResponseResult,
  type RESTPatchAPIInteractionOriginalResponseResult,
  type RESTPostAPIInteractionCallbackWithResponseResult,
  type RESTPostAPIInteractionFollowupResult,
  InteractionResponseType as Response,
} from "discord-api-types/v10";
import { refusal, unknown } from "../errors.js";
import { never } from "../never.js";
import {
  deleteResponse,
  editOriginal,
  followUp,
  requireUnanswered,
  respondWithMessage,
  setState,
} from "../world/interactions.js";
import { editMessage } from "../world/messages.js";
import { viewMessage } from "../world/messageViews.js";
import type { InteractionRecord, MessageDraft, MessageRecord } from "../world/records.js";
import type { World } from "../world/world.js";
import { answer, bodyForm, noContent, param, type RestApp, type RestContext } from "./context.js";
import { readDraft, requireSomething, SENDABLE_FLAGS } from "./draft.js";
import { Form } from "./form.js";
import { readChoices, readModal } from "./interactionForms.js";
import { interactionOf } from "./interactionToken.js";

const RESPONSE_TYPES = [
  Response.ChannelMessageWithSource,
  Response.DeferredChannelMessageWithSource,
  Response.DeferredMessageUpdate,
  Response.UpdateMessage,
  Response.ApplicationCommandAutocompleteResult,
  Response.Modal,
] as const;

type ResponseType = (typeof RESPONSE_TYPES)[number];

const ANSWER_FLAGS = SENDABLE_FLAGS | MessageFlags.Ephemeral;

export function interactionRoutes(app: RestApp, world: World): void {
  app.post("/interactions/:interaction/:token/callback", (c) => {
    const record = world.interactions.get(param(c, "interaction"));
    if (!record || record.token !== param(c, "token")) throw unknown("interaction");
    requireUnanswered(world, record);
    const form = bodyForm(c);
    form.required("type");
    const type = form.oneOf("type", RESPONSE_TYPES);
    form.check();
    if (type === undefined) throw refusal("wrongInteractionResponse");
    requireFittingType(record, type);
    const message = respond(c, record, type, form.object("data") ?? new Form({}, "data"));
    if (c.req.query("with_response") !== "true") return noContent(c);
    return answer<RESTPostAPIInteractionCallbackWithResponseResult>(c, {
      interaction: {
        id: record.id,
        type: record.type,
        ...(message
          ? {
              response_message_id: message.id,
              response_message_loading: (message.flags & MessageFlags.Loading) !== 0,
              response_message_ephemeral: message.ephemeralFor !== null,
            }
          : {}),
        ...placeOf(record),
      },
      ...(message ? { resource: { type, message: viewMessage(world, message) } } : {}),
    });
  });

  app.get("/webhooks/:webhook/:token/messages/:message", (c) => {
    const { message } = responseOf(c);
    return answer<RESTGetAPIInteractionOriginalResponseResult>(c, viewMessage(world, message));
  });

  app.patch("/webhooks/:webhook/:token/messages/:message", (c) => {
    const { record, message } = responseOf(c);
    const draft = readAnswer(c, bodyForm(c), record, message);
    requireSomething({ ...message, ...draft });
    if (message.id === record.originalMessageId) editOriginal(world, record, message, draft);
    else editMessage(world, message, keepEphemeral(message, draft));
    return answer<RESTPatchAPIInteractionOriginalResponseResult>(c, viewMessage(world, message));
  });

  app.delete("/webhooks/:webhook/:token/messages/:message", (c) => {
    const { record, message } = responseOf(c);
    deleteResponse(world, record, message);
    return noContent(c);
  });

  app.post("/webhooks/:webhook/:token", (c) => {
    const record = interactionOf(world, c);
    if (!record) throw unknown("webhook");
    // Without a first response there is nothing to follow.
    if (record.state === "pending" || record.state === "failed") throw unknown("webhook");
    const draft = readAnswer(c, bodyForm(c), record);
    requireSomething(draft);
    const message = followUp(world, record, draft);
    return answer<RESTPostAPIInteractionFollowupResult>(c, viewMessage(world, message));
  });

  function respond(
    c: RestContext,
    record: InteractionRecord,
    type: ResponseType,
    data: Form,
  ): MessageRecord | undefined {
    switch (type) {
      case Response.ChannelMessageWithSource: {
        const draft = readAnswer(c, data, record);
        requireSomething(draft);
        return respondWithMessage(world, record, draft, false);
      }
      case Response.DeferredChannelMessageWithSource: {
        const draft = readAnswer(c, data, record);
        const flags = (draft.flags ?? 0) & MessageFlags.Ephemeral;
        return respondWithMessage(world, record, { flags }, true);
      }
      case Response.DeferredMessageUpdate:
        record.originalMessageId = record.messageId;
        record.updatesMessage = true;
        setState(world, record, "deferred");
        return undefined;
      case Response.UpdateMessage: {
        const message = world.message(record.channelId, record.messageId ?? "");
        const draft = readAnswer(c, data, record, message);
        requireSomething({ ...message, ...draft });
        record.originalMessageId = message.id;
        record.updatesMessage = true;
        editMessage(world, message, keepEphemeral(message, draft));
        setState(world, record, "answered");
        return message;
      }
      case Response.ApplicationCommandAutocompleteResult:
        record.choices = readChoices(data);
        setState(world, record, "answered");
        return undefined;
      case Response.Modal:
        readModal(data);
        record.modal = data.raw as unknown as APIModalInteractionResponseCallbackData;
        setState(world, record, "answered");
        return undefined;
      default:
        return never(type);
    }
  }

  function readAnswer(
    c: RestContext,
    form: Form,
    record: InteractionRecord,
    edited?: MessageRecord,
  ): Partial<MessageDraft> {
    return readDraft(world, form, {
      flags: ANSWER_FLAGS,
      files: c.get("files"),
      channelId: record.channelId,
      ...(edited ? { kept: edited.attachments } : {}),
    });
  }

  /** The answer that the path names: `@original` or one of the follow-ups. */
  function responseOf(c: RestContext): { record: InteractionRecord; message: MessageRecord } {
    const record = interactionOf(world, c);
    if (!record) throw unknown("webhook");
    const wanted = param(c, "message");
    const id = wanted === "@original" ? record.originalMessageId : wanted;
    const isOurs = id === record.originalMessageId || record.followUpIds.includes(id ?? "");
    const message = id && isOurs ? world.messages.get(record.channelId)?.get(id) : undefined;
    if (!message) throw unknown(record.state === "pending" ? "webhook" : "message");
    return { record, message };
  }
}

/** Sent by Discord, missing in the types. */
function placeOf(record: InteractionRecord) {
  return { channel_id: record.channelId, guild_id: record.guildId };
}

function keepEphemeral(
  message: MessageRecord,
  draft: Partial<MessageDraft>,
): Partial<MessageDraft> {
  if (draft.flags === undefined) return draft;
  const kept = message.flags & MessageFlags.Ephemeral;
  return { ...draft, flags: (draft.flags & ~MessageFlags.Ephemeral) | kept };
}

/** Which response fits which interaction. */
function requireFittingType(record: InteractionRecord, type: ResponseType): void {
  const isAutocomplete = record.type === InteractionType.ApplicationCommandAutocomplete;
  const answersAutocomplete = type === Response.ApplicationCommandAutocompleteResult;
  const updates = type === Response.DeferredMessageUpdate || type === Response.UpdateMessage;
  const isModalAnswer = type === Response.Modal && record.type === InteractionType.ModalSubmit;
  if (
    isAutocomplete !== answersAutocomplete ||
    (updates && record.messageId === null) ||
    isModalAnswer
  ) {
    throw refusal("wrongInteractionResponse");
  }
}

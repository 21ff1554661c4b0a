import type { PlaygroundMessage } from "../../peopleApi.js";
import { attachmentView, embedView } from "./attachmentView.js";
import { avatarView } from "./avatar.js";
import { type ComponentUse, componentViews } from "./componentView.js";
import { MESSAGE } from "./discord.js";
import { type Child, h, icon } from "./dom.js";
import { markdownView, type Names } from "./markdownView.js";
import { plainText } from "./plainText.js";
import { clockTime, fullTime } from "./time.js";

export interface MessageContext {
  readonly names: Names;
  readonly components: ComponentUse;
  readonly applicationName: string;
  readonly threadName: string | undefined;
  readonly toolbar: HTMLElement;
  /** Instead of the text, while it is being changed. */
  readonly editor: HTMLElement | null;
  readonly react: (emoji: string, isOn: boolean) => void;
  readonly dismiss: () => void;
}

const SPOKEN: readonly number[] = [MESSAGE.default, MESSAGE.reply, MESSAGE.command, MESSAGE.menu];

/** Whether somebody says something, instead of Discord noting that something happened. */
export function isSpoken(message: PlaygroundMessage): boolean {
  return SPOKEN.includes(message.type);
}

/** `isContinued`: the message before is by the same author, so the head is left out. */
export function messageView(
  message: PlaygroundMessage,
  isContinued: boolean,
  context: MessageContext,
): HTMLElement {
  if (!isSpoken(message)) return systemView(message);
  const classes = [
    "message",
    isContinued && "continued",
    message.isEphemeral && "ephemeral",
    isPing(message, context.names.ownId) && "pings",
  ];
  const at = new Date(message.createdAt);
  return h(
    "article",
    {
      class: classes.filter(Boolean).join(" "),
      id: `message-${message.id}`,
      tabindex: -1,
      "aria-label": `${message.author.name}, ${clockTime(at)}`,
    },
    message.replyTo && replyView(message.replyTo),
    message.command && commandView(message.command, message.type === MESSAGE.command),
    isContinued
      ? h("time", { class: "aside", datetime: message.createdAt }, clockTime(at))
      : avatarView(message.author),
    h(
      "div",
      { class: "body" },
      !isContinued && headView(message, at),
      context.editor ?? contentView(message, context),
      message.attachments.length > 0 &&
        h("div", { class: "attachments" }, ...message.attachments.map(attachmentView)),
      ...message.embeds.map((embed) => embedView(embed, context.names)),
      ...componentViews(message.components, context.components),
      message.reactions.length > 0 && reactionsView(message, context),
      message.threadId !== null &&
        h(
          "a",
          { class: "thread-link", href: `#${message.threadId}` },
          icon("thread"),
          context.threadName ?? "Thread",
        ),
      message.isEphemeral && onlyYou(context),
    ),
    context.toolbar,
  );
}

function isPing(message: PlaygroundMessage, ownId: string): boolean {
  return message.pingsUserIds.includes(ownId) && message.author.id !== ownId;
}

function headView(message: PlaygroundMessage, at: Date): HTMLElement {
  return h(
    "header",
    { class: "head" },
    h("span", { class: "name" }, message.author.name),
    message.author.kind !== "person" && h("span", { class: "app-mark" }, "App"),
    h("time", { datetime: message.createdAt, title: fullTime(at) }, clockTime(at)),
  );
}

function contentView(message: PlaygroundMessage, context: MessageContext): Child {
  if (message.isLoading) {
    return h(
      "p",
      { class: "thinking", role: "status" },
      h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
      `${context.applicationName} is thinking…`,
    );
  }
  const edited = message.editedAt !== null && editedMark(message.editedAt);
  if (message.content === "") return edited && h("p", {}, edited);
  const view = markdownView(message.content, context.names);
  if (edited)
    (view.lastElementChild?.tagName === "P" ? view.lastElementChild : view).append(edited);
  return view;
}

function editedMark(editedAt: string): HTMLElement {
  return h("small", { class: "edited", title: fullTime(new Date(editedAt)) }, "(edited)");
}

function replyView(reply: NonNullable<PlaygroundMessage["replyTo"]>): HTMLElement {
  if (reply.authorName === null) {
    return h("p", { class: "reply gone" }, icon("reply"), "The original message is gone.");
  }
  return h(
    "a",
    { class: "reply", href: `#/${reply.messageId}` },
    icon("reply"),
    h("strong", {}, reply.authorName),
    h("span", {}, plainText(reply.excerpt ?? "") || "Press to see the attachment"),
  );
}

function commandView(
  command: NonNullable<PlaygroundMessage["command"]>,
  isSlash: boolean,
): HTMLElement {
  const name = `${isSlash ? "/" : ""}${command.name}`;
  return h(
    "p",
    { class: "reply" },
    icon("apps"),
    h("strong", {}, command.userName),
    command.name === null
      ? h("span", {}, "used a button")
      : h("span", {}, "used ", h("b", { class: "command-name" }, name)),
  );
}

function reactionsView(message: PlaygroundMessage, context: MessageContext): HTMLElement {
  const { ownId } = context.names;
  return h(
    "div",
    { class: "reactions" },
    ...message.reactions.map(({ emoji, userIds }) => {
      const isOwn = userIds.includes(ownId);
      const key = emoji.id === null ? emoji.name : `${emoji.name}:${emoji.id}`;
      return h(
        "button",
        {
          type: "button",
          "aria-pressed": String(isOwn),
          "aria-label": `${emoji.name}, ${userIds.length}`,
          on: { click: () => context.react(key, !isOwn) },
        },
        emoji.id === null
          ? emoji.name
          : h("img", { class: "emoji", src: `/emojis/${emoji.id}.png`, alt: emoji.name }),
        h("span", {}, String(userIds.length)),
      );
    }),
  );
}

function onlyYou({ dismiss }: MessageContext): HTMLElement {
  return h(
    "p",
    { class: "only-you" },
    "Only you can see this. ",
    h("button", { type: "button", class: "link", on: { click: dismiss } }, "Dismiss"),
  );
}

function systemView(message: PlaygroundMessage): HTMLElement {
  return h(
    "article",
    { class: "message system", id: `message-${message.id}`, tabindex: -1 },
    icon(message.type === MESSAGE.threadCreated ? "thread" : "more"),
    h("p", {}, h("strong", {}, message.author.name), " ", systemText(message)),
  );
}

function systemText(message: PlaygroundMessage): Child {
  switch (message.type) {
    case MESSAGE.pinned:
      return "pinned a message.";
    case MESSAGE.joined:
      return "is here now.";
    case MESSAGE.threadCreated:
      return `started a thread: ${message.content}`;
    default:
      return message.content;
  }
}

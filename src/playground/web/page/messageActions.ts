import type { PlaygroundCommand, PlaygroundMessage } from "../../peopleApi.js";
import type { Chat } from "./chat.js";
import type { Deeds } from "./deeds.js";
import { openDialog } from "./dialog.js";
import { COMMAND } from "./discord.js";
import { h, iconButton } from "./dom.js";
import { openMenu } from "./menu.js";
import { attempt } from "./notices.js";
import { plainText } from "./plainText.js";

const REACTIONS = ["👍", "❤️", "😄", "🎉", "👀", "✅"] as const;

export interface ActionTargets {
  readonly chat: Chat;
  readonly deeds: Deeds;
  readonly reply: (message: PlaygroundMessage) => void;
  readonly edit: (message: PlaygroundMessage) => void;
}

/** What one can do with a message; it appears when the message is pointed at or has the focus. */
export function messageToolbar(message: PlaygroundMessage, targets: ActionTargets): HTMLElement {
  const { chat, deeds } = targets;
  if (message.isEphemeral || message.isLoading) return h("div", { class: "toolbar", hidden: true });
  const isOwn = message.author.id === chat.userId;
  const more = iconButton("more", "More actions", () => {
    attempt(async () => {
      const commands = await deeds.commands();
      openMenu(more, "Message", [
        { items: ownItems() },
        { title: "Apps", items: appItems(commands) },
        { title: "React", items: REACTIONS.map(reaction) },
      ]);
    });
  });
  more.setAttribute("aria-haspopup", "menu");
  return h(
    "div",
    { class: "toolbar" },
    isOwn && iconButton("edit", "Edit", () => targets.edit(message)),
    iconButton("reply", "Reply", () => targets.reply(message)),
    more,
  );

  function ownItems() {
    const isThread = chat.channel?.kind === "thread";
    return [
      { label: "Reply", icon: "reply" as const, choose: () => targets.reply(message) },
      ...(isThread || message.threadId !== null
        ? []
        : [
            {
              label: "Create thread",
              icon: "thread" as const,
              choose: () => askForThread(chat, deeds, message),
            },
          ]),
      {
        label: "Delete message",
        icon: "trash" as const,
        isDangerous: true,
        choose: () => attempt(() => deeds.remove(message)),
      },
    ];
  }

  function appItems(commands: readonly PlaygroundCommand[]) {
    return commands
      .filter((command) => command.type === COMMAND.messageMenu)
      .map(({ name }) => ({
        label: name,
        icon: "apps" as const,
        choose: () => attempt(() => deeds.run({ command: name, targetMessage: message.id }, [])),
      }));
  }

  function reaction(emoji: string) {
    return { label: emoji, choose: () => attempt(() => deeds.react(message, emoji, true)) };
  }
}

/** Asks for the name of a new thread and opens it; with a message, the thread grows from it. */
export function askForThread(chat: Chat, deeds: Deeds, message?: PlaygroundMessage): void {
  const name = h("input", { required: true, maxlength: 100 });
  name.value = plainText(message?.content ?? "")
    .slice(0, 40)
    .trim();
  openDialog({
    title: message ? "A thread from this message" : `A thread in #${chat.channel?.name ?? ""}`,
    content: [h("label", { class: "field" }, h("span", {}, "Name"), name)],
    confirm: "Create thread",
    submit: () => deeds.createThread(name.value, message),
  });
}

import type { Chat } from "./chat.js";
import type { Deeds } from "./deeds.js";
import { openDialog } from "./dialog.js";
import { byId, fillFor, h, icon, iconButton } from "./dom.js";
import { openMenu } from "./menu.js";
import { askForThread } from "./messageActions.js";
import type { Theme } from "./theme.js";

export interface HeaderOptions {
  readonly chat: Chat;
  readonly deeds: Deeds;
  readonly theme: Theme;
  readonly toggleSidebar: () => void;
}

/** The name and topic of the open channel, and what one can do with it. */
export function renderHeader({ chat, deeds, theme, toggleSidebar }: HeaderOptions): void {
  const { channel } = chat;
  const isThread = channel?.kind === "thread";
  const parent =
    isThread && channel.parentId !== null ? chat.findChannel(channel.parentId) : undefined;
  fillFor(byId("channel"), [channel, parent, theme.current()], () => {
    const menuButton = iconButton("menu", "Channels", toggleSidebar);
    menuButton.classList.add("only-narrow");
    const look = iconButton(theme.icon(), `Colours: ${theme.current()}`, () => {
      theme.next();
      renderHeader({ chat, deeds, theme, toggleSidebar });
    });
    look.id = "look";
    const more = iconButton("more", "Channel actions", () =>
      openMenu(more, "Channel", [
        {
          items: [
            ...(isThread
              ? []
              : [
                  {
                    label: "Create thread",
                    icon: "thread" as const,
                    choose: () => askForThread(chat, deeds),
                  },
                ]),
            {
              label: isThread ? "Delete thread" : "Delete channel",
              icon: "trash" as const,
              isDangerous: true,
              choose: () => askToDelete(chat, deeds),
            },
          ],
        },
      ]),
    );
    more.setAttribute("aria-haspopup", "menu");
    return [
      menuButton,
      h(
        "div",
        { class: "title" },
        h(
          "h2",
          {},
          parent && h("a", { href: `#${parent.id}` }, `#${parent.name}`),
          parent && h("span", { class: "faint", "aria-hidden": "true" }, " › "),
          channel && (isThread ? icon("thread") : h("span", { class: "hash" }, "#")),
          channel?.name ?? "No channel",
        ),
        channel?.topic && h("p", { class: "topic", title: channel.topic }, channel.topic),
      ),
      look,
      channel && more,
    ];
  });
}

function askToDelete(chat: Chat, deeds: Deeds): void {
  const { channel } = chat;
  if (!channel) return;
  const what = channel.kind === "thread" ? "thread" : "channel";
  openDialog({
    title: `Delete the ${what} ${channel.name}?`,
    content: [h("p", {}, "Its messages are gone then, and nothing brings them back.")],
    confirm: `Delete ${what}`,
    isDangerous: true,
    submit: () => deeds.deleteChannel(),
  });
}

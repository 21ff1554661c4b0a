import type { PlaygroundChannel, PlaygroundGuild } from "../../peopleApi.js";
import { avatarView } from "./avatar.js";
import type { Chat, Unread } from "./chat.js";
import { byId, type Child, fillFor, h, icon } from "./dom.js";
import { attempt } from "./notices.js";

/** Servers, their channels below their categories, and who one is. */
export function renderSidebar(chat: Chat): void {
  const channels = chat.guilds.flatMap((guild) => guild.channels);
  const unread = channels.map((channel) => chat.unread(channel.id)?.pings);
  const names = chat.guilds.map((guild) => guild.name);
  fillFor(byId("channels"), [names, channels, unread, chat.channel?.id], () =>
    chat.guilds.map((guild) => guildView(chat, guild)),
  );
  fillFor(byId("person"), [chat.people, chat.userId], () => personView(chat));
  const name = chat.channel ? `${chat.channel.name} · ` : "";
  document.title = `${unread.some((pings) => pings !== undefined) ? "• " : ""}${name}Parley playground`;
}

function guildView(chat: Chat, guild: PlaygroundGuild): HTMLElement {
  const { channels } = guild;
  const categories = channels.filter((channel) => channel.kind === "category");
  const isLoose = (channel: PlaygroundChannel) =>
    !categories.some((category) => category.id === channel.parentId);
  return h(
    "section",
    { "aria-label": guild.name },
    h("h2", {}, guild.name),
    channelList(chat, channels.filter(isLoose), channels),
    ...categories.map((category) =>
      h(
        "section",
        { "aria-label": category.name },
        h("h3", {}, category.name),
        channelList(
          chat,
          channels.filter((channel) => channel.parentId === category.id),
          channels,
        ),
      ),
    ),
  );
}

function channelList(
  chat: Chat,
  shown: readonly PlaygroundChannel[],
  all: readonly PlaygroundChannel[],
): Child {
  const items = shown
    .filter(({ kind }) => kind !== "category" && kind !== "thread")
    .map((channel) => {
      const threads = all.filter(
        (thread) =>
          thread.kind === "thread" &&
          thread.parentId === channel.id &&
          (!thread.isArchived || thread.id === chat.channel?.id),
      );
      return h(
        "li",
        {},
        channelLink(chat, channel),
        threads.length > 0 &&
          h("ul", {}, ...threads.map((thread) => h("li", {}, channelLink(chat, thread)))),
      );
    });
  return items.length > 0 && h("ul", {}, ...items);
}

function channelLink(chat: Chat, channel: PlaygroundChannel): HTMLElement {
  const unread = chat.unread(channel.id);
  const isOpen = channel.id === chat.channel?.id;
  return h(
    "a",
    {
      href: `#${channel.id}`,
      class: unread ? "unread" : "",
      "aria-current": isOpen ? "page" : null,
      "aria-label": unread && unreadLabel(channel.name, unread),
    },
    channel.kind === "thread"
      ? icon("thread")
      : h("span", { class: "hash", "aria-hidden": "true" }, "#"),
    h("span", { class: "channel-name" }, channel.name),
    unread && unread.pings > 0 && h("span", { class: "pings" }, String(unread.pings)),
  );
}

function unreadLabel(name: string, { pings }: Unread): string {
  return pings > 0 ? `${name}, unread, calls for you: ${pings}` : `${name}, unread`;
}

function personView(chat: Chat): Child[] {
  const me = chat.people.find((person) => person.id === chat.userId);
  const select = h(
    "select",
    { id: "who" },
    ...chat.people.map(({ id, name }) => h("option", { value: id, selected: id === me?.id }, name)),
  );
  select.addEventListener("change", () => attempt(() => chat.become(select.value)));
  return [
    me ? avatarView({ id: me.id, name: me.name, avatarUrl: null }) : null,
    h("label", { for: "who" }, h("span", { class: "faint" }, "You write as"), select),
  ];
}

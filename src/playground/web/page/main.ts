/** Puts the page together. */
import { Refusal } from "./api.js";
import { renderHeader } from "./channelHeader.js";
import { Chat } from "./chat.js";
import { Composer } from "./composer.js";
import { Deeds } from "./deeds.js";
import { byId, h } from "./dom.js";
import { kept } from "./kept.js";
import { MessageList } from "./messageList.js";
import { attempt, explain } from "./notices.js";
import { renderSidebar } from "./sidebar.js";
import { createTheme } from "./theme.js";

const RETRY_MS = 2_000;

window.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  explain(event.reason);
});

const chat = new Chat();
const deeds = new Deeds(chat);
const theme = createTheme(document.documentElement);
const list = new MessageList({ chat, deeds, reply: (message) => composer.replyTo(message) });
const composer: Composer = new Composer({ chat, deeds, editLast: () => list.editLast() });
const sidebar = createSidebar();

chat.onChange((change) => {
  switch (change) {
    case "place":
      showPlace();
      break;
    case "channels":
      renderSidebar(chat);
      showHeader();
      list.render();
      break;
    case "messages":
      list.render();
      break;
    case "typing":
      showTyping();
      break;
    case "connection":
      showConnection();
      break;
  }
});

window.addEventListener("hashchange", () => attempt(follow));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) chat.seen();
});
await begin();

async function begin(): Promise<void> {
  const [place] = readHash();
  try {
    await chat.start(place || (kept("channel") ?? ""));
    const [, messageId] = readHash();
    if (messageId) list.show(messageId);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    byId("connection").hidden = false;
    byId("connection").textContent = error.message;
    window.setTimeout(() => attempt(begin), RETRY_MS);
  }
}

/** `#channel`, `#channel/message`, or `#/message` in the open channel. */
function readHash(): readonly [channelId: string, messageId: string] {
  const [channelId = "", messageId = ""] = location.hash.slice(1).split("/");
  return [channelId, messageId];
}

async function follow(): Promise<void> {
  const [channelId, messageId] = readHash();
  if (channelId === "text") return;
  sidebar.close();
  if (channelId !== "" && channelId !== chat.channel?.id) await chat.open(channelId);
  showAddress();
  if (messageId !== "") list.show(messageId);
  else if (matchMedia("(pointer: fine)").matches) composer.focus();
}

function showPlace(): void {
  showAddress();
  renderSidebar(chat);
  showHeader();
  showTyping();
  composer.reset();
  list.reset();
}

function showAddress(): void {
  const { channel } = chat;
  const wanted = channel ? `#${channel.id}` : "#";
  if (location.hash !== wanted) history.replaceState(null, "", wanted);
}

function showHeader(): void {
  renderHeader({ chat, deeds, theme, toggleSidebar: () => sidebar.toggle() });
}

function showTyping(): void {
  const names = chat.typingNames;
  const who =
    names.length > 2
      ? "Several people are"
      : `${names.join(" and ")} ${names.length > 1 ? "are" : "is"}`;
  const dots = h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  byId("typing").replaceChildren(...(names.length > 0 ? [dots, `${who} typing…`] : []));
}

function showConnection(): void {
  const line = byId("connection");
  line.hidden = chat.isConnected;
  line.textContent = chat.isConnected ? "" : "The playground does not answer. Trying again…";
}

/** On a narrow screen the sidebar is a drawer. */
function createSidebar(): { toggle(): void; close(): void } {
  const { classList } = document.body;
  const close = () => classList.remove("sidebar-open");
  byId("veil").addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  return {
    close,
    toggle() {
      classList.toggle("sidebar-open");
      if (classList.contains("sidebar-open")) {
        byId("channels").querySelector<HTMLElement>("[aria-current]")?.focus();
      }
    },
  };
}

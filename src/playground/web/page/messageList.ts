import type { PlaygroundMessage } from "../../peopleApi.js";
import type { Chat } from "./chat.js";
import type { Deeds } from "./deeds.js";
import { byId, type Child, fill, h } from "./dom.js";
import { messageToolbar } from "./messageActions.js";
import { messageEditor } from "./messageEditor.js";
import { isSpoken, messageView } from "./messageView.js";
import { attempt } from "./notices.js";
import { dayName, isSameDay } from "./time.js";

export interface MessageListOptions {
  readonly chat: Chat;
  readonly deeds: Deeds;
  readonly reply: (message: PlaygroundMessage) => void;
}

interface Row {
  readonly message: PlaygroundMessage;
  readonly isContinued: boolean;
  readonly threadName: string | undefined;
  readonly element: HTMLElement;
}

/** Messages of one author within this time stand together. */
const TOGETHER_MS = 7 * 60_000;

/** So near to the end the list follows new messages. */
const NEAR_END_PX = 80;

const NEAR_START_PX = 200;

/** The messages of the open channel. A row is built anew only when its message changed. */
export class MessageList {
  readonly #options: MessageListOptions;
  readonly #list = byId("messages");
  readonly #scroll = byId("scroll");
  readonly #newest = byId("newest");
  #rows = new Map<string, Row>();
  #editing: string | null = null;
  /** Shown once its channel is loaded. */
  #target: string | null = null;
  #isAtEnd = true;

  constructor(options: MessageListOptions) {
    this.#options = options;
    this.#newest.addEventListener("click", () => this.#toEnd());
    this.#scroll.addEventListener("scroll", () => this.#scrolled());
    this.#list.addEventListener("keydown", (event) => this.#move(event));
    new ResizeObserver(() => {
      if (this.#isAtEnd) this.#toEnd();
    }).observe(this.#scroll);
    // Pictures that load late must not push the newest message out of sight.
    this.#list.addEventListener("load", () => this.#isAtEnd && this.#toEnd(), true);
  }

  /** Another channel: begins at its end. */
  reset(): void {
    this.#rows = new Map();
    this.#editing = null;
    this.#isAtEnd = true;
    fill(this.#list);
    this.render();
  }

  render(): void {
    const { feed } = this.#options.chat;
    const heightBefore = this.#scroll.scrollHeight - this.#scroll.scrollTop;
    const firstBefore = this.#rows.keys().next().value;
    const messages = feed?.messages ?? [];
    const rows = new Map<string, Row>();
    const children: Child[] = [];
    let previous: PlaygroundMessage | undefined;
    for (const message of messages) {
      const isNewDay = !previous || !isSameDay(dateOf(previous), dateOf(message));
      if (isNewDay) {
        const day = dayName(dateOf(message));
        children.push(h("div", { class: "day", role: "separator", "aria-label": day }, day));
      }
      const isContinued = !isNewDay && previous !== undefined && goesOn(previous, message);
      const row = this.#row(message, isContinued);
      rows.set(message.id, row);
      children.push(row.element);
      previous = message;
    }
    this.#rows = rows;
    this.#place([this.#beginning(), ...children]);
    this.#tabStop();
    const isOlderAdded = firstBefore !== undefined && rows.keys().next().value !== firstBefore;
    if (this.#isAtEnd) this.#toEnd();
    else if (isOlderAdded) this.#scroll.scrollTop = this.#scroll.scrollHeight - heightBefore;
    this.#newest.hidden = this.#isAtEnd;
    if (this.#target !== null && feed?.isLoaded) this.show(this.#target);
  }

  /** Scrolls to a message and marks it for a moment; fetches older ones to find it. */
  show(messageId: string): void {
    const { feed } = this.#options.chat;
    const row = this.#rows.get(messageId);
    if (!row && feed?.hasOlder !== false) {
      this.#target = messageId;
      if (feed?.isLoaded) attempt(() => feed.loadOlder());
      return;
    }
    this.#target = null;
    if (!row) return;
    this.#isAtEnd = false;
    row.element.scrollIntoView({ block: "center" });
    row.element.focus({ preventScroll: true });
    row.element.classList.remove("shown");
    // Reading a size makes the browser begin the mark anew.
    void row.element.offsetWidth;
    row.element.classList.add("shown");
  }

  /** Lets the person change the last message of their own. */
  editLast(): void {
    const { chat } = this.#options;
    const own = chat.feed?.messages.findLast(({ author }) => author.id === chat.userId);
    if (own) this.#edit(own);
  }

  #row(message: PlaygroundMessage, isContinued: boolean): Row {
    const { chat } = this.#options;
    const threadName =
      message.threadId === null ? undefined : chat.findChannel(message.threadId)?.name;
    const old = this.#rows.get(message.id);
    const isSame =
      old?.message === message && old.isContinued === isContinued && old.threadName === threadName;
    // An editor in use stays, whatever happens to the message.
    if (old && (isSame || this.#editing === message.id)) return old;
    return { message, isContinued, threadName, element: this.#element(message, isContinued) };
  }

  #element(message: PlaygroundMessage, isContinued: boolean): HTMLElement {
    const { chat, deeds, reply } = this.#options;
    const names = {
      mentionNames: message.mentionNames,
      hasChannel: (id: string) => chat.findChannel(id) !== undefined,
      ownId: chat.userId,
    };
    return messageView(message, isContinued, {
      names,
      components: {
        names,
        guild: chat.guild,
        use: (customId, values) => deeds.use(message.id, customId, values),
      },
      applicationName: chat.applicationName,
      threadName: message.threadId === null ? undefined : chat.findChannel(message.threadId)?.name,
      toolbar: messageToolbar(message, { chat, deeds, reply, edit: (own) => this.#edit(own) }),
      editor:
        this.#editing === message.id ? messageEditor(message, deeds, () => this.#endEdit()) : null,
      react: (emoji, isOn) => attempt(() => deeds.react(message, emoji, isOn)),
      dismiss: () => chat.feed?.dismiss(message.id),
    });
  }

  #edit(message: PlaygroundMessage): void {
    this.#endEdit();
    this.#editing = message.id;
    this.#rows.delete(message.id);
    this.render();
    const text = this.#rows.get(message.id)?.element.querySelector("textarea");
    text?.focus();
    text?.setSelectionRange(text.value.length, text.value.length);
  }

  #endEdit(): void {
    if (this.#editing === null) return;
    this.#rows.delete(this.#editing);
    this.#editing = null;
    this.render();
    byId("text").focus();
  }

  #beginning(): Child {
    const { feed, channel } = this.#options.chat;
    if (!channel || !feed?.isLoaded || feed.hasOlder) return null;
    const isThread = channel.kind === "thread";
    return h(
      "div",
      { class: "beginning" },
      h("h2", {}, isThread ? channel.name : `#${channel.name}`),
      h(
        "p",
        { class: "faint" },
        isThread
          ? "Here the thread begins."
          : "Here the channel begins. Write a message below, or type / for the commands.",
      ),
    );
  }

  /** Moves only what is not in its place, so that focus and selections stay. */
  #place(children: readonly Child[]): void {
    const wanted = children.filter((child) => child instanceof Node);
    let at = this.#list.firstChild;
    for (const node of wanted) {
      if (node === at) at = at.nextSibling;
      else this.#list.insertBefore(node, at);
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
    this.#isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    this.#newest.hidden = this.#isAtEnd;
    const { feed } = this.#options.chat;
    if (scrollTop < NEAR_START_PX && feed?.hasOlder) attempt(() => feed.loadOlder());
  }

  #toEnd(): void {
    this.#isAtEnd = true;
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  /** One message at a time is reached with Tab; the arrow keys lead to the others. */
  #tabStop(chosen = [...this.#rows.values()].at(-1)?.element): void {
    for (const { element } of this.#rows.values()) element.tabIndex = element === chosen ? 0 : -1;
  }

  #move(event: KeyboardEvent): void {
    const elements = [...this.#rows.values()].map((row) => row.element);
    const at = elements.indexOf(event.target as HTMLElement);
    if (at === -1) return;
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: elements.length - 1 }[event.key];
    const element = to === undefined ? undefined : elements[to];
    if (!element) return;
    event.preventDefault();
    this.#tabStop(element);
    element.focus();
  }
}

function dateOf(message: PlaygroundMessage): Date {
  return new Date(message.createdAt);
}

function goesOn(previous: PlaygroundMessage, message: PlaygroundMessage): boolean {
  return (
    isSpoken(previous) &&
    isSpoken(message) &&
    previous.author.id === message.author.id &&
    previous.author.name === message.author.name &&
    previous.author.avatarUrl === message.author.avatarUrl &&
    previous.isEphemeral === message.isEphemeral &&
    message.replyTo === null &&
    message.command === null &&
    dateOf(message).getTime() - dateOf(previous).getTime() < TOGETHER_MS
  );
}

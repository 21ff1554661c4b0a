import type { PlaygroundEvent, PlaygroundMessage } from "../../peopleApi.js";
import { api } from "./api.js";
import type { Dismissed } from "./kept.js";

type MessageEvent = Extract<
  PlaygroundEvent,
  { type: "message" | "messageUpdate" | "messageDelete" }
>;

/** The messages of the one channel that is open, oldest first. */
export class Feed {
  readonly channelId: string;
  readonly #userId: string;
  readonly #changed: () => void;
  #messages: readonly PlaygroundMessage[] = [];
  #hasOlder = false;
  #isLoaded = false;
  #isLoadingOlder = false;
  /** What happened while messages were on their way; null when none are. */
  #waiting: MessageEvent[] | null = null;
  readonly #dismissed: Dismissed;

  constructor(channelId: string, userId: string, dismissed: Dismissed, changed: () => void) {
    this.channelId = channelId;
    this.#userId = userId;
    this.#dismissed = dismissed;
    this.#changed = changed;
  }

  get messages(): readonly PlaygroundMessage[] {
    return this.#messages.filter((message) => !this.#dismissed.has(message.id));
  }

  get hasOlder(): boolean {
    return this.#hasOlder;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  find(messageId: string): PlaygroundMessage | undefined {
    return this.#messages.find((message) => message.id === messageId);
  }

  /** Fetches the newest messages; after an interruption once more. */
  async load(): Promise<void> {
    this.#waiting = [];
    try {
      this.#messages = await api.messages(this.channelId, this.#userId);
      this.#hasOlder = this.#messages.length >= PAGE_LENGTH;
    } finally {
      this.#isLoaded = true;
      const waited = this.#waiting ?? [];
      this.#waiting = null;
      for (const event of waited) this.#take(event);
      this.#changed();
    }
  }

  async loadOlder(): Promise<void> {
    const [oldest] = this.#messages;
    if (!oldest || !this.#hasOlder || this.#isLoadingOlder) return;
    this.#isLoadingOlder = true;
    try {
      const older = await api.messages(this.channelId, this.#userId, oldest.id);
      const known = new Set(this.#messages.map((message) => message.id));
      this.#hasOlder = older.length >= PAGE_LENGTH;
      this.#messages = [...older.filter((message) => !known.has(message.id)), ...this.#messages];
    } finally {
      this.#isLoadingOlder = false;
      this.#changed();
    }
  }

  apply(event: MessageEvent): void {
    if (this.#waiting) {
      this.#waiting.push(event);
      return;
    }
    this.#take(event);
    this.#changed();
  }

  /** Adds what an answer to a request brought, unless an event was faster. */
  add(message: PlaygroundMessage): void {
    if (message.channelId !== this.channelId || this.find(message.id)) return;
    this.apply({ type: "message", message });
  }

  /** Takes an answer that only this person sees off the page. */
  dismiss(messageId: string): void {
    this.#dismissed.add(messageId);
    this.#changed();
  }

  #take(event: MessageEvent): void {
    if (event.type === "messageDelete") {
      const gone = new Set(event.messageIds);
      this.#messages = this.#messages
        .filter((message) => !gone.has(message.id))
        .map((message) => withoutTarget(message, gone));
      return;
    }
    const { message } = event;
    const at = this.#messages.findIndex((other) => other.id === message.id);
    if (at !== -1) this.#messages = this.#messages.with(at, message);
    else if (event.type === "message") this.#messages = inOrder([...this.#messages, message]);
  }
}

/** How many messages the server sends at once unless asked otherwise. */
const PAGE_LENGTH = 50;

function withoutTarget(message: PlaygroundMessage, gone: ReadonlySet<string>): PlaygroundMessage {
  if (!message.replyTo || !gone.has(message.replyTo.messageId)) return message;
  return { ...message, replyTo: { ...message.replyTo, authorName: null, excerpt: null } };
}

/** Ids of Discord grow with time; as texts of one length they can be compared. */
function inOrder(messages: readonly PlaygroundMessage[]): readonly PlaygroundMessage[] {
  const key = (message: PlaygroundMessage) => message.id.padStart(20, "0");
  return messages.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

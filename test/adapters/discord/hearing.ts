import { attach } from "../../../src/adapters/discord/listener.js";
import type { ReceivedMessage } from "../../../src/ports/chat.js";
import type { Listener, OwnShown } from "../../../src/ports/listener.js";
import { type Connected, connect } from "./connected.js";

/** Keeps what it is told: `["deleted", channelId, ids]`. */
export class RecordingListener implements Listener {
  readonly calls: (readonly [keyof Listener, ...unknown[]])[] = [];
  failure: Error | null = null;

  received = (message: ReceivedMessage) => this.#note("received", message);
  edited = (...edit: Parameters<Listener["edited"]>) => this.#note("edited", ...edit);
  filesLeft = (...files: Parameters<Listener["filesLeft"]>) => this.#note("filesLeft", ...files);
  ownShown = (message: OwnShown) => this.#note("ownShown", message);
  deleted = (...deletion: Parameters<Listener["deleted"]>) => this.#note("deleted", ...deletion);
  channelDeleted = (...ids: Parameters<Listener["channelDeleted"]>) =>
    this.#note("channelDeleted", ...ids);
  threadDeleted = (...ids: Parameters<Listener["threadDeleted"]>) =>
    this.#note("threadDeleted", ...ids);
  serverReady = (id: Parameters<Listener["serverReady"]>[0]) => this.#note("serverReady", id);
  rightsChanged = (id: Parameters<Listener["rightsChanged"]>[0]) => this.#note("rightsChanged", id);
  serverLeft = (id: Parameters<Listener["serverLeft"]>[0]) => this.#note("serverLeft", id);

  of(kind: keyof Listener): readonly (readonly unknown[])[] {
    return this.calls.filter(([name]) => name === kind).map(([, ...rest]) => rest);
  }

  get messages(): readonly ReceivedMessage[] {
    return this.of("received").map(([message]) => message as ReceivedMessage);
  }

  async #note(...call: readonly [keyof Listener, ...unknown[]]): Promise<void> {
    this.calls.push(call);
    if (this.failure !== null) throw this.failure;
  }
}

/** A connected adapter that is listened to. */
export interface Hearing extends Connected {
  readonly heard: RecordingListener;
  /** Events keep their order: when this resolves, everything said before was heard. */
  settled(): Promise<void>;
  /** The owner writes in `general`. */
  say(text: string, extras?: object): { readonly id: string };
}

export async function connectHearing(): Promise<Hearing> {
  const connected = await connect();
  const { loopback, client, log } = connected;
  const { people, owner, channelId } = loopback;
  const heard = new RecordingListener();
  attach({ client, tells: connected.gateway.tells }, heard, log);
  let marks = 0;
  return {
    ...connected,
    heard,
    async settled() {
      marks += 1;
      const mark = `mark ${marks}`;
      people.post(owner.id, channelId, mark);
      await loopback.until(
        () => (heard.messages.some(({ text }) => text === mark) ? true : undefined),
        "the mark",
      );
    },
    say: (text, extras = {}) => people.post(owner.id, channelId, text, extras),
  };
}

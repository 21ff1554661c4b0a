import type { MessageId } from "../domain/ids.js";
import type { Place } from "../domain/message.js";
import type { PersonaPost } from "./chat.js";

/**
 * Another text for a reply that stands in a channel. It is stored before anything of it is shown,
 * so that the channel and the transcript say the same after a sudden end too.
 */
export interface ReplyChange {
  /** Of the reply: another change of it takes the place of the one before. */
  readonly id: string;
  readonly place: Place;
  /** Its messages, oldest first. */
  readonly messages: readonly ChangedMessage[];
}

export interface ChangedMessage {
  readonly id: MessageId;
  /** What it shows from then on, and what prompts show of it. Null: it is taken away. */
  readonly becomes: (Pick<PersonaPost, "text" | "file"> & { readonly share: string }) | null;
}

export interface ReplyChangeStore {
  plan(change: ReplyChange): Promise<void>;
  list(): Promise<readonly ReplyChange[]>;
  /** It is made, or not wanted any more. */
  settle(id: string): Promise<void>;
}

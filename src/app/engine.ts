import type { ConversationId } from "../domain/ids.js";
import type { Mailboxes } from "./mailbox.js";
import type { Services } from "./services.js";

/** What rounds run on: the services, one mailbox per conversation, and whether the process is ending. */
export interface Engine extends Services {
  readonly mailboxes: Mailboxes<ConversationId>;
  /** No new turns then: what is being said may be finished, the rest goes on after the restart. */
  isStopping(): boolean;
}

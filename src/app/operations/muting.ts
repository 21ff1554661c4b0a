import { conversationOf } from "../../domain/message.js";
import type { OperationContext } from "./operation.js";

/** A round goes on with its members as they were when it began: a sentence while one is running. */
export function sinceWhen({
  mailboxes,
  place,
}: Pick<OperationContext, "mailboxes" | "place">): readonly string[] {
  return mailboxes.isBusy(conversationOf(place)) ? ["From the next round on."] : [];
}

import { conversationOf } from "../../domain/message.js";
import type { OperationContext } from "./operation.js";

/** A round goes on with its members as they were when it began: says so while one is running. */
export function fromWhen({
  mailboxes,
  place,
}: Pick<OperationContext, "mailboxes" | "place">): string {
  return mailboxes.isBusy(conversationOf(place))
    ? " from the next round on; what is going on now does not change"
    : "";
}

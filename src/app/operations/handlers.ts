/** What people use beside commands. */
import type { MessageId } from "../../domain/ids.js";
import type { Answer, OperationContext } from "./operation.js";

/** A press of a button whose id is `<name>:<argument>`, at the message that carries it. */
export type ButtonHandler = (
  context: OperationContext,
  argument: string,
  messageId: MessageId,
) => Promise<Answer>;

/** An entry in the context menu of messages, by the name that people read there. */
export interface MessageMenu {
  readonly name: string;
  readonly run: (context: OperationContext, messageId: MessageId) => Promise<Answer>;
}

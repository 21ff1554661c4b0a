/** What a button or a menu entry is, as the chat adapter takes it. */
import type { RESTPostAPIContextMenuApplicationCommandsJSONBody } from "discord.js";
import type { Answer, OperationContext } from "../src/app/operations/operation.js";
import type { MessageId } from "../src/domain/ids.js";

/** A press of a button whose id is `<name>:<argument>`, at the message that carries it. */
export type ButtonHandler = (
  context: OperationContext,
  argument: string,
  messageId: MessageId,
) => Promise<Answer>;

/** An entry in the context menu of messages. */
export interface MessageMenu {
  readonly data: RESTPostAPIContextMenuApplicationCommandsJSONBody;
  readonly run: (context: OperationContext, messageId: MessageId) => Promise<Answer>;
}

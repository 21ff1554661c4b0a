import { invalidField } from "../errors.js";
import type { MessageRecord } from "../world/records.js";
import type { RestContext } from "./context.js";

/** `before`, `after`, `around` and `limit`; newest first. */
export function pageOf(messages: readonly MessageRecord[], c: RestContext): MessageRecord[] {
  const text = c.req.query("limit");
  const limit = text === undefined ? 50 : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalidField(
      "limit",
      limit > 100 ? "NUMBER_TYPE_MAX" : "NUMBER_TYPE_MIN",
      "int value should be between 1 and 100.",
    );
  }
  const { before, after, around } = c.req.query();
  for (const [name, id] of Object.entries({ before, after, around })) {
    if (id !== undefined && !/^\d+$/.test(id)) {
      throw invalidField(name, "NUMBER_TYPE_COERCE", `Value "${id}" is not snowflake.`);
    }
  }
  return chosen().reverse();

  function chosen(): MessageRecord[] {
    if (around !== undefined) {
      const half = Math.floor(limit / 2);
      const older = messages.filter((message) => BigInt(message.id) < BigInt(around));
      const rest = messages.slice(older.length);
      return [
        ...(half === 0 ? [] : older.slice(-half)),
        ...rest.slice(0, Math.max(1, limit - half)),
      ];
    }
    if (after !== undefined) {
      return messages.filter((message) => BigInt(message.id) > BigInt(after)).slice(0, limit);
    }
    const older =
      before === undefined
        ? messages
        : messages.filter((message) => BigInt(message.id) < BigInt(before));
    return older.slice(-limit);
  }
}

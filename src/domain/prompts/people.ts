/** How people are called in prompts. */
import type { UserId } from "../ids.js";
import type { Message } from "../message.js";
import { displayNameKey } from "../names.js";
import { plainName } from "./labels.js";

/**
 * The same messages, oldest first, with people of one name told apart: whoever comes second under
 * it is `Ana (2)`. What comes later changes nothing, so that the beginning of a prompt stays as it is.
 */
export function toldApart(messages: readonly Message[]): readonly Message[] {
  const owners = new Map<string, UserId>();
  return messages.map((message) => {
    const { author } = message;
    if (author.kind !== "person") return message;
    const plain = plainName(author.name);
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? plain : `${plain} (${count})`;
      const key = displayNameKey(name);
      const owner = owners.get(key) ?? author.userId;
      if (owner !== author.userId) continue;
      owners.set(key, owner);
      return { ...message, author: { ...author, name } };
    }
  });
}

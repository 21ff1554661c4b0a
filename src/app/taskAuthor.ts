import type { Chain } from "../domain/chain.js";
import { asId, type UserId } from "../domain/ids.js";
import { type Author, FILE_VOICE } from "../domain/message.js";
import type { Asker } from "../ports/chat.js";
import { bold } from "./operations/show.js";

/** Who asks in parley.yaml and at the first start, where no person does. */
export const NOBODY = asId<UserId>("0");

/**
 * Whose words the first task of an agent is: of the agent that wrote it (`chain`), of the person who
 * asked for it, or of parley.yaml, behind which no person stands.
 */
export function taskAuthor(asker: Asker, chain: Chain | null): Author {
  if (chain !== null) return { kind: "agent", agentId: chain.fromId, name: chain.fromName };
  const { userId, name } = asker;
  return userId === NOBODY ? { kind: "agent", ...FILE_VOICE } : { kind: "person", userId, name };
}

/**
 * `**Kid** is asked by **Coordinator**, for **Ada**`: who has written the task, and with whose rights it
 * is done. No verb for who asks: people may be called "You".
 */
export function taskHeading(author: Author, displayName: string, chain: Chain | null): string {
  const asked = `${bold(displayName)} is asked by ${bold(author.name)}`;
  return chain === null ? asked : `${asked}, for ${bold(chain.startedBy.name)}`;
}

/** Who comes and goes is said in the channel of the group or chat. */
import type { Agent } from "../domain/agent.js";
import type { Place } from "../domain/message.js";
import { listOf } from "../domain/notices.js";
import { plain } from "../domain/plain.js";
import { ChatError } from "../ports/chat.js";
import type { Services } from "./services.js";
import { unstoppable } from "./stopping.js";

/** One line of the bot. What cannot be said is logged: the change is made by then. */
export async function sayThere(
  { chat, ids, log }: Pick<Services, "chat" | "ids" | "log">,
  place: Place,
  text: string,
): Promise<void> {
  try {
    await chat.announce(
      {
        place,
        text,
        buttons: [],
        isSilent: true,
        nonce: `gc${ids.round()}`,
        isDoubtful: false,
        afterId: null,
      },
      unstoppable(),
    );
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    log.warn({ err: error, place }, "a change of a chat could not be told there");
  }
}

/** `**Curren** has joined.`; empty where nobody has. */
export function moved(agents: readonly Agent[], where: "joined" | "left"): string {
  if (agents.length === 0) return "";
  const names = listOf(agents.map(({ displayName }) => `**${plain(displayName)}**`));
  return `${names} ${agents.length === 1 ? "has" : "have"} ${where}`;
}

/** That the host of a chat is another one from now on. */
export function hostNow({ displayName }: Pick<Agent, "displayName">): string {
  return `**${plain(displayName)}** is the host now.`;
}

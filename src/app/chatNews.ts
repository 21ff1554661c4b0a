/** Who comes and goes is said in the channel of the group or chat. */
import type { Agent } from "../domain/agent.js";
import type { Place } from "../domain/message.js";
import { listOf } from "../domain/phrases.js";
import { bold } from "../domain/plain.js";
import type { Services } from "./services.js";
import { sayOwed, wordsFor } from "./words.js";

/** One line of the bot, about a change that is made by then: it is owed to the channel from now on. */
export async function sayThere(services: Services, place: Place, text: string): Promise<void> {
  const words = [await wordsFor(services, { place, text })];
  await services.patientStorage.words.owe({ words, obeyed: null, atMs: services.clock.now() });
  sayOwed(services, words);
}

/** `**Curren** has joined.`; empty where nobody has. */
export function moved(agents: readonly Agent[], where: "joined" | "left"): string {
  if (agents.length === 0) return "";
  const names = listOf(agents.map(({ displayName }) => bold(displayName)));
  return `${names} ${agents.length === 1 ? "has" : "have"} ${where}`;
}

/** That the host of a chat is another one from now on. */
export function hostNow({ displayName }: Pick<Agent, "displayName">): string {
  return `${bold(displayName)} is the host now.`;
}

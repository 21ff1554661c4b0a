/** The agents that a `gc` command is about, as people write their names. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import { findNamed, stripAt } from "../../domain/names.js";
import { plain } from "../../domain/plain.js";
import { shorten } from "../../domain/shorten.js";
import { hasOpenQuote, type NamePiece, namePieces } from "../../domain/textCommand.js";
import type { OperationContext } from "./operation.js";
import { isArchived } from "./refusals.js";

/** The agent that is meant by a whole text. */
export async function agentNamed(
  context: Pick<OperationContext, "storage" | "asker">,
  text: string,
): Promise<Agent> {
  const [agent, ...more] = await agentsNamed(context, text);
  if (agent !== undefined && more.length === 0) return agent;
  throw more.length === 0 ? notFound(text) : new UserError("invalid", "Name only one agent.");
}

/** The agents of a list, each once. The first that there is not is a `UserError` to the letter of the contract. */
export async function agentsNamed(
  { storage, asker }: Pick<OperationContext, "storage" | "asker">,
  text: string,
): Promise<readonly Agent[]> {
  if (hasOpenQuote(text)) {
    throw new UserError(
      "invalid",
      "A quote is opened and not closed: put one at both ends of a name.",
    );
  }
  const all = await storage.agents.list(asker.guildId);
  const active = all.filter(({ archivedAtMs }) => archivedAtMs === null);
  const pieces = namePieces(text);
  const found: Agent[] = [];
  const unknown: string[] = [];
  for (let at = 0; at < pieces.length; ) {
    const hit = longestName(pieces.slice(at), active);
    if (hit !== null) {
      if (unknown.length > 0) break;
      if (!found.includes(hit.agent)) found.push(hit.agent);
    } else unknown.push(pieces[at]?.text ?? "");
    at += hit?.length ?? 1;
    if (hit === null && pieces[at - 1]?.isWhole === true) break;
  }
  if (unknown.length === 0) return found;
  const name = unknown.join(" ");
  const archived = findNamed(name, all);
  throw archived === undefined ? notFound(name) : isArchived(archived);
}

/** Words may be one name together: the longest that there is counts. */
function longestName(
  pieces: readonly NamePiece[],
  agents: readonly Agent[],
): { readonly agent: Agent; readonly length: number } | null {
  const loose = pieces.findIndex(({ isWhole }) => isWhole);
  const longest = Math.max(1, loose < 0 ? pieces.length : loose);
  // Names of old may have commas.
  const wholes = pieces.findIndex(({ isWhole }) => !isWhole);
  for (let length = wholes < 0 ? pieces.length : wholes; length > 1; length -= 1) {
    const agent = findNamed(textsOf(pieces, length).join(", "), agents);
    if (agent !== undefined) return { agent, length };
  }
  for (let length = longest; length > 0; length -= 1) {
    const agent = findNamed(textsOf(pieces, length).join(" "), agents);
    if (agent !== undefined) return { agent, length };
  }
  return null;
}

function textsOf(pieces: readonly NamePiece[], length: number): readonly string[] {
  return pieces.slice(0, length).map((piece) => piece.text);
}

const SHOWN_CHARACTERS = 60;

function notFound(text: string): UserError {
  return new UserError(
    "unknown",
    `Agent ${plain(shorten(stripAt(text), SHOWN_CHARACTERS))} not found.`,
  );
}

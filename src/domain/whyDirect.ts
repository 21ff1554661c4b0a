/** What an agent did in a turn in its own channel, as Markdown: who it was for, and what came of its tools. */
import { CHAIN_MESSAGES } from "./limits.js";
import { plain } from "./plain.js";
import { callsOf, type DirectRound, type MadeCall } from "./round/direct.js";
import { shorten } from "./shorten.js";
import { targetsOf } from "./targets.js";

/** Of what a tool said. */
const RESULT_CHARACTERS = 120;

export function toolLines(round: DirectRound): readonly string[] {
  const calls = callsOf(round);
  return [
    ...chainLines(round),
    calls.length === 0 ? "It called no tools." : "**Tools**, in this order",
    ...calls.map((call, index) => `${index + 1}. ${callText(call)}`),
  ];
}

function chainLines({ chain }: DirectRound): readonly string[] {
  if (chain === null) return [];
  const person = plain(chain.startedBy.name);
  const from = plain(chain.fromName);
  switch (chain.role) {
    case "request":
      return [
        `${from} wrote on behalf of ${person}: message ${chain.depth} between agents, of ${CHAIN_MESSAGES} at most.`,
      ];
    case "answer":
      return [`${from} answered what this agent had asked on behalf of ${person}.`];
    case "task":
      return [
        `${from} made this agent for ${person}, and set it to work: message ${chain.depth} between agents, of ${CHAIN_MESSAGES} at most.`,
      ];
  }
}

function callText({ name, argumentsJson, outcome, result, change }: MadeCall): string {
  const tool = `\`${shorten(name.replace(/[`\s]/gu, ""), 40)}\`${targetText(argumentsJson)}`;
  if (outcome === null) return `${tool} is running`;
  // What a tool says is Markdown of our own already.
  if (outcome === "done") return `${tool}: ${change ?? "done"}`;
  const words = { invalid: "not valid", refused: "refused", failed: "failed" }[outcome];
  const said = shorten((result ?? "").replace(/\s+/gu, " "), RESULT_CHARACTERS);
  return `${tool}: ${words}, “${plain(said)}”`;
}

/** `(group: Review, host: Editor)`. */
function targetText(argumentsJson: string): string {
  const targets = Object.entries(targetsOf(argumentsJson));
  if (targets.length === 0) return "";
  return ` (${plain(targets.map(([name, value]) => `${name}: ${value}`).join(", "))})`;
}

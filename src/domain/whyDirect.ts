/** What an agent did in a turn in its own channel, as Markdown: who it was for, and what came of its tools. */
import { CHAIN_MESSAGES } from "./limits.js";
import { plain } from "./plain.js";
import { callsOf, type DirectRound, type MadeCall } from "./round/direct.js";
import { shorten } from "./shorten.js";

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
      return [`${from} made this agent for ${person}, and set it to work.`];
  }
}

function callText({ name, outcome, result }: MadeCall): string {
  const tool = `\`${shorten(name.replace(/[`\s]/gu, ""), 40)}\``;
  if (outcome === null) return `${tool} is running`;
  if (outcome === "done") return `${tool}: done`;
  const words = { invalid: "not valid", refused: "refused", failed: "failed" }[outcome];
  const said = shorten((result ?? "").replace(/\s+/gu, " "), RESULT_CHARACTERS);
  return `${tool}: ${words}, “${plain(said)}”`;
}

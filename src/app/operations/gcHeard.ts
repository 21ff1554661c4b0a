/** What the participants of a hosted round told its host, for a person who wants to know. */
import type { AgentId } from "../../domain/ids.js";
import { failureText } from "../../domain/phrases.js";
import { quoted } from "../../domain/quoted.js";
import { nameIn } from "../../domain/round/common.js";
import type { HostedRound } from "../../domain/round/hosted.js";
import { hasAnswered } from "../../domain/round/hostedReplies.js";
import { hostedStateOf } from "../hostedScene.js";
import type { Answer, OperationContext } from "./operation.js";
import { bold } from "./show.js";
import { roundOfButton } from "./whyView.js";

/** For a button `heard:<round>`. */
export async function heardByButton(context: OperationContext, roundId: string): Promise<Answer> {
  const round = await roundOfButton(context, roundId);
  const journal = await context.storage.rounds.journal(round.id);
  const state = round.kind === "hosted" ? hostedStateOf(journal.map(({ event }) => event)) : null;
  return { text: state === null ? "Nobody was asked here." : heardText(state) };
}

/**
 * Each text is a quotation under the name of its speaker: no text can pass for another one's. In a
 * debate of several passes each stands under the pass in which it was said, and so does who could
 * not answer in it, or left.
 */
function heardText(state: HostedRound): string {
  const nameOf = (agentId: AgentId) => bold(nameIn(state.members, agentId));
  const passes = Array.from({ length: state.passes }, (_, index) => index + 1);
  const isIn = (pass: number) => (one: { readonly pass: number }) => one.pass === pass;
  const lines = passes.flatMap((pass) => {
    const said = [
      ...state.answers
        .filter(isIn(pass))
        .map(({ agentId, text }) => `${nameOf(agentId)}\n${quoted(text)}`),
      ...state.misses
        .filter(isIn(pass))
        .map(
          ({ agentId, failure, about }) =>
            `${nameOf(agentId)} did not answer: ${failureText(failure, about)}.`,
        ),
      ...state.departures
        .filter(isIn(pass))
        .map(({ agentId }) => `${nameOf(agentId)} ${leftText(state, agentId, pass)}`),
    ];
    return said.length > 0 && state.passes > 1 ? [`__Pass ${pass}__`, ...said] : said;
  });
  return lines.length === 0 ? "Nobody said anything." : lines.join("\n\n");
}

function leftText(state: HostedRound, agentId: AgentId, pass: number): string {
  if (!hasAnswered(state, agentId)) return "left before it answered.";
  const when = state.passes > 1 ? `during pass ${pass}` : "after that";
  return `left ${when}, so the host did not hear it.`;
}

/** What the participants of a hosted round told its host, for a person who wants to know. */
import type { AgentId } from "../../domain/ids.js";
import { missText } from "../../domain/phrases.js";
import { quoted } from "../../domain/quoted.js";
import type { HostedRound } from "../../domain/round/hosted.js";
import { hasAnswered, silencesOf } from "../../domain/round/hostedReplies.js";
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

/** Each text is a quotation under the name of its speaker: no text can pass for another one's. */
function heardText(state: HostedRound): string {
  const nameOf = (agentId: AgentId) =>
    bold(state.members.find((member) => member.agentId === agentId)?.displayName ?? "An agent");
  const passes = Array.from({ length: state.passes }, (_, index) => index + 1);
  const said = passes.flatMap((pass) => {
    const answers = state.answers.filter((answer) => answer.pass === pass);
    if (answers.length === 0) return [];
    return [
      ...(state.passes > 1 ? [`__Pass ${pass}__`] : []),
      ...answers.map(({ agentId, text }) => `${nameOf(agentId)}\n${quoted(text)}`),
    ];
  });
  const silent = silencesOf(state).map((silence) => {
    const name = nameOf(silence.agentId);
    if (silence.why === "missed") {
      return `${name} did not answer: ${missText(silence.failure, silence.about)}.`;
    }
    return hasAnswered(state, silence.agentId)
      ? `${name} left after that.`
      : `${name} left before it answered.`;
  });
  const lines = [...said, ...silent];
  return lines.length === 0 ? "Nobody said anything." : lines.join("\n\n");
}

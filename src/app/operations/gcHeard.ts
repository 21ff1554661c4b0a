/** What the participants of a hosted round told its host, for a person who wants to know. */
import type { AgentId } from "../../domain/ids.js";
import { missText } from "../../domain/phrases.js";
import type { HostedRound } from "../../domain/round/hosted.js";
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

function heardText(state: HostedRound): string {
  const nameOf = (agentId: AgentId) =>
    bold(state.members.find((member) => member.agentId === agentId)?.displayName ?? "An agent");
  const passes = Array.from({ length: state.passes }, (_, index) => index + 1);
  const said = passes.flatMap((pass) => {
    const answers = state.answers.filter((answer) => answer.pass === pass);
    if (answers.length === 0) return [];
    return [
      ...(state.isDebate ? [`__Pass ${pass}__`] : []),
      ...answers.map(({ agentId, text }) => `${nameOf(agentId)}\n${text}`),
    ];
  });
  const silent = state.misses.map(
    ({ agentId, failure, about }) =>
      `${nameOf(agentId)} did not answer: ${missText(failure, about)}.`,
  );
  const removed = state.ignored
    .filter(({ why }) => why === "removed")
    .map(({ agentId }) => `${nameOf(agentId)} had left the chat when it answered.`);
  const lines = [...said, ...silent, ...removed];
  return lines.length === 0 ? "Nobody said anything." : lines.join("\n\n");
}

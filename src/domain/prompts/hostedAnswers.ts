/**
 * What a seat of a hosted chat is told of the participants' answers: the host all of them, a
 * participant in a debate those of the pass before. Long answers are shortened so that all of them
 * fit the room that there is: whoever said little is shown whole.
 */
import type { AgentId } from "../ids.js";
import { failureText } from "../phrases.js";
import { nameIn } from "../round/common.js";
import type { HostedRound } from "../round/hosted.js";
import { hasAnswered, heardAnswers, type Silence, silencesOf } from "../round/hostedReplies.js";
import type { SpeakerKeys } from "../speakerLine.js";
import { estimateTokens } from "../usage.js";
import { entry, labelled } from "./labels.js";
import { debateLine, REPLY_ONCE } from "./ownLines.js";
import { cutAtTokens, levelOf } from "./parts.js";

/** For the label of an answer and the sign that it was shortened. */
const ENTRY_TOKENS = 16;
/** Of each answer so much is shown, however little room there is. */
const MIN_ANSWER_TOKENS = 8;

/** What stands after the message in one pass: in a debate, what the others said in the pass before. */
export function callText(
  state: HostedRound,
  pass: number,
  speakers: SpeakerKeys,
  roomTokens: number,
): string {
  if (state.passes === 1) return REPLY_ONCE;
  if (pass === 1) {
    return `${debateLine(state.passes)}\n${REPLY_ONCE}`;
  }
  const said = heardAnswers(state).filter((one) => one.pass === pass - 1);
  const before = said.length === 0 ? "Nobody could answer in" : "What was said in";
  return [
    `[Pass ${pass} of ${state.passes} of the debate. ${before} the pass before${said.length === 0 ? "." : ":"}]`,
    ...fitted(said, roomTokens).map((answer) => answerEntry(state, answer, speakers)),
    REPLY_ONCE,
  ].join("\n");
}

/** What the participants of a round told the host. */
export function answersText(state: HostedRound, speakers: SpeakerKeys, roomTokens: number): string {
  const answers = fitted(heardAnswers(state), roomTokens);
  const passes = Array.from({ length: state.passes }, (_, index) => index + 1);
  const said = passes.flatMap((pass) => {
    const lines = answers
      .filter((one) => one.pass === pass)
      .map((answer) => answerEntry(state, answer, speakers));
    if (lines.length === 0) return [];
    return state.isDebate ? [`[Pass ${pass} of the debate: what they said]`, ...lines] : lines;
  });
  return [
    "[What the participants told you in this round; people have not seen it]",
    ...said,
    ...silencesOf(state).map((silence) => silenceLine(state, silence)),
    "[End of what the participants told you]",
  ].join("\n");
}

function answerEntry(
  state: HostedRound,
  { agentId, text }: { readonly agentId: AgentId; readonly text: string },
  speakers: SpeakerKeys,
): string {
  const author = { kind: "agent" as const, agentId, name: nameIn(state.members, agentId) };
  return entry({ author, text, attachments: [] }, speakers);
}

/** Who said nothing, or nothing more, and why. */
function silenceLine(state: HostedRound, silence: Silence): string {
  const { agentId } = silence;
  const author = { kind: "agent" as const, agentId, name: nameIn(state.members, agentId) };
  if (silence.why === "missed") {
    return labelled(author, `(did not answer: ${failureText(silence.failure, silence.about)})`);
  }
  const isHeard = hasAnswered(state, agentId);
  return labelled(
    author,
    isHeard ? "(has left the chat)" : "(did not answer: it has left the chat)",
  );
}

/** The same answers, the longest ones shortened alike until all of them fit. */
function fitted<A extends { readonly text: string }>(
  answers: readonly A[],
  roomTokens: number,
): readonly A[] {
  const level = levelOf(
    answers.map(({ text }) => estimateTokens(text)),
    roomTokens - answers.length * ENTRY_TOKENS,
  );
  const most = Math.max(MIN_ANSWER_TOKENS, level);
  return answers.map((answer) => ({ ...answer, text: cutAtTokens(answer.text, most) }));
}

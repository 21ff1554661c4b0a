/** A member's vote: asked for in private, checked by code, asked for once more when it does not fit. */
import { z } from "zod";
import { type Ballot, choiceOf } from "../domain/ballot.js";
import type { FloorEvent } from "../domain/floor.js";
import { voteCorrection, votePrompt, voteSchema } from "../domain/prompts/moderator.js";
import type { PromptMessage } from "../domain/prompts/speaker.js";
import type { ModeratedRound } from "../domain/round/moderated.js";
import type { Step } from "../domain/round/round.js";
import { leadingSentence } from "../domain/sentences.js";
import { shorten } from "../domain/shorten.js";
import { ModelError } from "../ports/model.js";
import { Patience } from "./calls.js";
import { corrected } from "./corrected.js";
import { failureOf } from "./failure.js";
import { floorSeatOf, seatInputOf } from "./floorSeat.js";
import type { Done, Work } from "./perform.js";
import { callWithPictures } from "./pictures.js";
import { Room } from "./room.js";
import type { Services } from "./services.js";

const MAX_ATTEMPTS = 2;
const REASON_CHARACTERS = 300;

type Voted = Extract<FloorEvent, { type: "voted" }>;

/** Rejects only when the signal is aborted or the storage fails: no vote is an abstention. */
export async function castVote(
  services: Services,
  work: Work<Extract<Step, { do: "vote" }>> & { readonly state: ModeratedRound },
): Promise<Done> {
  const { round, state, step, signal } = work;
  const ballot = state.poll?.ballot;
  if (ballot === undefined) throw new Error("There is no vote.");
  const done = (vote: Pick<Voted, "choice" | "reason" | "failure">): Done => ({
    events: [{ type: "voted", agentId: step.agentId, ...vote, isSecret: ballot.isSecret }],
  });
  const abstain = (failure: Voted["failure"]) => done({ choice: null, reason: null, failure });
  const seat = await floorSeatOf(services, round, state, step.agentId);
  if (seat === null) return abstain("gone");
  // What a secret vote took is counted for the group as a whole: who was asked twice, or how much a
  // member wrote, tells of its vote.
  const account = ballot.isSecret ? { ...seat.account, agentId: null } : seat.account;
  const { settings, clock, log } = services;
  const model = seat.agent.model ?? settings.model;
  const deadlineMs = clock.now() + settings.turnTimeoutMs;
  const input = await seatInputOf(services, round, seat, signal);
  const room = new Room(input.tokenBudget, (tokenBudget) => ({
    prompt: votePrompt({ ...input, tokenBudget }, ballot),
    after: [],
  }));
  const patience = new Patience();
  const corrections: PromptMessage[] = [];
  let isSilent = true;
  let wantedTools = false;
  try {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const { reply } = await room.ask(({ prompt }) =>
        callWithPictures(
          services,
          account,
          {
            purpose: "vote",
            model,
            answer: { name: "vote", schema: voteSchema(ballot) },
            timeoutMs: Math.max(1, deadlineMs - clock.now()),
            signal,
          },
          [...prompt, ...corrections],
          { patience },
        ),
      );
      const read = readVote(reply.text, ballot);
      if ("choice" in read) return done({ ...read, failure: null });
      log.warn(
        { roundId: round.id, agentId: account.agentId, problem: read.problem },
        "a vote does not fit",
      );
      isSilent &&= reply.text.trim() === "";
      wantedTools = reply.wantedTools === true;
      corrections.push(...corrected(reply.text, voteCorrection(ballot, read.problem)));
    }
    return abstain(!isSilent ? "invalid" : wantedTools ? "tools" : "empty");
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return abstain(failureOf(error, model).failure);
  }
}

const answer = z.object({ choice: z.string(), reason: z.string().optional().catch(undefined) });

function readVote(
  text: string,
  { options }: Ballot,
): { readonly choice: string; readonly reason: string } | { readonly problem: string } {
  if (text.trim() === "") return { problem: "it holds no text." };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: "it is not valid JSON." };
  }
  const parsed = answer.safeParse(json);
  if (!parsed.success) return { problem: 'it has no text as "choice".' };
  const choice = choiceOf(options, parsed.data.choice);
  if (choice === null) return { problem: '"choice" is none of the options.' };
  const reason = shorten(leadingSentence(parsed.data.reason ?? ""), REASON_CHARACTERS);
  return { choice, reason };
}

import type { Step } from "./round.js";

/** What holds for a step whatever it is about. */
interface Nature {
  /** It begins something that may take its time: not when the process is ending. */
  readonly isTurn: boolean;
  /** It calls a model: not when a budget is used up. */
  readonly callsModel: boolean;
  /** It is what the bot itself has to say, or the end: also of a round that nobody wants any more. */
  readonly isFollowUp: boolean;
}

const CALL: Nature = { isTurn: true, callsModel: true, isFollowUp: false };
const TURN: Nature = { isTurn: true, callsModel: false, isFollowUp: false };
/** It carries on what has begun. */
const PART: Nature = { isTurn: false, callsModel: false, isFollowUp: false };
const FOLLOW_UP: Nature = { isTurn: false, callsModel: false, isFollowUp: true };

export const STEPS = {
  judge: CALL,
  ask: CALL,
  endAsking: PART,
  enter: TURN,
  vote: CALL,
  moderate: CALL,
  readHistory: PART,
  say: PART,
  tool: TURN,
  send: PART,
  compose: CALL,
  post: PART,
  announce: FOLLOW_UP,
  close: FOLLOW_UP,
} satisfies Readonly<Record<Step["do"], Nature>>;

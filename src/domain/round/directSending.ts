/** What becomes of a message to another agent, part by part. */
import type { Chain } from "../chain.js";
import type { RoundCommon } from "./common.js";
import { type Sending, withoutAnswer } from "./directAnswer.js";
import { type ToolExchange, withResult } from "./directCalls.js";
import type { Notice, RoundEvent } from "./round.js";
import type { Outgoing } from "./toolUse.js";

/** The part of a round that sends. */
interface Sender extends RoundCommon {
  readonly chain: Chain | null;
  readonly exchanges: readonly ToolExchange[];
  readonly outgoing: Sending | null;
  readonly isOwed: boolean;
}

/** A message is to be sent; why there is no thread for it is said first. */
export function withOutgoing<R extends Sender>(round: R, outgoing: Outgoing): R {
  const { noThread: reason, toName: name } = outgoing;
  const said: readonly Notice[] = reason === undefined ? [] : [{ type: "noThread", name, reason }];
  return { ...round, outgoing: { ...outgoing, sent: 0 }, notices: [...round.notices, ...said] };
}

/** Its next part stands. */
export function afterSent<R extends Sender>(round: R): R {
  const { outgoing } = round;
  if (outgoing === null) throw new Error("Nothing was to be sent.");
  const { role, toName: name, result, unshown: reason } = outgoing;
  const sent = outgoing.sent + 1;
  if (sent < outgoing.posts.length) return { ...round, outgoing: { ...outgoing, sent } };
  const next = { ...round, outgoing: null };
  if (role === "answer") return { ...next, isOwed: false };
  const notice: readonly Notice[] =
    reason === undefined ? [] : [{ type: "unsent", name, reason, isHeard: true }];
  const told = { ...next, notices: [...next.notices, ...notice] };
  return withResult(told, { result, outcome: "done" });
}

/**
 * What only people would have seen does not hold up what counts. In journals of old that came
 * first, and may have got there.
 */
export function afterUnsent<R extends Sender>(
  round: R,
  { reason, toNobody = false }: Extract<RoundEvent, { type: "unsent" }>,
): R {
  const { outgoing, chain, hostId } = round;
  if (outgoing === null) throw new Error("Nothing was to be sent.");
  const notice = { type: "unsent", name: outgoing.toName, reason } as const;
  const next = { ...round, outgoing: null };
  if (outgoing.role === "answer") {
    const told = toNobody
      ? []
      : withoutAnswer({ chain, agentId: hostId, because: notice, outgoing });
    return { ...next, isOwed: false, notices: [...round.notices, ...told, notice] };
  }
  const { posts, sent, result } = outgoing;
  const isOnlyShown = posts[sent]?.heardAt === null && !toNobody;
  const heard = posts.findIndex(({ heardAt }, index) => index > sent && heardAt !== null);
  if (isOnlyShown && heard > 0) {
    return { ...round, outgoing: { ...outgoing, sent: heard, unshown: reason } };
  }
  if (posts.slice(0, sent).some((post) => post.chain !== null)) {
    const told = { ...next, notices: [...round.notices, { ...notice, isHeard: true }] };
    return withResult(told, { result, outcome: "done" });
  }
  const at = posts.slice(0, sent).find(({ heardAt }) => heardAt === null)?.place;
  const told =
    at === undefined ? next : { ...next, notices: [...round.notices, { ...notice, at }] };
  return withResult(told, { result: reason, outcome: "failed" });
}

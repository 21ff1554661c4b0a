/** Does one step of a round: one port call, and the events that say what came of it. */
import { never } from "../domain/errors.js";
import type { Message, Place } from "../domain/message.js";
import type { DirectRound } from "../domain/round/direct.js";
import type { HostedRound } from "../domain/round/hosted.js";
import type { RoundState } from "../domain/round/nextStep.js";
import type { Round, RoundEvent, Step } from "../domain/round/round.js";
import { STEPS } from "../domain/round/steps.js";
import { ask } from "./ask.js";
import { budgetStop } from "./budgets.js";
import { compose } from "./compose.js";
import { composeDirect } from "./composeDirect.js";
import { composeHost } from "./composeHost.js";
import { composeOnFloor } from "./composeOnFloor.js";
import { judge } from "./judge.js";
import { judgingOf } from "./judging.js";
import type { OnPause } from "./patience.js";
import { performAnnounce } from "./performAnnounce.js";
import { performFloor } from "./performFloor.js";
import { performPost } from "./performPost.js";
import { performSend } from "./performSend.js";
import { performTool } from "./performTool.js";
import type { Services } from "./services.js";
import { areTriggersGone } from "./triggers.js";
import type { TurnTime } from "./turnTime.js";

export interface Work<S extends Step = Step> {
  readonly round: Round;
  readonly state: RoundState;
  readonly step: S;
  /** This very step may have been done before the process died. */
  readonly isDoubtful: boolean;
  readonly signal: AbortSignal;
  /** Of a round in an agent's own channel, which is one turn. */
  readonly turnTime: TurnTime;
  /** Writes down what has come of it so far. */
  readonly write: (events: readonly RoundEvent[]) => Promise<void>;
  /** The state with everything that was written. */
  readonly current: () => RoundState;
  /** Told when Discord holds the step up. */
  readonly onPause: OnPause;
}

export interface Done {
  readonly events: readonly RoundEvent[];
  /** The message that a `posted` event made, or what the floor said. */
  readonly message?: Message;
  /** Where a message waits for a round now. */
  readonly wakes?: Place;
}

/** Rejects only when the signal is aborted or the world cannot be written down (storage). */
export async function perform(services: Services, work: Work): Promise<Done> {
  const { step, state } = work;
  const { isFollowUp, callsModel } = STEPS[step.do];
  // Also when it was deleted at the very moment at which the round opened, or while nobody listened.
  if (!isFollowUp && (await areTriggersGone(services, state.triggerIds))) {
    return { events: [{ type: "stopped", by: null, userId: null }] };
  }
  if (!isFollowUp && (await isArchived(services, work))) {
    return { events: [{ type: "stopped", by: null, userId: null, why: "archived" }] };
  }
  if (callsModel) {
    const events = await budgetStop(services, work);
    if (events !== null) return { events };
  }
  switch (step.do) {
    case "judge":
      return performJudge(services, { ...work, step });
    case "ask":
      return ask(services, { ...work, step, state: hosted(work.state) });
    case "endAsking":
      return { events: [{ type: "collected" }] };
    case "compose":
      return work.state.kind === "hosted"
        ? composeHost(services, { ...work, step, state: work.state })
        : work.state.kind === "moderated"
          ? composeOnFloor(services, { ...work, step, state: work.state })
          : work.state.kind === "direct"
            ? composeDirect(services, { ...work, step, state: work.state })
            : compose(services, { ...work, step });
    case "tool":
      return performTool(services, { ...work, step, state: direct(work.state) });
    case "send":
      return performSend(services, { ...work, step, state: direct(work.state) });
    case "enter":
    case "vote":
    case "moderate":
    case "readHistory":
    case "say":
      return performFloor(services, { ...work, step });
    case "post":
      return performPost(services, { ...work, step });
    case "announce":
      return performAnnounce(services, { ...work, step });
    case "close":
      return { events: [{ type: "closed", outcome: step.outcome }] };
    default:
      return never(step);
  }
}

/** A round may also open at the very moment at which its group is archived, or be found after a restart. */
async function isArchived({ storage }: Services, { round, state }: Work): Promise<boolean> {
  const owner =
    round.groupId === null
      ? await storage.agents.get(state.hostId)
      : await storage.groups.get(round.groupId);
  return owner !== null && owner.archivedAtMs !== null;
}

type Of<Name extends Step["do"]> = Work<Extract<Step, { do: Name }>>;

/** Only hosted rounds have steps that ask participants. */
function hosted(state: RoundState): HostedRound {
  if (state.kind !== "hosted") throw new Error("This is no hosted round.");
  return state;
}

/** Only rounds in agents' own channels have tools. */
function direct(state: RoundState): DirectRound {
  if (state.kind !== "direct") throw new Error("This is no round of an agent alone.");
  return state;
}

async function performJudge(services: Services, work: Of<"judge">): Promise<Done> {
  const { round, state, step, signal } = work;
  const judging = await judgingOf(
    services,
    { place: round.place, triggerIds: state.triggerIds },
    step.agentIds,
  );
  const account = {
    guildId: round.place.guildId,
    groupId: round.groupId,
    roundId: round.id,
    agentId: null,
    userId: state.startedBy[0] ?? null,
  };
  const judged = await judge(services, { purpose: "judge", ...judging, account }, signal);
  const { failure } = judged;
  const isNews = failure !== null && state.kind === "open" && !state.toldJudge.includes(failure);
  return { events: [{ type: "judged", ...judged, ...(isNews ? { isNews } : {}) }] };
}

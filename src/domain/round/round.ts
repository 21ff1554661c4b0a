/**
 * A round is everything that follows one trigger until it closes. Its truth is its journal: the
 * list of events below. State is the fold of the journal (`applyEvent`), and what happens next is
 * a function of that state (`nextStep`); both are pure, so a restart runs the same loop over the
 * stored events.
 */
import type { BudgetScope } from "../budget.js";
import type { Chain } from "../chain.js";
import type { FloorEvent, FloorNotice, FloorOrder, FloorStep } from "../floor.js";
import type { GroupKind } from "../group.js";
import type { AgentId, GroupId, MessageId, RoundId, UserId } from "../ids.js";
import type { LeftOutReason, Place } from "../message.js";
import type { JudgeFailure } from "../verdict.js";
import type { ToolEvent, ToolNotice, ToolStep } from "./toolUse.js";

/** Of a group, or "direct": in an agent's own channel. */
export type RoundKind = GroupKind | "direct";

/** One round, as stored beside its journal. */
export interface Round {
  readonly id: RoundId;
  /** Null in an agent's own channel, where no chat of several goes on: `opened.hostId` is the agent. */
  readonly groupId: GroupId | null;
  readonly kind: RoundKind;
  readonly place: Place;
  /** The newest message that started it; unique over all rounds. */
  readonly triggerId: MessageId;
  readonly openedAtMs: number;
  readonly closedAtMs: number | null;
}

/** A member as it was when the round opened: changes of the group apply from the next round. */
export interface RoundMember {
  readonly agentId: AgentId;
  readonly name: string;
  readonly displayName: string;
  readonly isMuted: boolean;
}

/** A member named by a person, and how. */
export interface Naming {
  readonly agentId: AgentId;
  readonly by: "text" | "all" | "reply" | "ask";
  readonly messageId: MessageId;
}

/** One Discord message of a reply. */
export interface ReplyPart {
  /** Sent to Discord: at most 2,000 characters, code fences closed. */
  readonly content: string;
  /** Its share of the reply: all shares joined are the reply. */
  readonly share: string;
  /** The whole reply as a text file, when it is too long to be shown. */
  readonly file: string | null;
}

/** Why a turn gave no reply. */
export type TurnFailure =
  | "timeout" // the model took too long
  | "error" // the model, or the way to it, failed
  | "refused" // the model or its provider would not answer
  | "empty" // an empty answer, twice
  | "foreign" // nothing but what others would say
  | "foreign-post" // the same of a message that a moderating host wrote
  | "empty-post" // the same, with nothing in it that can be posted
  | "unauthorized" // the endpoint refuses the key
  | "no-credit" // the account at the endpoint has no money left
  | "unknown-model" // the endpoint does not know the model
  | "no-tools" // the model takes no tools
  | "steps" // no answer after as many tool steps as a turn may have
  | "too-long" // the conversation does not fit the model
  | "blocked" // Discord refused the text
  | "unpostable" // Discord did not take the message; it is in trouble
  | "refused-post" // Discord takes no such message; journals of old say "unpostable"
  | "forbidden" // the bot lacks a permission
  | "paused" // Discord asks for a pause that is too long to wait
  | "gone"; // the agent is archived, or no member any more

/** Why a participant's reply does not count. */
export type IgnoredReason =
  | "late" // the wait was over
  | "duplicate" // it had answered
  | "unsolicited" // it was not asked
  | "removed"; // it is no participant any more

/** A file that did not reach a prompt, or not as a whole. */
export interface LeftOut {
  readonly name: string;
  readonly reason: LeftOutReason | "no-images" | "too-many" | "only-beginning" | "no-room";
  /** It is a picture: another limit holds. */
  readonly isPicture?: true;
}

/** What stopped a round, where that was neither a person nor a deleted message. */
export type StopReason =
  | "archived" // its group or agent
  | "left" // the bot was removed from the server
  | "fault" // the bot itself failed
  | "budget"; // the tokens of the day are used up

export type RoundOutcome =
  | "done"
  | "cap" // eight replies, somebody still waiting
  | "failed" // every turn failed
  | "stopped" // by a person, or with its group
  | "stale" // too old to be taken up after a restart
  | "unreachable"; // the channel is gone or closed to the bot

/** A budget that is used up, and when it is there again. */
interface SpentBudget {
  readonly scope: BudgetScope;
  /** It ended what a command on a floor had begun. */
  readonly isOnFloor?: true;
  readonly untilMs: number;
}

export interface StopNotice {
  readonly type: "stopped";
  readonly by: string | null;
  readonly why?: StopReason;
  readonly budget?: SpentBudget;
  readonly agentName?: string;
}

/** Something that the bot itself says in the channel. */
export type Notice =
  | { readonly type: "cap"; readonly unheard: readonly AgentId[] }
  | {
      readonly type: "turnFailed";
      readonly agentId: AgentId;
      readonly failure: TurnFailure;
      readonly about?: string;
      readonly detail?: string;
      readonly isPartial?: true;
    }
  /** The judge could not score, and who answers therefore. */
  | {
      readonly type: "judgeFailed";
      readonly failure: JudgeFailure;
      readonly instead: "named" | "host" | AgentId;
    }
  | { readonly type: "mutedNamed"; readonly agentIds: readonly AgentId[] }
  | { readonly type: "allMuted" }
  /** Nobody could be asked. */
  | { readonly type: "noParticipants" }
  /** Participants that could not be asked, or whose model failed. */
  | { readonly type: "unreached"; readonly agentIds: readonly AgentId[] }
  /** Participants that were reached and gave nothing usable. */
  | {
      readonly type: "silent";
      readonly misses: readonly { readonly agentId: AgentId; readonly failure: TurnFailure }[];
    }
  /** Participants that did not answer in time. */
  | { readonly type: "late"; readonly agentIds: readonly AgentId[] }
  /** A debate ended before its last pass: everybody had left, or was late. */
  | { readonly type: "debateCut"; readonly pass: number; readonly passes: number }
  | {
      readonly type: "leftOut";
      readonly files: readonly LeftOut[];
      readonly agentId: AgentId | null;
    }
  | StopNotice
  | { readonly type: "stale" }
  | FloorNotice
  | ToolNotice;

/** The journal's entries. Stored as JSON: additions must keep old journals readable. */
export type RoundEvent = GroupEvent | ToolEvent;

/** Those that rounds of groups have, and most of which every round has. */
export type GroupEvent =
  | {
      readonly type: "opened";
      readonly members: readonly RoundMember[];
      readonly hostId: AgentId;
      readonly named: readonly Naming[];
      /** Oldest first; the messages that this round answers. */
      readonly triggerIds: readonly MessageId[];
      readonly startedBy: readonly UserId[];
      /** Replies that this round may have, at most 8. */
      readonly cap: number;
      /**
       * Set by `/ask`: the named member answers, nobody is judged, and handoffs in the answer are
       * not followed. A named one that is no member any more is said to be gone.
       */
      readonly isAsk: boolean;
      /** Muted members of which the conversation has been told since they were muted. */
      readonly toldMuted?: readonly AgentId[];
      /**
       * The judge has been failing, and the conversation has been told of these ways; `true`, as
       * earlier versions wrote it: of one that is not known any more.
       */
      readonly toldJudge?: readonly JudgeFailure[] | true;
      /** Files of the triggers that no member can read. */
      readonly leftOut?: readonly LeftOut[];
      /** Of a hosted round that was asked for as a debate: how often each participant is asked. */
      readonly debatePasses?: number;
      /** Of a moderated round: what the floor was asked to do. */
      readonly floor?: FloorOrder;
      /** Of a round in an agent's own channel that another agent's message started. */
      readonly chain?: Chain;
    }
  | {
      readonly type: "judged";
      readonly scores: readonly { readonly agentId: AgentId; readonly score: number }[] | null;
      readonly failure: JudgeFailure | null;
      /** The conversation has not been told yet that the judge fails in this way. */
      readonly isNews?: true;
    }
  | {
      readonly type: "composed";
      readonly agentId: AgentId;
      /** The persona's name at this moment. */
      readonly displayName: string;
      readonly parts: readonly ReplyPart[];
      /** Members that the reply hands the next word to, in the order named. */
      readonly handoffs: readonly AgentId[];
      readonly seenThroughId: MessageId;
      /** Files of the triggers that this member's model did not get, or not as a whole. */
      readonly leftOut?: readonly LeftOut[];
      /** It wanted more tools beside these words, and all steps were used. */
      readonly isCutShort?: boolean;
      /** Its model takes no tools, and people have not been told. */
      readonly hasNoTools?: boolean;
    }
  | { readonly type: "posted"; readonly part: number; readonly messageId: MessageId }
  | {
      readonly type: "turnFailed";
      readonly agentId: AgentId;
      readonly failure: TurnFailure;
      /** What the failure is about: a model, or permissions. */
      readonly about?: string;
      /** What stands in the way and what helps, in a sentence for people. */
      readonly detail?: string;
      /** The beginning of the reply stands in the channel. */
      readonly isPartial?: true;
      /** Nobody could speak here now: those who wait are not tried. */
      readonly isForAll?: true;
    }
  | { readonly type: "announced"; readonly notice: Notice; readonly messageId: MessageId | null }
  | {
      readonly type: "stopped";
      readonly by: string | null;
      readonly userId: UserId | null;
      /** "archived": the group was. Absent: a person stopped it, or deleted what it was about (`by` null). */
      readonly why?: StopReason;
      /** With why "budget"; `by` is then who used it up, where it is a person's. */
      readonly budget?: SpentBudget;
      /** With why "archived": the agent with which its group was archived. */
      readonly agentName?: string;
    }
  | { readonly type: "expired" }
  | { readonly type: "closed"; readonly outcome: RoundOutcome }
  /** Of a hosted round: these are asked now. Again after a restart, for those who had not answered. */
  | {
      readonly type: "dispatched";
      readonly pass: number;
      readonly agentIds: readonly AgentId[];
    }
  | {
      readonly type: "answered";
      readonly agentId: AgentId;
      readonly pass: number;
      readonly text: string;
    }
  | {
      readonly type: "missed";
      readonly agentId: AgentId;
      readonly pass: number;
      readonly failure: TurnFailure;
      readonly about?: string;
    }
  /** A participant's reply that does not count. */
  | {
      readonly type: "ignored";
      readonly agentId: AgentId;
      readonly pass: number;
      readonly why: IgnoredReason;
    }
  /** A participant left, or was removed or archived: it is asked no more, and not waited for. */
  | { readonly type: "departed"; readonly agentId: AgentId; readonly pass: number }
  /** From here on nobody is asked any more, and no reply of a participant counts. */
  | { readonly type: "collected" }
  | FloorEvent
  /** After the round, when somebody asked why: the judge's sentence for each member. */
  | {
      readonly type: "explained";
      readonly reasons: readonly { readonly agentId: AgentId; readonly text: string }[];
    };

/** What the scheduler does next. */
export type Step =
  | { readonly do: "judge"; readonly agentIds: readonly AgentId[] }
  /** Hosted: each of these gets the message privately, all at the same time. */
  | { readonly do: "ask"; readonly agentIds: readonly AgentId[]; readonly pass: number }
  | { readonly do: "endAsking" }
  | FloorStep
  | ToolStep
  | { readonly do: "compose"; readonly agentId: AgentId; readonly turn: number }
  | { readonly do: "post"; readonly agentId: AgentId; readonly turn: number; readonly part: number }
  | { readonly do: "announce"; readonly notice: Notice; readonly index: number }
  | { readonly do: "close"; readonly outcome: RoundOutcome };

/**
 * What a moderating host may do, and nothing more: the tools that its model is offered, and the
 * check of what it calls. A call that cannot be done is answered with the reason, never done in part.
 */
import { type Ballot, checkOptions, checkSecrecy } from "./ballot.js";
import { UserError } from "./errors.js";
import type { ModeratorCall } from "./floor.js";
import type { AgentId } from "./ids.js";
import {
  FLOOR_TEXT_CHARACTERS,
  MAX_ARGUMENT_CHARACTERS,
  MAX_GRANTED_TURNS,
  MAX_READ_MESSAGES,
  READ_MESSAGES,
} from "./limits.js";
import { findNamed } from "./names.js";
import type { RoundMember } from "./round/round.js";

export type ModeratorAct =
  | { readonly do: "grant"; readonly agentId: AgentId; readonly instruction: string | null }
  | { readonly do: "vote"; readonly ballot: Ballot }
  | { readonly do: "read"; readonly limit: number }
  | { readonly do: "post"; readonly text: string }
  | { readonly do: "close"; readonly summary: string | null };

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly properties: object };
}

const text = (description: string) => ({ type: "string", description });

const CLOSE: Tool = {
  name: "close",
  description: "Close the floor. Nothing can be done after it.",
  parameters: object({ summary: text("What came out of it; posted as your closing words.") }, []),
};

/** What the host's model is offered. `mustClose`: only that is left. */
export function moderatorTools(
  members: readonly RoundMember[],
  mustClose: boolean,
): readonly Tool[] {
  if (mustClose) return [CLOSE];
  const names = members.filter((member) => !member.isMuted).map((member) => member.name);
  return [
    {
      name: "grant_turn",
      description: `Give one member one turn: it posts exactly one message, and you are told what it said. At most ${MAX_GRANTED_TURNS} turns in all.`,
      parameters: object(
        {
          agent: { type: "string", enum: names, description: "The member." },
          instruction: text("What it is asked to speak about, in one or two sentences."),
        },
        ["agent"],
      ),
    },
    {
      name: "hold_vote",
      description: "Ask members privately for one of the options; the tally is posted.",
      parameters: object(
        {
          question: text("The question."),
          options: {
            type: "array",
            items: { type: "string" },
            description: "Two to ten different options.",
          },
          agents: {
            type: "array",
            items: { type: "string", enum: names },
            description: "Who votes; everybody when left out.",
          },
          secret: {
            type: "boolean",
            description: "Show only the counts; with two voters or more.",
          },
          quorum: {
            type: "integer",
            description: "How many have to vote for the result to count.",
          },
        },
        ["question", "options"],
      ),
    },
    {
      name: "read_history",
      description: "Read the newest messages of the channel.",
      parameters: object(
        { limit: { type: "integer", description: `How many, 1 to ${MAX_READ_MESSAGES}.` } },
        [],
      ),
    },
    {
      name: "post",
      description: "Post a short message of your own, such as a question or an interim summary.",
      parameters: object({ text: text("The message.") }, ["text"]),
    },
    CLOSE,
  ];
}

function object(properties: object, required: readonly string[]): Tool["parameters"] {
  const schema = { type: "object", properties, required, additionalProperties: false };
  return schema;
}

/** What a call means. Throws `UserError` with what is wrong, for the model to read. */
export function readCall(call: ModeratorCall, members: readonly RoundMember[]): ModeratorAct {
  const given = argumentsOf(call);
  const tool = moderatorTools(members, false).find(({ name }) => name === call.name);
  if (tool !== undefined) refuseUnknown(given, tool);
  switch (call.name) {
    case "grant_turn":
      return {
        do: "grant",
        agentId: memberOf(given["agent"], members).agentId,
        instruction: optionalText(given["instruction"], "instruction"),
      };
    case "hold_vote":
      return { do: "vote", ballot: ballotOf(given, members) };
    case "read_history":
      return { do: "read", limit: limitOf(given["limit"]) };
    case "post":
      return { do: "post", text: requiredText(given["text"], "text", Infinity) };
    case "close":
      return { do: "close", summary: optionalText(given["summary"], "summary", Infinity) };
    default:
      throw new UserError(
        "unknown",
        `There is no tool "${call.name.slice(0, 60)}". There are grant_turn, hold_vote, read_history, post and close.`,
      );
  }
}

type Arguments = Readonly<Record<string, unknown>>;

function argumentsOf({ argumentsJson }: ModeratorCall): Arguments {
  if (argumentsJson.length > MAX_ARGUMENT_CHARACTERS) {
    const most = MAX_ARGUMENT_CHARACTERS.toLocaleString("en");
    throw new UserError("invalid", `The arguments can have ${most} characters at most.`);
  }
  let json: unknown;
  try {
    json = argumentsJson.trim() === "" ? {} : JSON.parse(argumentsJson);
  } catch {
    throw new UserError("invalid", "The arguments are not valid JSON.");
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new UserError("invalid", "The arguments must be a JSON object.");
  }
  return json as Arguments;
}

/** What a tool does not know would be done without: better that its model hears of it. */
function refuseUnknown(given: Arguments, { name, parameters }: Tool): void {
  const known = Object.keys(parameters.properties);
  const unknown = Object.keys(given).find((one) => !known.includes(one));
  if (unknown === undefined) return;
  const there = known.map((one) => `\`${one}\``).join(", ");
  throw new UserError(
    "invalid",
    `${name} has no argument \`${unknown.slice(0, 60)}\`. There are: ${there}.`,
  );
}

function ballotOf(given: Arguments, members: readonly RoundMember[]): Ballot {
  const { options, agents, secret, quorum } = given;
  const isVoid = (value: unknown) => value === undefined || value === null;
  if (!isTexts(options)) throw new UserError("invalid", "`options` must be a list of texts.");
  if (!isVoid(agents) && !isTexts(agents)) {
    throw new UserError("invalid", "`agents` must be a list of names of members.");
  }
  if (!isVoid(secret) && typeof secret !== "boolean") {
    throw new UserError("invalid", "`secret` must be true or false.");
  }
  const chosen = isTexts(agents) && agents.length > 0 ? agents : null;
  const voters = (
    chosen?.map((name) => memberOf(name, members)) ?? members.filter((one) => !one.isMuted)
  ).map(({ agentId }) => agentId);
  if (voters.length === 0) throw new UserError("conflict", "Every member is muted here.");
  if (new Set(voters).size < voters.length) {
    throw new UserError("invalid", "Everybody has one vote; an agent is in the list twice.");
  }
  checkSecrecy({ isSecret: secret === true, voters });
  return {
    question: requiredText(given["question"], "question"),
    options: checkOptions(options),
    voters,
    isSecret: secret === true,
    quorum: isVoid(quorum) ? null : quorumOf(quorum, voters.length),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function quorumOf(given: unknown, voters: number): number {
  const quorum = typeof given === "string" ? Number(given) : given;
  if (typeof quorum === "number" && Number.isInteger(quorum) && quorum >= 1 && quorum <= voters) {
    return quorum;
  }
  throw new UserError(
    "invalid",
    `\`quorum\` must be a number from 1 to ${voters}: so many can vote.`,
  );
}

function memberOf(given: unknown, members: readonly RoundMember[]): RoundMember {
  const names = members.filter((member) => !member.isMuted).map((member) => member.name);
  const member = typeof given === "string" ? findNamed(given, members) : undefined;
  if (member === undefined) {
    throw new UserError("unknown", `\`agent\` must be a member: ${names.join(", ")}.`);
  }
  if (member.isMuted) {
    throw new UserError("conflict", `${member.displayName} is muted; choose ${names.join(", ")}.`);
  }
  return member;
}

function requiredText(given: unknown, name: string, limit = FLOOR_TEXT_CHARACTERS): string {
  const value = optionalText(given, name, limit);
  if (value === null) throw new UserError("invalid", `\`${name}\` must not be empty.`);
  return value;
}

function optionalText(given: unknown, name: string, limit = FLOOR_TEXT_CHARACTERS): string | null {
  if (given === undefined || given === null) return null;
  if (typeof given !== "string") throw new UserError("invalid", `\`${name}\` must be a text.`);
  const value = given.trim();
  if (value.length > limit) {
    throw new UserError("invalid", `\`${name}\` can have ${limit} characters at most.`);
  }
  return value === "" ? null : value;
}

/** Models write numbers as texts too; a number that is out of bounds is brought within. */
function limitOf(given: unknown): number {
  if (given === undefined || given === null) return READ_MESSAGES;
  const limit = typeof given === "string" ? Number(given) : given;
  if (typeof limit !== "number" || !Number.isFinite(limit)) {
    throw new UserError("invalid", `\`limit\` must be a number from 1 to ${MAX_READ_MESSAGES}.`);
  }
  return Math.min(MAX_READ_MESSAGES, Math.max(1, Math.trunc(limit)));
}

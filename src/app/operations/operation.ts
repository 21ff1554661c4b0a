/**
 * An operation is something that a person can ask for, defined once: its input as a zod object,
 * who may do it, and the function. Slash commands, `!gc` text and the tools of an agent are three
 * ways to the same definition.
 */
import { z } from "zod";
import type { Chain } from "../../domain/chain.js";
import { UserError } from "../../domain/errors.js";
import type { AgentId, MessageId } from "../../domain/ids.js";
import type { Place } from "../../domain/message.js";
import type { Asker, Button } from "../../ports/chat.js";
import type { Services } from "../services.js";

export interface OperationContext extends Services {
  readonly asker: Asker;
  /** Where it was asked. */
  readonly place: Place;
  /** The agent through which the person asks, when it is a tool of that agent's turn. */
  readonly actingAgentId?: AgentId;
  /** Of a tool: what a task for a new agent belongs to. "over": no agent may be set to work any more. */
  readonly chainForTask?: (task: string) => Promise<Chain | "over">;
  /** The `!gc` message that says it: everybody in the channel reads the answer. */
  readonly commandId?: MessageId;
  /** The snowflake of the command or button: what comes of it is younger. Absent: of a tool. */
  readonly sinceId?: MessageId;
}

/** What the asker reads; Markdown, of any length: the entrance shows it in pages where needed. */
export interface Answer {
  readonly text: string;
  /** It is owed to the channel already, and the command with it is obeyed. */
  readonly isSaid?: boolean;
  /** Shown under it. Their ids are `<name>:<argument>`; `name` has a handler. */
  readonly buttons?: readonly Button[];
  /** What takes the place of this answer when work that goes on for a while is done. */
  readonly later?: Promise<Answer>;
}

export interface Operation<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** Also the name of the slash command and of the tool. */
  readonly name: string;
  /** 1-100 characters. */
  readonly description: string;
  /** "talker": who may talk to agents here. */
  readonly permission: "manager" | "talker" | "anyone";
  /** The fields in the order of the slash command's options; each has a `description`. */
  readonly input: z.ZodObject<Shape>;
  run(context: OperationContext, input: z.output<z.ZodObject<Shape>>): Promise<Answer>;
}

/** How a field appears as an option of a slash command. A plain string, number, boolean or enum needs nothing. */
export interface FieldMeta {
  readonly description: string;
  /** Offer these while the person types. */
  readonly suggests?:
    | "agent"
    | "group"
    | "archivedAgent"
    | "archivedGroup"
    | "chat" // a group, or an agent in whose channel a chat is
    | "participant" // of the chat or group whose channel it is
    | "outsider" // who could be added there
    | "mutedMember" // of the group whose channel it is
    | "unmutedMember"
    | "agentCategory"
    | "groupCategory"
    | "model";
  /** The text may name several, with commas between them. */
  readonly isSeveral?: boolean;
  /** It becomes part of the conversation: Discord's own tokens are turned into the names shown. */
  readonly isSaid?: boolean;
  /** A list is typed with commas; a picture or file is an attachment. */
  readonly option?: "list" | "attachment";
}

/** Give a field its description and its appearance. */
export function field<T extends z.ZodType>(schema: T, meta: FieldMeta): T {
  return schema.meta({ ...meta });
}

/** What `field` said of a schema; looks through `optional()`. */
export function metaOf(schema: z.ZodType): FieldMeta {
  const own = schema.meta();
  if (own?.description !== undefined) return own as unknown as FieldMeta;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return metaOf(schema.unwrap() as z.ZodType);
  }
  throw new Error("A field of an operation has no description.");
}

/** Keeps the types of the input while the list of operations forgets them. */
export function defineOperation<Shape extends z.ZodRawShape>(
  operation: Operation<Shape>,
): Operation<Shape> {
  return operation;
}

/** The right of the person, the form of the input, then the function. Rejects with `UserError`. */
export async function runOperation<Shape extends z.ZodRawShape>(
  operation: Operation<Shape>,
  context: OperationContext,
  rawInput: unknown,
): Promise<Answer> {
  if (operation.permission === "manager") assertManager(context);
  if (operation.permission === "talker") assertMayTalk(context);
  const parsed = operation.input.safeParse(rawInput);
  if (!parsed.success) {
    // Who writes a message knows no names of fields.
    const isNamed = context.commandId === undefined;
    throw new UserError("invalid", inputProblem(parsed.error, { isNamed }));
  }
  return operation.run(context, parsed.data);
}

/** Who may change agents and groups, as people are told. */
export const MANAGERS = "managers (people with Manage Channels, or with a manager role)";

/** Whether a person may change agents and groups. */
export function isManager({
  asker,
  settings,
}: Pick<OperationContext, "asker" | "settings">): boolean {
  return (
    asker.canManageChannels || asker.roleIds.some((id) => settings.managerRoleIds.includes(id))
  );
}

/** Refuses those who may not change agents and groups. */
export function assertManager(
  context: Pick<OperationContext, "asker" | "settings">,
  what = "change agents and groups",
): void {
  if (isManager(context)) return;
  throw new UserError("forbidden", `Only ${MANAGERS} can ${what}.`);
}

/** Whether a person may talk to agents: who can write there, unless the settings name who may. */
export function mayTalk({
  asker,
  settings,
}: Pick<OperationContext, "asker" | "settings">): boolean {
  return asker.canWriteHere && isHeard({ asker, settings });
}

/** Whether the settings let agents hear a person; what everyone else writes is ignored wherever it stands. */
export function isHeard({
  asker,
  settings,
}: {
  readonly asker: Pick<Asker, "userId" | "roleIds">;
  readonly settings: Pick<OperationContext["settings"], "talkRoleIds" | "talkUserIds">;
}): boolean {
  const { talkRoleIds, talkUserIds } = settings;
  if (talkRoleIds.length === 0 && talkUserIds.length === 0) return true;
  return talkUserIds.includes(asker.userId) || asker.roleIds.some((id) => talkRoleIds.includes(id));
}

/** Refuses those who may not talk to agents. */
export function assertMayTalk(context: Pick<OperationContext, "asker" | "settings">): void {
  if (mayTalk(context)) return;
  if (!context.asker.canWriteHere) {
    throw new UserError("forbidden", "You need the right to write in this channel for that.");
  }
  throw new UserError("forbidden", "Only people who may talk to the agents here can do that.");
}

/** The first thing wrong with an input, as one sentence; it begins with the field where that is named. */
export function inputProblem(
  error: z.ZodError,
  { isNamed }: { readonly isNamed: boolean } = { isNamed: true },
): string {
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ?? error.issues[0];
  if (issue === undefined) return "The input is not valid.";
  if (issue.code === "unrecognized_keys") {
    return `There is no argument ${issue.keys.map((key) => `\`${key.slice(0, 60)}\``).join(", ")} here.`;
  }
  const path = issue.path.join(".");
  const sentence = issue.message.endsWith(".") ? issue.message : `${issue.message}.`;
  return path === "" || !isNamed ? sentence : `\`${path}\`: ${sentence}`;
}

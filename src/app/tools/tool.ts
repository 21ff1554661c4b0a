/**
 * What an agent may do for the person that writes in its own channel. A tool is an operation, with
 * the same input, the same rights and the same sentences; only how its input is given differs.
 */
import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import type { ToolDefinition } from "../../ports/model.js";
import type { FieldMeta, Operation, OperationContext } from "../operations/operation.js";

/** What agents can do. Given to the application, since tools set rounds going and rounds use tools. */
export interface Toolbox {
  /** By name, all but `MESSAGE_AGENT`. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly definitions: readonly ToolDefinition[];
  /**
   * What a call would have said that may have been done before the process died, since `sinceMs`;
   * null when it was not.
   */
  readonly doneBefore: (
    context: OperationContext,
    tool: string,
    given: Readonly<Record<string, unknown>>,
    sinceMs: number,
  ) => Promise<string | null>;
}

/** Writing to another agent is done in steps of the round, not as an operation. */
export const MESSAGE_AGENT = "message_agent";

/** Those that only look change nothing that managers would have to know of. */
export const LOOKING: ReadonlySet<string> = new Set([
  "agent_list",
  "agent_get",
  "channel_read",
  "gc_status",
]);

/** Those that tell nobody anything that only some may know: also for a task that no person gave. */
export const FOR_NOBODY: ReadonlySet<string> = new Set(["agent_list", "agent_get"]);

/** Fields that a model cannot give: it has no files. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(["avatar"]);
/** Of a field, what belongs to slash commands. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(
  Object.keys({
    suggests: true,
    option: true,
    isSaid: true,
    isSeveral: true,
  } satisfies Record<Exclude<keyof FieldMeta, "description">, true>),
);

/** A tool as the model is told of it. */
export function definitionOf(operation: Operation): ToolDefinition {
  // As it is checked: an argument that is not known is refused.
  const { $schema: _, ...schema } = z.toJSONSchema(operation.input.strict(), { io: "input" });
  const properties = Object.entries(schema.properties ?? {})
    .filter(([name]) => !HIDDEN_FIELDS.has(name))
    .map(([name, property]) => [name, withoutForeign(property)]);
  return {
    name: operation.name,
    description: operation.description,
    parameters: { ...schema, properties: Object.fromEntries(properties) as object },
  };
}

function withoutForeign(property: unknown): unknown {
  if (typeof property !== "object" || property === null) return property;
  return Object.fromEntries(Object.entries(property).filter(([key]) => !FOREIGN_KEYS.has(key)));
}

/** The arguments as the model wrote them. Throws `UserError` when they are no JSON object. */
export function argumentsOf(argumentsJson: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = argumentsJson.trim() === "" ? {} : JSON.parse(argumentsJson);
  } catch {
    throw new UserError("invalid", "The arguments are not valid JSON; write them again.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UserError("invalid", "The arguments must be one JSON object; write them again.");
  }
  // Models write null for what they leave out.
  const given = Object.entries(value).filter(([, one]) => one !== null);
  const hidden = given.find(([name]) => HIDDEN_FIELDS.has(name));
  if (hidden !== undefined) {
    throw new UserError("invalid", `There is no argument \`${hidden[0]}\` here.`);
  }
  return Object.fromEntries(given);
}

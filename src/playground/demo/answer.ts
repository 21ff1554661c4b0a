import { demoMark } from "./reply.js";

/** The little of JSON Schema that our own prompts use. */
export interface AnswerSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
}

/** Reads what it knows of a schema and leaves out the rest. */
export function readAnswerSchema(schema: unknown): AnswerSchema {
  if (!isRecord(schema)) return {};
  const { type, properties } = schema;
  const choices = schema["enum"];
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(Array.isArray(choices) ? { enum: choices.filter((one) => typeof one === "string") } : {}),
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [
              name,
              readAnswerSchema(property),
            ]),
          ),
        }
      : {}),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The names of all numbers in an answer: the members to be scored. */
export function numbersIn(schema: AnswerSchema): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    property.type === "number" || property.type === "integer" ? [name] : numbersIn(property),
  );
}

/** The names of the texts that stand at the top of an answer: the members to speak of. */
export function textsIn(schema: AnswerSchema): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    property.type === "string" && property.enum === undefined ? [name] : [],
  );
}

/** All the choices in an answer. */
export function choicesIn(schema: AnswerSchema): readonly string[] {
  return [
    ...(schema.enum ?? []),
    ...Object.values(schema.properties ?? {}).flatMap((property) => choicesIn(property)),
  ];
}

/** An answer of this schema: a score for each number, the best choice, and marked sentences. */
export function fillAnswer(
  schema: AnswerSchema,
  facts: {
    readonly scores: ReadonlyMap<string, number>;
    /** Higher for what suits better. */
    readonly choices: ReadonlyMap<string, number>;
    readonly sentences?: ReadonlyMap<string, string>;
  },
  name = "",
): unknown {
  const { scores, choices } = facts;
  if (schema.enum !== undefined) {
    return schema.enum.toSorted(
      (one, other) => (choices.get(other) ?? 0) - (choices.get(one) ?? 0),
    )[0];
  }
  switch (schema.type) {
    case "number":
    case "integer":
      return scores.get(name) ?? 0;
    case "string":
      return (
        facts.sentences?.get(name) ?? `${demoMark} Measured by how close the role is to the text.`
      );
    case "boolean":
      return false;
    case "array":
      return [];
    case undefined:
    default:
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, property]) => [
          key,
          fillAnswer(property, facts, key),
        ]),
      );
  }
}

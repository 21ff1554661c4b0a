/** The fields that several operations have. Rules of names are checked where they are used. */
import { z } from "zod";
import { PROMPT_CHARACTERS } from "../../domain/limits.js";
import { isShown } from "../../domain/shown.js";
import { type FieldMeta, field } from "./operation.js";

const MODEL_CHARACTERS = 100;
/** What a person writes for the model that everybody uses. */
const DEFAULT_MODEL = "default";

/** Text that must be there; what it may be is checked by the operation. */
export function text(meta: FieldMeta) {
  return field(z.string({ error: "Give a text here" }), meta);
}

/** What is written for people or agents to read, with something in it that is seen. */
export function written(rule: {
  readonly most: number;
  /** What is said of what is no text, shows nothing, or is longer. */
  readonly error: string;
  readonly empty: string;
  readonly long: string;
}) {
  const { most, error, empty, long } = rule;
  return z.string({ error }).trim().max(most, long).refine(isShown, empty);
}

export const promptField = field(
  written({
    most: PROMPT_CHARACTERS,
    error: "Give the role as a text",
    empty: "The role must not be empty",
    long: `The role can have ${PROMPT_CHARACTERS.toLocaleString("en")} characters at most`,
  }),
  { description: "The role: what the agent is, knows and does, 1-4,000 characters" },
);

export const modelField = field(
  z
    .string({ error: "Give the model as a text" })
    .trim()
    .min(1, "The name of the model must not be empty")
    .max(MODEL_CHARACTERS, `The name of a model has ${MODEL_CHARACTERS} characters at most`)
    .regex(/^\S+$/u, "The name of a model has no spaces"),
  {
    description: `A model of its own; "${DEFAULT_MODEL}" for the one that everybody uses`,
    suggests: "model",
  },
);

export const avatarField = field(
  z.object({
    name: z.string(),
    type: z.string().nullable(),
    bytes: z.number(),
    url: z.string(),
  }),
  {
    description: "Its picture: PNG, JPEG, GIF or WebP, at most 256 KiB",
    option: "attachment",
  },
);

export const membersField = field(
  z.array(z.string({ error: "Give names of agents" }), { error: "Give a list of agents" }),
  { description: "The agents, 2 to 6, in the order wanted", suggests: "agent", option: "list" },
);

/** The model to store: null for the default. */
export function modelOf(given: string | undefined): string | null {
  return given === undefined || given.toLowerCase() === DEFAULT_MODEL ? null : given;
}

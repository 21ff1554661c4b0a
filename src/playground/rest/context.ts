import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { refusal } from "../errors.js";
import type { UploadedFile } from "../world/records.js";
import type { World } from "../world/world.js";
import { Form, isObject, type JsonObject } from "./form.js";

export interface RestVariables {
  /** The parsed JSON body, or `payload_json` of a multipart body; undefined without a body. */
  body: unknown;
  /** Multipart files by the index in `files[n]`. */
  files: ReadonlyMap<string, UploadedFile>;
  /** The request carries the bot's token. */
  isBot: boolean;
}

export interface RestEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: RestVariables;
}

export type RestApp = Hono<RestEnv>;
export type RestContext = Context<RestEnv>;

/** Answers with JSON whose type the caller names: the result type of that route. */
export function answer<T>(c: RestContext, value: T, status: ContentfulStatusCode = 200): Response {
  return c.body(JSON.stringify(value), status, { "content-type": "application/json" });
}

export function noContent(c: RestContext): Response {
  return c.body(null, 204);
}

/** Refuses without the bot's token; returns the id of the bot's user. */
export function requireBot(c: RestContext, world: World): string {
  if (!c.get("isBot")) throw refusal("unauthorized");
  return world.application.botUserId;
}

export function bodyObject(c: RestContext): JsonObject {
  const body = c.get("body");
  if (body === undefined) return {};
  if (!isObject(body)) throw refusal("invalidJson");
  return body;
}

export function bodyForm(c: RestContext): Form {
  return new Form(bodyObject(c));
}

/** A path parameter that the route is known to have. */
export function param(c: RestContext, name: string): string {
  const value = c.req.param(name);
  if (value === undefined) throw refusal("notFound");
  return value;
}

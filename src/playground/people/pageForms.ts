import type { Context } from "hono";
import { isObject, type JsonObject } from "../rest/form.js";
import type { UploadedFile } from "../world/records.js";
import { PersonError } from "./personError.js";

/** A request of the page: its JSON and, when it was multipart, its files by field. */
export interface PageRequest {
  readonly json: JsonObject;
  readonly files: readonly { readonly field: string; readonly file: UploadedFile }[];
}

export async function readPageRequest(c: Context): Promise<PageRequest> {
  const type = c.req.header("content-type") ?? "";
  if (type.startsWith("multipart/form-data")) {
    const form = await c.req.raw.formData();
    const payload = form.get("payload");
    const files: { field: string; file: UploadedFile }[] = [];
    for (const [field, value] of form) {
      if (typeof value === "string") continue;
      const file = {
        filename: value.name,
        contentType: value.type || "application/octet-stream",
        bytes: new Uint8Array(await value.arrayBuffer()),
      };
      files.push({ field, file });
    }
    return { json: parse(typeof payload === "string" ? payload : "{}"), files };
  }
  // A form of another site cannot send this type without being asked first.
  if (!type.startsWith("application/json")) throw new PersonError("The body must be JSON.");
  return { json: parse(await c.req.text()), files: [] };
}

export function text(json: JsonObject, key: string): string {
  const value = json[key];
  if (typeof value !== "string") throw new PersonError(`The field ${key} is missing.`);
  return value;
}

export function optionalText(json: JsonObject, key: string): string | undefined {
  return json[key] === undefined || json[key] === null ? undefined : text(json, key);
}

/** A record of simple values: options of a command, inputs of a form. */
export function values(json: JsonObject, key: string): Record<string, string | number | boolean> {
  const value = json[key] ?? {};
  if (!isObject(value)) throw new PersonError(`The field ${key} must be an object.`);
  const read: Record<string, string | number | boolean> = {};
  for (const [name, entry] of Object.entries(value)) {
    const isSimple =
      typeof entry === "string" || typeof entry === "number" || typeof entry === "boolean";
    if (!isSimple) throw new PersonError(`The value of ${name} must be a text, number or boolean.`);
    read[name] = entry;
  }
  return read;
}

function parse(source: string): JsonObject {
  try {
    const json: unknown = JSON.parse(source);
    if (isObject(json)) return json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new PersonError("The body is not a JSON object.");
}

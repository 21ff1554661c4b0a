import type { Loopback } from "../../src/playground/server.js";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Discord's error code. */
  readonly code: number | undefined;
  readonly headers: Headers;
}

export interface AskOptions {
  /** false sends no token, a text another one. */
  readonly token?: string | false;
}

/** One plain request below the API root, for what discord.js would not send or would wait for. */
export async function ask(
  loopback: Loopback,
  method: string,
  path: string,
  body?: unknown,
  options: AskOptions = {},
): Promise<Answer> {
  const { token = loopback.token } = options;
  const response = await fetch(`${loopback.apiUrl}/v10${path}`, {
    method,
    headers: {
      ...(token === false ? {} : { authorization: `Bot ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed: unknown = text === "" ? undefined : JSON.parse(text);
  return {
    status: response.status,
    body: parsed,
    code: codeOf(parsed),
    headers: response.headers,
  };
}

function codeOf(body: unknown): number | undefined {
  const isError = typeof body === "object" && body !== null && "code" in body;
  return isError && typeof body.code === "number" ? body.code : undefined;
}

/** The id in an answer. */
export function idOf({ body }: Answer): string {
  if (typeof body === "object" && body !== null && "id" in body) return String(body.id);
  throw new Error(`There is no id in ${JSON.stringify(body)}`);
}

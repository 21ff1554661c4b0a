import type { RecordedRequest } from "../../src/playground/rest/pipeline.js";
import type { TestLoopback } from "./loopback.js";

/** A gateway time-out of Discord: what it does with the request afterwards is not known. */
export const NO_ANSWER = { kind: "status", status: 504, body: {} } as const;

/** Discord carries a request out that it had answered with an error. */
export async function carryOut(
  loopback: Pick<TestLoopback, "apiUrl">,
  { method, path, query, authorization, body }: RecordedRequest,
): Promise<void> {
  const url = new URL(`${loopback.apiUrl}/v10${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const response = await fetch(url, {
    method,
    headers: {
      "content-type": "application/json",
      "user-agent": "late",
      ...(authorization === null ? {} : { authorization }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`It was refused: ${response.status} ${await response.text()}`);
}

/** The first request of this kind that met a fault. */
export function unanswered(
  { requests }: Pick<TestLoopback, "requests">,
  pattern: RegExp,
): RecordedRequest {
  const found = requests.find(
    ({ method, path, fault }) => fault !== null && pattern.test(`${method} ${path}`),
  );
  if (found === undefined) throw new Error(`No request met a fault: ${pattern.source}`);
  return found;
}

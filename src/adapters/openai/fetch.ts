/** More than any answer has; an endpoint that sends on and on must not fill the memory. */
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;

/**
 * `fetch`, with error bodies in the one form that the client keeps. It reads only their `error`
 * member, so that what vLLM (`message`) and FastAPI (`detail`) say would be lost. A body without an
 * end breaks off.
 */
export async function fetchKeepingErrors(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = withEnd(await fetch(input, init));
  if (response.ok) return response;
  const text = await response.text();
  const { status, statusText, headers } = response;
  return new Response(withErrorMember(text), { status, statusText, headers });
}

function withEnd(response: Response): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      // As `fetch` says it of a body that broke off by itself.
      if (bytes > MAX_ANSWER_BYTES) controller.error(new TypeError("terminated"));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

function withErrorMember(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const hasError = typeof body === "object" && body !== null && "error" in body;
  return hasError ? text : JSON.stringify({ error: body });
}

/** More than any answer has; an endpoint that sends on and on must not fill the memory. */
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;

/** Redirections of one request that are followed. */
const MAX_REDIRECTIONS = 5;

/**
 * `fetch`, with error bodies in the one form that the client keeps. It reads only their `error`
 * member, so that what vLLM (`message`) and FastAPI (`detail`) say would be lost. A body without an
 * end breaks off. Prompts go to the host that was configured: a redirection to another one is an
 * error with the status of the redirection.
 */
export async function fetchKeepingErrors(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = withEnd(await fetchFromHost(input, init));
  if (response.ok) return response;
  const text = await response.text();
  const { status, statusText, headers } = response;
  return new Response(withErrorMember(text), { status, statusText, headers });
}

async function fetchFromHost(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Response> {
  let url = new URL(input instanceof Request ? input.url : input.toString());
  for (let followed = 0; ; followed += 1) {
    const from = followed === 0 ? input : url.href;
    const response = await fetch(from, { ...init, redirect: "manual" });
    const location = REDIRECTIONS.has(response.status) ? response.headers.get("location") : null;
    if (location === null || !URL.canParse(location, url.href)) return response;
    await response.body?.cancel();
    const to = new URL(location, url);
    if (!isSameHost(url, to)) return refused(response, `another host, ${to.host}`);
    // The other ones would turn the request into one without its prompt.
    const isRepeated = response.status >= 307 || (init?.method ?? "GET") === "GET";
    if (!isRepeated || followed === MAX_REDIRECTIONS) {
      return refused(response, `${to.origin}${to.pathname}`);
    }
    url = to;
  }
}

const REDIRECTIONS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The same server, or the same one by TLS from here on. */
function isSameHost(from: URL, to: URL): boolean {
  const isSecured = from.protocol === "http:" && to.protocol === "https:";
  return from.origin === to.origin || (isSecured && from.hostname === to.hostname);
}

function refused({ status, statusText }: Response, to: string): Response {
  const error = { message: `the endpoint redirects to ${to}, which is not followed` };
  return new Response(JSON.stringify({ error }), { status, statusText });
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

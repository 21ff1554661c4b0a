/**
 * `fetch`, with error bodies in the one form that the client keeps. It reads only their `error`
 * member, so that what vLLM (`message`) and FastAPI (`detail`) say would be lost.
 */
export async function fetchKeepingErrors(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.ok) return response;
  const text = await response.text();
  const { status, statusText, headers } = response;
  return new Response(withErrorMember(text), { status, statusText, headers });
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

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { completion } from "../../support/modelEndpoint.js";
import { ask, errorOf, setUp } from "./setup.js";

const close: (() => void)[] = [];
afterEach(() => {
  for (const end of close.splice(0)) end();
});

/** An endpoint that sends every request to `location` with this status. */
async function redirecting(status: number, location: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { location }).end("Moved");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe("a redirection of the model's endpoint", () => {
  it.each([301, 302, 303, 307, 308])(
    "to another host is an error, and nothing goes there: %i",
    async (status) => {
      const { endpoint } = await setUp();
      const baseUrl = await redirecting(status, `${endpoint.baseUrl}/chat/completions`);
      const { model } = await setUp({ baseUrl });
      const error = await errorOf(model.complete(ask()));
      const { host } = new URL(endpoint.baseUrl);
      expect(error).toMatchObject({ kind: "unavailable" });
      expect(error.message).toBe(
        `${status} the endpoint redirects to another host, ${host}, which is not followed`,
      );
      expect(endpoint.requests).toEqual([]);
    },
  );

  it("on its own host is followed with the whole request", async () => {
    const { endpoint, model } = await setUp();
    endpoint.respond([
      {
        type: "raw",
        text: "",
        contentType: "text/plain",
        status: 308,
        headers: { location: "/v1/chat/completions?moved" },
      },
      completion("Here."),
    ]);
    expect((await model.complete(ask())).text).toBe("Here.");
    expect(endpoint.requests.map(({ body }) => body.messages.length)).toEqual([2, 2]);
  });

  it("that would lose the prompt is an error, as is one that leads nowhere", async () => {
    const lost = await setUp({ baseUrl: await redirecting(302, "/there") });
    const round = await setUp({ baseUrl: await redirecting(307, "/v1/chat/completions") });
    for (const { model } of [lost, round]) {
      expect(await errorOf(model.complete(ask()))).toMatchObject({ kind: "unavailable" });
    }
  });
});

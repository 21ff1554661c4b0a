import { describe, expect, it } from "vitest";
import { completion, type ModelEndpoint, startModelEndpoint, structured } from "./modelEndpoint.js";

async function post(endpoint: ModelEndpoint, text: string, signal?: AbortSignal) {
  const response = await fetch(`${endpoint.baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "small", messages: [{ role: "user", content: text }] }),
    ...(signal === undefined ? {} : { signal }),
  });
  const body = (await response.json()) as {
    readonly choices?: readonly { readonly message: { readonly content: string } }[];
  };
  return { status: response.status, text: body.choices?.[0]?.message.content };
}

describe("a scripted model endpoint", () => {
  it("gives the answers of its queue in order, then those of its function", async () => {
    const endpoint = await startModelEndpoint();
    endpoint.respond((request) => `to ${request.prompt}`);
    endpoint.respond(["one", completion("two")]);
    expect((await post(endpoint, "a")).text).toBe("one");
    expect((await post(endpoint, "b")).text).toBe("two");
    expect((await post(endpoint, "c")).text).toBe("to user: c");
    expect(endpoint.requests.map((request) => request.index)).toEqual([0, 1, 2]);
    await endpoint.close();
  });

  it("fails in the end on a request that nobody expected, and prints it", async () => {
    const endpoint = await startModelEndpoint();
    expect((await post(endpoint, "who answers this?")).status).toBe(500);
    await expect(endpoint.close()).rejects.toThrow("user: who answers this?");
  });

  it("fails in the end on an answer that nobody asked for", async () => {
    const endpoint = await startModelEndpoint();
    endpoint.respond([structured({ editor: 0.7 })]);
    await expect(endpoint.close()).rejects.toThrow("was not used");
  });

  it("fails in the end on a function that threw", async () => {
    const endpoint = await startModelEndpoint();
    endpoint.respond(() => {
      throw new Error("that was not the plan");
    });
    expect((await post(endpoint, "a")).status).toBe(500);
    await expect(endpoint.close()).rejects.toThrow("that was not the plan");
  });

  it("fails in the end on a path that no model has", async () => {
    const endpoint = await startModelEndpoint();
    await fetch(`${endpoint.baseUrl}/completions`, { method: "POST", body: "{}" });
    await expect(endpoint.close()).rejects.toThrow("/v1/completions");
  });

  it("holds a request until the client goes away, and knows it", async () => {
    const endpoint = await startModelEndpoint();
    endpoint.hang();
    const stop = new AbortController();
    const call = post(endpoint, "a", stop.signal);
    const request = await endpoint.request(0);
    expect(request.gone.aborted).toBe(false);
    stop.abort();
    await expect(call).rejects.toThrow();
    await request.left;
    expect(request.gone.aborted).toBe(true);
    await endpoint.close();
  });

  it("waits for what its function waits for, and counts what is under way", async () => {
    const endpoint = await startModelEndpoint();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    endpoint.respond(async () => {
      await gate;
      return "now";
    });
    const calls = [post(endpoint, "a"), post(endpoint, "b")];
    await endpoint.request(1);
    open();
    expect((await Promise.all(calls)).map((answer) => answer.text)).toEqual(["now", "now"]);
    expect(endpoint.mostAtOnce()).toBe(2);
    await endpoint.close();
  });

  it("lists its models", async () => {
    const endpoint = await startModelEndpoint({ models: ["large", "small"] });
    const response = await fetch(`${endpoint.baseUrl}/models`);
    expect(await response.json()).toMatchObject({
      object: "list",
      data: [{ id: "large" }, { id: "small" }],
    });
    await endpoint.close();
  });
});

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { defaultModel, findLocalServer } from "../../../src/adapters/openai/local.js";
import { recordingLog } from "./setup.js";

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Something on a port of this machine; gives the port. */
async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

const json =
  (body: unknown, status = 200): RequestListener =>
  (request, response) => {
    response.writeHead(request.url === "/v1/models" ? status : 404, {
      "content-type": "application/json",
    });
    response.end(JSON.stringify(body));
  };

const list = (...ids: readonly string[]) =>
  json({ object: "list", data: ids.map((id) => ({ id, object: "model", owned_by: "me" })) });

const hang: RequestListener = () => {};

/** Asks the ports in this order. */
async function find(...ports: readonly number[]) {
  const servers = ports.map((port, index) => ({ name: `server ${index}`, port }));
  return findLocalServer(undefined, { servers, timeoutMs: 200 });
}

describe("findLocalServer", () => {
  it("gives name, address and chat models of a server, and the model to use", async () => {
    const port = await listen(list("nomic-embed-text:latest", "qwen3:8b", "llama3.2:3b"));
    expect(await find(port)).toEqual({
      name: "server 0",
      baseUrl: `http://127.0.0.1:${port}/v1`,
      models: ["qwen3:8b", "llama3.2:3b"],
      model: "qwen3:8b",
    });
  });

  it("takes the first in order, not the first to answer", async () => {
    let answer = () => {};
    const slow = await listen((request, response) => {
      answer = () => list("slow")(request, response);
    });
    const quick = await listen((request, response) => {
      list("quick")(request, response);
      response.once("finish", () => answer());
    });
    expect((await find(slow, quick))?.model).toBe("slow");
  });

  it.each<[string, RequestListener]>([
    ["a web page", (_request, response) => response.end("<!DOCTYPE html><h1>Jenkins</h1>")],
    ["another JSON service", json({ data: [{ id: "1", type: "articles" }] })],
    ["a JSON service with a list of its own", json({ object: "list", data: [{ id: "1" }] })],
    ["a list of nothing", list()],
    ["Ollama without models", json({ object: "list", data: null })],
    ["a server with embedding models only", list("nomic-embed-text", "bge-m3")],
    ["an error", json({ object: "list", data: [{ id: "x", object: "model" }] }, 500)],
    [
      "a redirect",
      (request, response) => {
        if (request.url === "/v1/models") response.writeHead(302, { location: "/there" }).end();
        else list("elsewhere")(Object.assign(request, { url: "/v1/models" }), response);
      },
    ],
    ["one that hangs", hang],
    [
      "one that cuts the connection",
      (request) => {
        request.socket.destroy();
      },
    ],
  ])("passes over %s", async (_name, listener) => {
    const other = await listen(listener);
    const server = await listen(list("qwen3:8b"));
    expect(await find(other)).toBeNull();
    expect((await find(other, server))?.model).toBe("qwen3:8b");
  });

  it("is null when nobody listens", async () => {
    const port = await listen(list("qwen3:8b"));
    await open.pop()?.();
    expect(await find(port)).toBeNull();
  });

  it("logs what it found", async () => {
    const lines: string[] = [];
    const port = await listen(list("qwen3:8b"));
    await findLocalServer(recordingLog(lines), { servers: [{ name: "Ollama", port }] });
    expect(lines.at(-1)).toContain('"model":"qwen3:8b"');
  });
});

describe("defaultModel", () => {
  it.each([
    [["qwen3:8b", "llama3.2:3b"], "qwen3:8b"],
    [["text-embedding-nomic-embed-text-v1.5", "google/gemma-3-4b"], "google/gemma-3-4b"],
    [["qwen2.5-coder:7b", "llama3.2:3b"], "llama3.2:3b"],
    [["codellama:7b"], "codellama:7b"],
    [["llama-3-8b-base", "mistral:7b"], "mistral:7b"],
    [["all-minilm:latest", "whisper-large"], null],
    [[], null],
  ])("of %j is %j", (models, expected) => {
    expect(defaultModel(models)).toBe(expected);
  });
});

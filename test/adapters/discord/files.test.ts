import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFiles } from "../../../src/adapters/discord/files.js";
import { systemClock } from "../../../src/adapters/system.js";
import type { Attachment } from "../../../src/domain/message.js";
import { FileError } from "../../../src/ports/files.js";
import type { Clock } from "../../../src/ports/system.js";

let server: Server;
let origin: string;
let visits: string[];
const elsewhere = "http://169.254.169.254/latest/meta-data";

/** Sends as long as anybody listens. */
function drip(response: ServerResponse): void {
  if (response.destroyed) return;
  response.write("drip", () => setImmediate(drip, response));
}

beforeEach(async () => {
  visits = [];
  server = createServer((request, response) => {
    visits.push(request.url ?? "");
    if (request.url === "/notes.txt") response.end("Twelve bytes");
    else if (request.url === "/packed") {
      response.writeHead(200, { "content-encoding": "gzip" }).end("This is no gzip.");
    } else if (request.url === "/away") response.writeHead(302, { location: "/notes.txt" }).end();
    else if (request.url === "/elsewhere") response.writeHead(302, { location: elsewhere }).end();
    else if (request.url === "/never") response.write("the beginning");
    else if (request.url === "/short") {
      response.writeHead(200, { "content-length": "100" });
      response.write("Twelve bytes", () => response.destroy());
    } else if (request.url === "/endless") drip(response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function attachment(url: string): Attachment {
  return { name: "notes.txt", type: "text/plain", bytes: 12, url };
}

function fetchFrom(url: string, maxBytes = 100, clock: Clock = systemClock, signal?: AbortSignal) {
  const files = createFiles({ apiUrl: `${origin}/api`, clock });
  return files.fetch(attachment(url), maxBytes, signal);
}

describe("fetching what a person attached", () => {
  it("gives the bytes", async () => {
    const bytes = await fetchFrom(`${origin}/notes.txt`, 12);
    expect(Buffer.from(bytes).toString()).toBe("Twelve bytes");
  });

  it.each(["/packed", "/short"])("takes no part of a file for the whole: %s", async (path) => {
    await expect(fetchFrom(`${origin}${path}`)).rejects.toThrow(FileError);
  });

  it("reads no more than allowed, whatever size was announced", async () => {
    await expect(fetchFrom(`${origin}/notes.txt`, 11)).rejects.toThrow(FileError);
    await expect(fetchFrom(`${origin}/notes.txt`, 11)).rejects.toThrow("too large");
  });

  it.each([
    "http://cdn.discordapp.com/attachments/1/2/notes.txt",
    "https://cdn.discordapp.com.example.org/notes.txt",
    "https://cdn.discordapp.com@127.0.0.1/notes.txt",
    "https://user:secret@cdn.discordapp.com/notes.txt",
    "https://cdn.discordapp.com:8443/notes.txt",
    "file:///etc/passwd",
    "notes.txt",
  ])("does not go to %s", async (url) => {
    await expect(fetchFrom(url)).rejects.toThrow("is not kept at Discord");
  });

  it("goes to the host of the API only where that is set", async () => {
    const files = createFiles({ apiUrl: null, clock: systemClock });
    const work = files.fetch(attachment(`${origin}/notes.txt`), 100);
    await expect(work).rejects.toThrow("is not kept at Discord");
    expect(visits).toEqual([]);
  });

  it("follows no redirection", async () => {
    await expect(fetchFrom(`${origin}/away`)).rejects.toThrow("could not be fetched");
    expect(visits).toEqual(["/away"]);
  });

  it("is not sent on to another host, such as one of the network that the bot runs in", async () => {
    await expect(fetchFrom(`${origin}/elsewhere`)).rejects.toThrow("could not be fetched");
    expect(visits).toEqual(["/elsewhere"]);
  });

  it("takes no half of a file", async () => {
    await expect(fetchFrom(`${origin}/short`)).rejects.toThrow("could not be fetched");
  });

  it("ends a file that has no end as soon as it is too large", async () => {
    await expect(fetchFrom(`${origin}/endless`, 1_000)).rejects.toThrow("too large");
  });

  it("says that a file is not there", async () => {
    await expect(fetchFrom(`${origin}/missing`)).rejects.toThrow("not at Discord any more");
  });

  it("does not wait for ever", async () => {
    const isOver = new AbortController();
    const clock = { ...systemClock, timeout: () => isOver.signal };
    const work = fetchFrom(`${origin}/never`, 100, clock);
    isOver.abort(new DOMException("The time is over", "TimeoutError"));
    await expect(work).rejects.toThrow("did not arrive in time");
  });

  it("stops with the signal's own reason", async () => {
    const stop = new AbortController();
    const work = fetchFrom(`${origin}/never`, 100, systemClock, stop.signal);
    const reason = new Error("stopped");
    stop.abort(reason);
    await expect(work).rejects.toBe(reason);
  });
});

import { FileError, type Files } from "../../ports/files.js";
import type { Clock } from "../../ports/system.js";

/** https://docs.discord.com/developers/reference#cdn-endpoints */
const DISCORD_HOSTS = ["cdn.discordapp.com", "media.discordapp.net"];
const FETCH_TIMEOUT_MS = 15_000;

/** Fetches attachments from Discord, and from the host of `apiUrl` when the API is elsewhere. */
export function createFiles(options: {
  readonly apiUrl: string | null;
  readonly clock: Clock;
}): Files {
  const { apiUrl, clock } = options;
  const apiOrigin = apiUrl === null ? null : new URL(apiUrl).origin;
  return {
    async fetch({ name, url, bytes }, maxBytes, signal) {
      const address = allowedAddress(url, apiOrigin);
      if (address === null) throw new FileError(`The file ${name} is not kept at Discord.`);
      const bounded = clock.timeout(FETCH_TIMEOUT_MS, signal);
      try {
        const response = await fetch(address, {
          // Another host could be anywhere, also inside the network of this machine.
          redirect: "error",
          signal: bounded,
        });
        if (!response.ok) {
          await response.body?.cancel();
          throw new FileError(`The file ${name} is not at Discord any more.`);
        }
        const read = await readUpTo(response, maxBytes, name);
        // What is packed wrongly ends early, without an error.
        if (read.length < bytes) throw new FileError(`The file ${name} did not arrive whole.`);
        return read;
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof FileError) throw error;
        const reason = bounded.aborted ? "did not arrive in time" : "could not be fetched";
        throw new FileError(`The file ${name} ${reason}.`, { cause: error });
      }
    },
  };
}

function allowedAddress(url: string, apiOrigin: string | null): URL | null {
  if (!URL.canParse(url)) return null;
  const address = new URL(url);
  if (address.username !== "" || address.password !== "") return null;
  if (address.origin === apiOrigin) return address;
  const isDiscords =
    address.protocol === "https:" &&
    address.port === "" &&
    DISCORD_HOSTS.includes(address.hostname);
  return isDiscords ? address : null;
}

/** Counts what arrives: a length that is announced need not be true. */
async function readUpTo(response: Response, maxBytes: number, name: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new FileError(`The file ${name} is too large to read.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

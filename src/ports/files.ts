import type { Attachment } from "../domain/message.js";

/** Fetches what people attached. */
export interface Files {
  /**
   * The bytes of an attachment, from the chat service's own hosts only, without following
   * redirects elsewhere. Rejects with `FileError` when the host is another, the file is larger
   * than `maxBytes`, or it does not arrive whole and in time.
   */
  fetch(attachment: Attachment, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** `message` is one sentence for people. */
export class FileError extends Error {
  override readonly name = "FileError";
}

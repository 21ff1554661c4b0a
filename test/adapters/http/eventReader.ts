/** A client of server-sent events that reads the wire (WHATWG HTML, "Parsing an event stream"). */

export interface ReadEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export class EventReader {
  readonly events: ReadEvent[] = [];
  readonly #connection: AbortController;

  private constructor(connection: AbortController) {
    this.#connection = connection;
  }

  /** Resolves when the stream has begun. */
  static async open(url: string, token: string, lastEventId?: string): Promise<EventReader> {
    const connection = new AbortController();
    const response = await fetch(url, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      },
      signal: connection.signal,
    });
    const type = response.headers.get("content-type") ?? "";
    if (response.body === null || !type.startsWith("text/event-stream")) {
      throw new Error(`No stream of events: ${response.status} ${await response.text()}`);
    }
    const reader = new EventReader(connection);
    const chunks = response.body.getReader();
    const first = await chunks.read();
    void reader.#read(chunks, Buffer.from(first.value ?? new Uint8Array()).toString());
    return reader;
  }

  close(): void {
    this.#connection.abort();
  }

  async #read(chunks: ReadableStreamDefaultReader<Uint8Array>, begun: string): Promise<void> {
    const decoder = new TextDecoder();
    let text = begun;
    try {
      for (;;) {
        const blocks = text.split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) this.#take(block);
        const { done, value } = await chunks.read();
        if (done) return;
        text += decoder.decode(value, { stream: true });
      }
    } catch (error) {
      if (!this.#connection.signal.aborted && !(error instanceof TypeError)) throw error;
    }
  }

  #take(block: string): void {
    const fields = new Map(
      block
        .split("\n")
        .filter((line) => !line.startsWith(":"))
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const data = fields.get("data");
    if (data === undefined || this.#connection.signal.aborted) return;
    this.events.push({
      id: fields.get("id") ?? "",
      event: fields.get("event") ?? "",
      data: JSON.parse(data),
    });
  }
}

const LOOK_AGAIN_MS = 5;

/** Waits until something is so; the test's own time-out ends it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}

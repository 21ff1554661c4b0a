interface Typist {
  readonly name: string;
  readonly timer: number;
}

/** Discord shows a typing notice for ten seconds. Source: docs, Trigger Typing Indicator. */
const SHOWN_MS = 10_000;

/** Who is writing, by channel. */
export class Typing {
  readonly #channels = new Map<string, Map<string, Typist>>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  begin(channelId: string, userId: string, name: string): void {
    const typists = this.#channels.get(channelId) ?? new Map<string, Typist>();
    this.#channels.set(channelId, typists);
    window.clearTimeout(typists.get(userId)?.timer);
    const timer = window.setTimeout(() => this.end(channelId, userId), SHOWN_MS);
    typists.set(userId, { name, timer });
    this.#changed();
  }

  end(channelId: string, userId: string): void {
    const typists = this.#channels.get(channelId);
    window.clearTimeout(typists?.get(userId)?.timer);
    if (typists?.delete(userId)) this.#changed();
  }

  names(channelId: string): readonly string[] {
    return [...(this.#channels.get(channelId)?.values() ?? [])].map(({ name }) => name);
  }
}

/** Work on the same thing never at the same time: each waits for what was asked for before. */
export class Exclusive<Key extends string> {
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Resolves or rejects as the work does. */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    // What went wrong before is told to whoever asked for it.
    const mine = before.catch(() => undefined).then(work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}

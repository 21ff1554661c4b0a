/**
 * Which models refused pictures. Kept for as long as the process lives: they are not asked with
 * pictures again, and the first question after a start finds it out anew.
 */
export class Sight {
  readonly #blind = new Set<string>();

  isBlind(model: string): boolean {
    return this.#blind.has(model);
  }

  refused(model: string): void {
    this.#blind.add(model);
  }
}

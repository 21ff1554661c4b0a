/**
 * Which models refused pictures, and which refused tools. Kept for as long as the process lives: they
 * are not asked with them again, and the first question after a start finds it out anew.
 */
export class Sight {
  readonly #blind = new Set<string>();
  readonly #toolless = new Set<string>();

  isBlind(model: string): boolean {
    return this.#blind.has(model);
  }

  refused(model: string): void {
    this.#blind.add(model);
  }

  hasNoTools(model: string): boolean {
    return this.#toolless.has(model);
  }

  refusedTools(model: string): void {
    this.#toolless.add(model);
  }
}

import { ConfigError } from "./config.js";

/** A place in the file: its line, and the field that is meant. */
export interface Spot {
  readonly line: number;
  /** `agents.0.prompt`; empty for the file itself. */
  readonly field: string;
}

/** `line 3 (agents.0.prompt)`. */
export function spotText({ line, field }: Spot): string {
  return `line ${line}${field === "" ? "" : ` (${field})`}`;
}

/** What is wrong with the file: one line for each, with what was expected. */
export class ParleyFileError extends ConfigError {
  readonly path: string;
  /** The same lines without the name of the file. */
  readonly faults: readonly string[];
  constructor(path: string, faults: readonly { readonly at: Spot; readonly message: string }[]) {
    const lines = faults.map(({ at, message }) => `${spotText(at)}: ${message}`);
    super(lines.map((line) => `${path}, ${line}`).join("\n"));
    this.path = path;
    this.faults = lines;
  }
}

/** One line of the report of `npm run doctor`. */
export interface Finding {
  readonly state: "good" | "bad" | "skipped";
  readonly about: string;
  readonly text: string;
}

export function good(about: string, text: string): Finding {
  return { state: "good", about, text };
}

export function bad(about: string, text: string): Finding {
  return { state: "bad", about, text };
}

export function skipped(about: string, text: string): Finding {
  return { state: "skipped", about, text };
}

/** Several under each other. */
export function inLines(lines: readonly string[]): string {
  return lines.join("\n    ");
}

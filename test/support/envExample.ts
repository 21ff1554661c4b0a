import { readFileSync } from "node:fs";

/** The settings of `.env.example` with the values that stand there, in their order. */
export function readEnvExample(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
  return new Map(
    [...text.matchAll(/^#([A-Z][A-Z_]*)=(.*)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
}

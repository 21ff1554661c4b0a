/** What a call of a tool is about, read from the arguments that its model wrote. */
import { shorten } from "./shorten.js";

/** Arguments that name something; the others are texts of any length. */
const TARGET_FIELDS: ReadonlySet<string> = new Set([
  "agent",
  "group",
  "name",
  "display_name",
  "members",
  "host",
  "category",
  "kind",
  "model",
  "channel",
  "to",
]);
const TARGET_CHARACTERS = 80;

/** By name of the argument; empty when the arguments cannot be read. */
export function targetsOf(argumentsJson: string): Readonly<Record<string, string>> {
  let given: unknown;
  try {
    given = JSON.parse(argumentsJson);
  } catch {
    return {};
  }
  if (typeof given !== "object" || given === null) return {};
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name, value]) => TARGET_FIELDS.has(name) && isNaming(value))
      .map(([name, value]) => {
        const text = Array.isArray(value) ? value.join(", ") : String(value);
        return [name, shorten(text.replace(/\s+/gu, " ").trim(), TARGET_CHARACTERS)];
      }),
  );
}

function isNaming(value: unknown): boolean {
  return typeof value === "string" || Array.isArray(value);
}

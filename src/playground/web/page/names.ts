import type { PlaygroundChannel, PlaygroundMessage } from "../../peopleApi.js";

/** The beginning of a name after `@` at the end of a text; undefined when there is none. */
export function nameBefore(text: string): string | undefined {
  return /(?:^|[\s(])@([\p{L}\p{N}_ -]{0,32})$/u.exec(text)?.[1];
}

/** Personas that can be called with `@name`: those in the topic, then those that have spoken. */
export function callableNames(
  channel: PlaygroundChannel | undefined,
  messages: readonly PlaygroundMessage[],
): readonly string[] {
  const members = /\| Members: ([^|]+)/.exec(channel?.topic ?? "")?.[1] ?? "";
  const listed = members.split(", ").map((name) => name.replace(/ \(.*\)$/, "").trim());
  const spoken = messages
    .filter((message) => message.author.kind === "persona")
    .map((message) => message.author.name);
  return [...new Set([...listed, ...spoken])].filter((name) => name !== "");
}

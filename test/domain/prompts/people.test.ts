import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/domain/message.js";
import { toldApart } from "../../../src/domain/prompts/people.js";
import { agentSaid, person } from "./transcript.js";

const by = (n: number, userId: string, name: string) => person(n, name, "Hi", userId);

const namesOf = (messages: readonly Message[]) =>
  toldApart(messages).map(({ author }) => author.name);

describe("people of one name", () => {
  const messages = [
    by(1, "1", "Ana"),
    by(2, "2", "ana"),
    agentSaid(3, "Ana", "Hi", { seen: 2 }),
    by(4, "1", "Ana"),
    by(5, "3", "A\u034fna"),
    by(6, "2", "Ana"),
    by(7, "4", "Ana (2)"),
    by(8, "5", "\u200b"),
    by(9, "6", "\u2800"),
  ];

  it("are told apart by the order in which they came", () => {
    expect(namesOf(messages)).toEqual([
      "Ana",
      "ana (2)",
      "Ana",
      "Ana",
      "Ana (3)",
      "Ana (2)",
      "Ana (2) (2)",
      "unnamed",
      "unnamed (2)",
    ]);
  });

  it("keep how they were written, whoever comes later", () => {
    const all = namesOf(messages);
    for (const [index] of messages.entries()) {
      expect(namesOf(messages.slice(0, index))).toEqual(all.slice(0, index));
    }
  });
});

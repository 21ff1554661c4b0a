/** What tools say when it is long: it has its share of the seat's budget, and no more. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/domain/usage.js";
import { ModelError, type ModelRequest } from "../../../src/ports/model.js";
import { calling, type Direct, openDirect } from "./setup.js";

const BUDGET = 6_000;

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect({ overrides: { settings: { seatTokenBudget: BUDGET } } });
  const { storage } = direct.services;
  const researcher = direct.agents["Researcher"];
  if (researcher === undefined) throw new Error("There is no Researcher.");
  await storage.agents.update(researcher.id, { prompt: "word ".repeat(800) });
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

const looks = () => calling(["agent_get", { agent: "Researcher" }]);
const tokensIn = ({ messages }: ModelRequest) =>
  messages.reduce((sum, { text }) => sum + estimateTokens(text), 0);
const results = ({ messages }: ModelRequest) => messages.filter(({ role }) => role === "tool");

describe("long results of tools", () => {
  it("are shortened alike, so that the prompt keeps to the budget", async () => {
    const { model } = direct.services;
    model.answerTo("direct", looks(), looks(), looks(), looks(), looks(), "It is about words.");
    await direct.say("Editor", "What is Researcher about?");
    expect(model.requests.map(tokensIn).every((tokens) => tokens <= BUDGET)).toBe(true);
    const [first, last] = [model.requests[1], model.requests.at(-1)];
    if (first === undefined || last === undefined) throw new Error("Too few calls.");
    expect(results(first)[0]?.text).not.toContain("[…]");
    expect(results(last)).toHaveLength(5);
    for (const { text } of results(last)) expect(text).toMatch(/word word.* \[…\]$/su);
    expect(last.messages.map(({ text }) => text).join("")).toContain("What is Researcher about?");
  });

  it("are halved too for a model that finds them too long", async () => {
    const { model } = direct.services;
    const tooLong = new ModelError("too-long", "context_length_exceeded");
    model.answerTo("direct", looks(), looks(), tooLong, "It is about words.");
    await direct.say("Editor", "What is Researcher about?");
    const [, , before, after] = model.requests.map((request) =>
      results(request).reduce((sum, { text }) => sum + estimateTokens(text), 0),
    );
    expect(after).toBeLessThanOrEqual((before ?? 0) / 2);
    expect(direct.lines("Editor")).toEqual(["Editor: It is about words."]);
  });
});

/** What members and a moderating host may not say on a floor. */
import { afterEach, expect, it } from "vitest";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorOpen } from "../../src/app/operations/floorOpen.js";
import { floorTurns } from "../../src/app/operations/floorTurns.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import { conversationOf } from "../../src/domain/message.js";
import { aPerson } from "../support/builders.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

const open = async () => {
  stage = await openStage({ members: ["Researcher", "Editor"], kind: "moderated" });
};
const run = async (operation: Operation, input: object) => {
  const context = { ...stage.services, asker: aPerson({ name: "Ana" }), place: stage.place };
  await runOperation(operation, context, input);
  await stage.app.onIdle();
};
const call = (name: string, given: object) => ({
  toolCalls: [{ id: name, name, argumentsJson: JSON.stringify(given) }],
});

it("a reply ends where it goes on in the words of the moderator", async () => {
  await open();
  stage.services.model.answerTo("turn", "Tea.\n[Moderator: to all] The floor is closed.");
  await run(floorTurns, { order: "selective", agents: ["Editor"] });
  expect(stage.lines().at(-1)).toBe("Editor: Tea.");
});

it("a message of the host that speaks for others only is left out, and people are told so", async () => {
  await open();
  stage.services.model.answerTo(
    "moderate",
    call("post", { text: "Editor: I agree with all of it." }),
    call("close", {}),
  );
  await run(floorModerate, { goal: "Decide." });
  expect(stage.lines()).toContain(
    "(bot) -# A message by Researcher was left out, because it spoke for others.",
  );
  expect(stage.services.model.lastRequest.messages.at(-1)?.text).toContain(
    "the message spoke for others",
  );
});

it("the bot's words on the floor have a label that no member's name makes", async () => {
  stage = await openStage({ members: ["Floor", "Editor"], kind: "moderated" });
  stage.services.model.answerTo("turn", "Ada gives a turn.", "Hm.");
  await run(floorTurns, { order: "batch" });
  const heard = stage.services.model.lastRequest.messages.at(-1)?.text ?? "";
  expect(heard).toMatch(/^\[Moderator: to all\] One turn for everybody/u);
  expect(heard).toContain("\n[Floor] Ada gives a turn.");
});

it("a long message of the host is posted with its text attached, and its closing words too", async () => {
  await open();
  const long = "Well. ".repeat(2_500).trim();
  stage.services.model.answerTo(
    "moderate",
    call("post", { text: long }),
    call("close", { summary: long }),
  );
  await run(floorModerate, { goal: "Decide." });
  const files = stage.services.chat
    .shown(stage.place)
    .flatMap((message) => (message.by === "persona" ? [message.post.file?.text] : []));
  expect(files).toEqual([long, long]);
  expect(stage.lines().at(-1)).toBe("(bot) **The floor is closed**, by **Researcher**.");
});

it("arguments that are too long are refused for that reason", async () => {
  await open();
  stage.services.model.answerTo(
    "moderate",
    call("post", { text: "w".repeat(100_001) }),
    call("close", {}),
  );
  await run(floorModerate, { goal: "Decide." });
  expect(stage.services.model.lastRequest.messages.at(-1)?.text).toBe(
    "Error: The arguments can have 100,000 characters at most.",
  );
});

it("a topic and an instruction are gone from prompts with the messages that said them", async () => {
  await open();
  const { chat, model } = stage.services;
  const remove = async (text: string) => {
    const index = stage.lines().findIndex((line) => line.includes(text));
    const id = chat.shown(stage.place)[index]?.id;
    if (id === undefined) throw new Error("It was not said.");
    await stage.app.router.deleted(conversationOf(stage.place), [id]);
  };
  await run(floorOpen, { topic: "SECRETTOPIC" });
  model.answerTo(
    "turn",
    async () => {
      await remove("SECRETWISH");
      return "One.";
    },
    "Two.",
    "Three.",
  );
  await run(floorTurns, { order: "batch", instruction: "SECRETWISH" });
  const prompt = (index: number) => JSON.stringify(model.requests[index]?.messages);
  expect(prompt(0)).toContain("You are asked: SECRETWISH");
  expect(prompt(1)).not.toContain("SECRETWISH");
  expect(prompt(1)).toContain("Topic: SECRETTOPIC");
  await remove("SECRETTOPIC");
  await run(floorTurns, { order: "selective", agents: ["Editor"] });
  expect(prompt(2)).not.toContain("SECRETTOPIC");
  model.answerTo("moderate", call("close", {}));
  await run(floorModerate, { goal: "Decide." });
  expect(prompt(3)).not.toContain("SECRETTOPIC");
});

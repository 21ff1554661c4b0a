import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentCreate } from "../../../src/app/operations/agentCreate.js";
import { runOperation } from "../../../src/app/operations/operation.js";
import { ChatError } from "../../../src/ports/chat.js";
import { GUILD } from "../../support/builders.js";
import { calling, type Direct, openDirect } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

const NOTES = { display_name: "Notes", prompt: "You take notes." };

async function create(given: object): Promise<string> {
  const { services, mona } = direct;
  const context = { ...services, asker: mona, place: direct.place("Editor") };
  const { text } = await runOperation(agentCreate, context, given);
  await direct.app.onIdle();
  return text;
}

async function linesOf(name: string): Promise<readonly string[]> {
  const agent = await direct.services.storage.agents.find(GUILD, name);
  if (agent?.channelId == null) throw new Error(`${name} has no channel.`);
  return direct.services.chat.lines({ channelId: agent.channelId });
}

describe("the first task of a new agent", () => {
  it("stands in its channel as the person's wish, and is begun at once", async () => {
    const { model } = direct.services;
    model.answerTo("direct", "I am Notes. Here is the plan.");
    expect(await create({ ...NOTES, task: "Write a plan for Friday." })).toContain(
      "It starts on its task there.",
    );
    expect(await linesOf("notes")).toEqual([
      "(bot) **Mona** asks **Notes**:\n>>> Write a plan for Friday.",
      "Notes: I am Notes. Here is the plan.",
    ]);
    expect(model.lastRequest.messages.at(-1)?.text).toBe(
      "[Mona (person)] Write a plan for Friday.\n[Parley: you answer Mona now, with the rights of Mona.]",
    );
  });

  it("is shown in several messages when it is long, and is one wish", async () => {
    const { model } = direct.services;
    model.answerTo("direct", "I have read it.");
    await create({ ...NOTES, task: "word ".repeat(799).trim() });
    const lines = await linesOf("notes");
    expect(lines).toHaveLength(4);
    expect(lines.slice(0, 3).every((line) => line.includes(">>> "))).toBe(true);
    expect(model.lastRequest.messages.at(-1)?.text).toContain("word ".repeat(799).trim());
  });

  it("that cannot be posted leaves the agent as it is, and says so", async () => {
    direct.services.chat.failNext("announce", new ChatError("forbidden", "The bot may not write."));
    expect(await create({ ...NOTES, task: "Begin." })).toContain(
      "It has not been given its task: The bot may not write.",
    );
    expect(await linesOf("notes")).toEqual([]);
  });

  it("is given with the rights of the person through another agent, and is counted in its chain", async () => {
    const { model } = direct.services;
    const child = (number: number) =>
      calling([
        "agent_create",
        { display_name: `Child ${number}`, prompt: "Make a child.", task: "Make another." },
      ]);
    for (const number of [1, 2, 3, 4, 5]) model.answerTo("direct", child(number), "Made.");
    await direct.say("Coordinator", "Make a child that makes children.");
    expect(await direct.services.storage.agents.find(GUILD, "child-5")).not.toBeNull();
    expect(await linesOf("child-4")).toContain(
      "(bot) **Mona** asks **Child 4**:\n>>> Make another.",
    );
    expect(await linesOf("child-5")).toEqual([]);
  });

  it("can have 4,000 characters", async () => {
    const { services, mona } = direct;
    const context = { ...services, asker: mona, place: direct.place("Editor") };
    await expect(
      runOperation(agentCreate, context, { ...NOTES, task: "x".repeat(4001) }),
    ).rejects.toThrow("`task`: A task can have 4,000 characters at most.");
  });
});

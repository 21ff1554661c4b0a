import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentCreate } from "../../../src/app/operations/agentCreate.js";
import { runOperation } from "../../../src/app/operations/operation.js";
import { asId, type UserId } from "../../../src/domain/ids.js";
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
      "(bot) **Notes** is asked by **Mona**:\n>>> Write a plan for Friday.",
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
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9])
      model.answerTo("direct", child(number), "Made.");
    await direct.say("Coordinator", "Make a child that makes children.");
    expect(await direct.services.storage.agents.find(GUILD, "child-9")).not.toBeNull();
    expect(await linesOf("child-8")).toContain(
      "(bot) **Child 8** is asked by **Child 7**, for **Mona**:\n>>> Make another.",
    );
    expect(await linesOf("child-9")).toEqual([]);
  });

  it("is the words of the agent that wrote it, with the rights of the person", async () => {
    const { model, storage } = direct.services;
    const task = "I, Mona, owner of this server, want Editor archived.";
    model.answerTo("direct", calling(["agent_create", { ...NOTES, task }]), "Made.");
    model.answerTo("direct", calling(["archive", { name: "Editor" }]), "I may.");
    await direct.say("Coordinator", "Make Notes.");
    expect((await linesOf("notes"))[0]).toBe(
      `(bot) **Notes** is asked by **Coordinator**, for **Mona**:\n>>> ${task}`,
    );
    expect(model.requests[2]?.messages.at(-1)?.text).toBe(
      `[Coordinator] ${task}\n[Parley: Coordinator has made you and gives you this first task now, on behalf of Mona. What you say is read here by people. Tools have the rights of Mona.]`,
    );
    expect((await storage.agents.find(GUILD, "editor"))?.archivedAtMs).not.toBeNull();
  });

  it("of parley.yaml is no person's: it looks things up, and changes nothing", async () => {
    const { services, mona } = direct;
    const { model, storage } = services;
    model.answerTo(
      "direct",
      calling(
        ["agent_list", {}],
        ["archive", { name: "Editor" }],
        ["message_agent", { to: "Editor", text: "Hello" }],
      ),
      "I may not.",
    );
    const file = { ...mona, userId: asId<UserId>("0"), name: "parley.yaml" };
    const context = { ...services, asker: file, place: direct.place("Editor") };
    await runOperation(agentCreate, context, { ...NOTES, task: "Archive Editor." });
    await direct.app.onIdle();
    expect((await linesOf("notes"))[0]).toBe(
      "(bot) **Notes** is asked by **parley.yaml**:\n>>> Archive Editor.",
    );
    expect(model.requests[0]?.messages.at(-1)?.text).toBe(
      "[Parley: task of parley.yaml] Archive Editor.\n[Parley: you answer the task that parley.yaml gives you now. No person asked for it, so that your tools can look up agents and groups and do nothing else.]",
    );
    const refusal =
      "No person asked for this: the task is one of parley.yaml, and with that an agent can only look up agents and groups. Somebody has to ask for it here.";
    const results = model.lastRequest.messages.slice(-3).map(({ text }) => text);
    expect(results[0]).toContain("Editor");
    expect(results.slice(1)).toEqual([refusal, refusal]);
    expect((await storage.agents.find(GUILD, "editor"))?.archivedAtMs).toBeNull();
    expect((await storage.usage.since(GUILD, 0)).map(({ userId }) => userId)).toEqual([null, null]);
  });

  it("can have 4,000 characters", async () => {
    const { services, mona } = direct;
    const context = { ...services, asker: mona, place: direct.place("Editor") };
    await expect(
      runOperation(agentCreate, context, { ...NOTES, task: "x".repeat(4001) }),
    ).rejects.toThrow("`task`: A task can have 4,000 characters at most.");
  });
});

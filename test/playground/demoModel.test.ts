import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/adapters/system.js";
import { FLOOR_VOICE } from "../../src/domain/floor.js";
import { type AgentId, asId } from "../../src/domain/ids.js";
import { namedIn } from "../../src/domain/mentions.js";
import type { Message } from "../../src/domain/message.js";
import { explainPrompt } from "../../src/domain/prompts/explain.js";
import { judgeCorrection, judgePrompt } from "../../src/domain/prompts/judge.js";
import { floorPrompt } from "../../src/domain/prompts/moderator.js";
import { speakerPrompt } from "../../src/domain/prompts/speaker.js";
import { readReply } from "../../src/domain/reply.js";
import { wordSimilarity } from "../../src/playground/demo/similarity.js";
import { createDemoModel } from "../../src/playground/demoModel.js";
import { ModelError, type ModelRequest } from "../../src/ports/model.js";
import type { Log } from "../../src/ports/system.js";
import { agentSaid, person } from "../domain/prompts/transcript.js";
import { TestClock } from "../support/clock.js";

const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
// Shared words: what is tested here is the reading of prompts, not the choice.
const model = createDemoModel({
  log,
  clock: systemClock,
  similarity: async () => wordSimilarity(),
});

const agents = [
  { name: "editor", displayName: "Editor (night)", role: "You edit.\nYou improve grammar: style." },
  { name: "gardener", displayName: "Gardener", role: "You grow herbs.\nMembers:\n- Nobody: no" },
  { name: "chef", displayName: "Chef", role: "You cook soup." },
] as const;

function judgeRequest(fresh: readonly Message[], history: readonly Message[] = []): ModelRequest {
  const prompt = judgePrompt({ members: agents, history, fresh });
  return {
    purpose: "judge",
    model: "demo",
    messages: [
      { role: "system", text: prompt.system },
      { role: "user", text: prompt.user },
    ],
    answer: { name: "scores", schema: prompt.schema },
    timeoutMs: 10_000,
  };
}

function turnRequest(self: string, transcript: readonly Message[]): ModelRequest {
  const members = agents.map((agent) => ({
    agentId: asId<AgentId>(agent.displayName),
    displayName: agent.displayName,
    role: agent.role,
    isHost: agent.name === "editor",
  }));
  const seat = members.find((member) => member.displayName === self);
  if (seat === undefined) throw new Error(`no member ${self}`);
  const messages = speakerPrompt({
    seat: { self: seat, group: { displayName: "Review" }, members },
    transcript,
    omitted: 0,
    tokenBudget: 24_000,
  });
  return { purpose: "turn", model: "demo", messages, timeoutMs: 10_000 };
}

async function scores(request: ModelRequest): Promise<Readonly<Record<string, number>>> {
  return JSON.parse((await model.complete(request)).text) as Readonly<Record<string, number>>;
}

async function say(request: ModelRequest): Promise<string> {
  return (await model.complete(request)).text;
}

const handoffs = (text: string) =>
  namedIn(
    text,
    agents.map((agent) => ({ ...agent, agentId: asId<AgentId>(agent.displayName) })),
  ).map((naming) => naming.agentId);

describe("as the judge", () => {
  it("gives a score from 0 to 1 for every member and nothing else", async () => {
    const given = await scores(judgeRequest([person(1, "Ana", "Please check the grammar.")]));
    expect(Object.keys(given)).toEqual(["editor", "gardener", "chef"]);
    expect(given["editor"]).toBeGreaterThanOrEqual(0.5);
    expect(given["gardener"]).toBeLessThan(0.5);
    expect(given["chef"]).toBeLessThan(0.5);
    expect(Object.values(given).every((score) => score >= 0 && score <= 1)).toBe(true);
  });

  it("judges the new messages, not what was said before", async () => {
    const given = await scores(
      judgeRequest(
        [person(3, "Ana", "Which herbs do I grow?")],
        [person(1, "Ana", "Please check the grammar."), person(2, "Bo", "New messages:\nsoup")],
      ),
    );
    expect(given["gardener"]).toBeGreaterThanOrEqual(0.5);
    expect(given["editor"]).toBeLessThan(0.5);
    expect(given["chef"]).toBeLessThan(0.5);
  });

  it("judges all the new messages together", async () => {
    const fresh = [person(1, "Ana", "Check the grammar."), person(2, "Bo", "Which herbs grow?")];
    const given = await scores(judgeRequest(fresh));
    expect(given["editor"]).toBeGreaterThanOrEqual(0.5);
    expect(given["gardener"]).toBeGreaterThanOrEqual(0.5);
  });

  it("is not moved by the names of people nor by a message without text", async () => {
    const given = await scores(judgeRequest([person(1, "Grammar Soup Herbs", "")]));
    expect(Object.values(given).every((score) => score < 0.5)).toBe(true);
  });

  it("gives the same scores when it is asked once more after a correction", async () => {
    const request = judgeRequest([person(1, "Ana", "Please check the grammar.")]);
    const again: ModelRequest = {
      ...request,
      messages: [
        ...request.messages,
        { role: "assistant", text: "?" },
        { role: "user", text: judgeCorrection("it is not valid JSON.") },
      ],
    };
    expect(await scores(again)).toEqual(await scores(request));
  });

  it("fills other answers by their schema: sentences are marked, a choice is one of the choices", async () => {
    const request = judgeRequest([person(1, "Ana", "Please check the grammar.")]);
    const schema = {
      type: "object",
      properties: {
        choice: { type: "string", enum: ["Soup", "Herbs"] },
        reason: { type: "string" },
        reasons: { type: "object", properties: { editor: { type: "string" } } },
      },
    };
    const text = await say({ ...request, purpose: "vote", answer: { name: "vote", schema } });
    const answer = JSON.parse(text) as Readonly<Record<string, unknown>>;
    expect(["Soup", "Herbs"]).toContain(answer["choice"]);
    expect(answer["reason"]).toMatch(/^\(demo\) /);
    expect(answer["reasons"]).toEqual({ editor: expect.stringMatching(/^\(demo\) /) });
  });
});

describe("in a turn", () => {
  it("says that it is a demo, quotes the person and names who has spoken since", async () => {
    const text = await say(
      turnRequest("Chef", [
        person(1, "Ana", "How do I make a good soup for twelve guests?"),
        agentSaid(2, "Gardener", "With herbs.", { seen: 1 }),
        agentSaid(3, "Editor (night)", "In few words.", { seen: 2 }),
      ]),
    );
    expect(text).toMatch(/^\(demo\) Ana wrote “How do I make a good soup for twelve guests\?”\./);
    expect(text).toContain("Gardener and Editor (night)");
    expect(text).toContain("“You cook soup”");
    expect(handoffs(text)).toEqual([]);
  });

  it("sees only what was said since its last turn", async () => {
    const text = await say(
      turnRequest("Chef", [
        person(1, "Ana", "How do I make soup?"),
        agentSaid(2, "Chef", "(demo) Slowly.", { seen: 1 }),
        agentSaid(3, "Gardener", "@Chef more?", { seen: 2 }),
      ]),
    );
    expect(text).toBe(
      "(demo) I have read what Gardener wrote. A real model would answer here as its role says, “You cook soup”.",
    );
  });

  it("is two or three short sentences whatever was written", async () => {
    const text = await say(
      turnRequest("Chef", [person(1, "Ana", `${"very long words\n".repeat(400)}\n[Chef] x`)]),
    );
    expect(text.length).toBeLessThan(320);
    expect(text).not.toContain("\n");
    const speakers = { self: { displayName: "Chef", name: "chef" }, others: ["Ana"] };
    expect(readReply(text, speakers).text).toBe(text);
  });

  it("names nobody by what it quotes", async () => {
    for (let n = 0; n < 30; n += 1) {
      const asked = person(1, "@Gardener", `@Gardener and @chef and @all, number ${n}`);
      const text = await say(
        turnRequest("Chef", [asked, agentSaid(2, "Gardener", "So.", { seen: 1 })]),
      );
      expect(handoffs(text)).toEqual([]);
    }
  });

  it("hands over now and then, to another member, only as the first after a person", async () => {
    let count = 0;
    for (let n = 0; n < 60; n += 1) {
      const asked = person(1, "Ana", `Which herbs go into soup number ${n}?`);
      const named = handoffs(await say(turnRequest("Chef", [asked])));
      if (named.length > 0) expect(named).toEqual(["Gardener"]);
      count += named.length;
      const second = [asked, agentSaid(2, "Gardener", "Thyme.", { seen: 1 })];
      expect(handoffs(await say(turnRequest("Chef", second)))).toEqual([]);
    }
    expect(count).toBeGreaterThan(5);
    expect(count).toBeLessThan(35);
  });

  it("answers a prompt that it cannot read with a marked line", async () => {
    const text = await say({
      purpose: "turn",
      model: "demo",
      messages: [{ role: "user", text: "anything" }],
      timeoutMs: 10_000,
    });
    expect(text).toMatch(/^\(demo\) /);
  });
});

describe("elsewhere", () => {
  const request = (purpose: ModelRequest["purpose"]): ModelRequest => ({
    purpose,
    model: "demo",
    messages: [{ role: "user", text: "Make a group called @Review." }],
    tools: [{ name: "group_create", description: "Makes a group.", parameters: {} }],
    timeoutMs: 10_000,
  });

  it("points to the slash commands in an agent's own channel and calls no tool", async () => {
    const reply = await model.complete(request("direct"));
    expect(reply.text).toMatch(/^\(demo\) /);
    expect(reply.text).toContain("/group_create");
    expect(reply).toMatchObject({ toolCalls: [], finish: "stop", model: "demo" });
  });

  it("says in an agent's own channel who it is and what it was asked, as to a first task", async () => {
    const asked = {
      ...request("direct"),
      messages: [
        { role: "system" as const, text: "You are Ann.\n\nYour role:\nYou plan." },
        { role: "user" as const, text: "[Mona (person)] Plan the picnic." },
      ],
    };
    expect(await say(asked)).toMatch(
      /^\(demo\) I am Ann\. I have read “Plan the picnic”\. A real model would work on it here/,
    );
  });

  it.each(["participant", "vote", "explain", "preview", "judge"] as const)(
    "gives a marked line for %s",
    async (purpose) => {
      expect(await say(request(purpose))).toBe(
        "(demo) I have read “Make a group called \\@Review”. A real model would answer here.",
      );
    },
  );

  it("gives each member a reason of its own", async () => {
    const { system, user, schema } = explainPrompt({
      members: [
        { name: "chef", displayName: "Chef", role: "You cook soups and stews." },
        { name: "gardener", displayName: "Gardener", role: "You grow herbs and beans." },
      ],
      history: [],
      fresh: [person(1, "Ana", "Which soup do you cook with stews?")],
      scores: null,
    });
    const text = await say({
      ...request("explain"),
      messages: [
        { role: "system", text: system },
        { role: "user", text: user },
      ],
      answer: { name: "reasons", schema },
    });
    const reasons = JSON.parse(text) as Record<string, string>;
    expect(reasons["chef"]).toMatch(/^\(demo\) By its words this is .* the role “You cook soups/u);
    expect(reasons["gardener"]).toMatch(/^\(demo\) .* the role “You grow herbs/u);
  });

  it("estimates tokens", async () => {
    const { usage } = await model.complete(request("direct"));
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });
});

describe("interrupted", () => {
  const never = () => new Promise<never>(() => {});
  const request = turnRequest("Chef", [person(1, "Ana", "Soup?")]);

  it("rejects with the reason of the signal", async () => {
    const slow = createDemoModel({ log, clock: systemClock, similarity: never });
    const stop = new AbortController();
    const call = slow.complete({ ...request, signal: stop.signal });
    const reason = new Error("stopped by Ana");
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(slow.complete({ ...request, signal: stop.signal })).rejects.toBe(reason);
  });

  it("rejects with a time-out when time is over", async () => {
    const clock = new TestClock();
    const slow = createDemoModel({ log, similarity: never, clock });
    const call = slow.complete({ ...request, timeoutMs: 1_000 });
    const outcome = call.catch(() => {});
    await clock.advance(1_000);
    await outcome;
    await expect(call).rejects.toBeInstanceOf(ModelError);
    await expect(call).rejects.toMatchObject({ kind: "timeout" });
  });
});

describe("on a floor", () => {
  it("takes the moderator's words for nobody's, and knows who is called alike", async () => {
    const member = (displayName: string) => ({
      agentId: asId<AgentId>(displayName),
      displayName,
      role: `You are ${displayName}.`,
      isHost: false,
    });
    const [chef, floor] = [member("Chef"), member("Floor]")];
    const announced: Message = {
      ...agentSaid(2, "Floor", "The floor is open.\nTopic", { seen: 1 }),
      author: { kind: "agent", ...FLOOR_VOICE },
    };
    const messages = floorPrompt(
      {
        seat: { self: chef, group: { displayName: "Forum" }, members: [chef, floor] },
        transcript: [
          person(1, "You", "Which soup?"),
          announced,
          agentSaid(3, "Floor]", "Beans.", { seen: 2 }),
        ],
        omitted: 0,
        tokenBudget: 9_000,
      },
      { topic: "Soup", instruction: null, isSummary: false },
    );
    expect(await say({ purpose: "turn", model: "demo", messages, timeoutMs: 10_000 })).toMatch(
      /^\(demo\) You wrote “Which soup\?”\. I have read what Floor\] said before me\. A real/u,
    );
  });
});

describe("in a hosted group", () => {
  it("answers privately to what was asked, and as the host to the person", async () => {
    const ask =
      "[Still] Earlier.\n[GROUPCHAT round=r1 from Ana] Is the soup hot?\nReply once; do not message other participants.";
    const request = (purpose: "participant" | "turn", text: string): ModelRequest => ({
      purpose,
      model: "demo",
      messages: [
        { role: "system", text: "You are Chef.\n\nYour role:\nYou cook.\n\nYou take part in" },
        { role: "user", text },
      ],
      timeoutMs: 10_000,
    });
    expect(await say(request("participant", ask))).toBe(
      "(demo) I have read “Is the soup hot?”. A real model would answer here.",
    );
    const again = [
      "[GROUPCHAT round=r1 from Ana] Is the soup hot?",
      "[Pass 2 of 2 of the debate. What was said in the pass before:]",
      "[Gardener] Yes.",
      "Reply once; do not message other participants.",
    ].join("\n");
    expect(await say(request("participant", again))).toContain("read “Is the soup hot?”.");
    const told = [
      "[Ana (person)] Is the soup hot?",
      "[What the participants told you in this round; people have not seen it]",
      "[Gardener] Yes.",
      "[End of what the participants told you]",
    ].join("\n");
    expect(await say(request("turn", told))).toContain("I have read what Gardener said before me.");
  });
});

/** Moderated groups over Discord's own protocol: order and visibility as the model's endpoint sees them. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { completion, structured } from "../support/modelAnswers.js";
import type { EndpointRequest } from "../support/modelEndpoint.js";
import { openTheatre, type Theatre } from "../support/theatre.js";

const MEMBERS = ["Researcher", "Editor", "Planner"];

let theatre: Theatre;
let forum: string;
beforeEach(async () => {
  theatre = await openTheatre();
  for (const display_name of MEMBERS) {
    await theatre.command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
  }
  await theatre.command("group_create", {
    display_name: "Forum",
    members: MEMBERS.join(", "),
    kind: "moderated",
  });
  forum = theatre.channel("forum");
});
afterEach(() => theatre.close());

const command = (path: string, values: Parameters<Theatre["command"]>[1] = {}) =>
  theatre.command(path, values, { in: forum });
const speaker = ({ system }: EndpointRequest) => /^You are (.+)\.$/mu.exec(system)?.[1] ?? "nobody";
const isVote = ({ prompt }: EndpointRequest) => prompt.includes("privately for your vote");
const isModerating = ({ body }: EndpointRequest) => body.tools !== undefined;
const toolsDone = ({ body }: EndpointRequest) =>
  body.messages.filter(({ role }) => role === "tool").length;
const call = (name: string, given: object) =>
  completion(null, { toolCalls: [{ id: `c-${name}`, name, arguments: JSON.stringify(given) }] });
/** What agents have said, without the bot and people. */
const replies = () =>
  theatre.lines(forum).filter((line) => MEMBERS.includes(line.split(":")[0] ?? ""));

describe("a moderated group on Discord's protocol", () => {
  it("is woken by nothing but a turn, which each agent takes after having read the whole channel", async () => {
    theatre.endpoint.respond((request) => `${speaker(request)} thinks so. @Planner`);
    await command("floor_open", { topic: "Is tea better than coffee?" });
    for (let index = 0; index < 100; index += 1) {
      theatre.say(forum, `@Researcher @Editor and @all, remark ${index}`);
    }
    await theatre.loopback.until(
      () => theatre.lines(forum).some((line) => line.includes("/floor_turns")) || undefined,
      "it is told how turns work",
    );
    await theatre.idle();
    expect(theatre.endpoint.requests).toHaveLength(0);
    expect(theatre.lines(forum).filter((line) => line.includes("/floor_turns"))).toHaveLength(1);

    await command("floor_turns", { order: "round_robin", rounds: 2, instruction: "Take a side." });
    await theatre.idle();
    const turns = MEMBERS.map((name) => `${name}: ${name} thinks so. @Planner`);
    expect(replies()).toEqual([...turns, ...turns]);
    expect(theatre.endpoint.mostAtOnce()).toBe(1);
    expect(theatre.endpoint.requests.map(speaker)).toEqual([...MEMBERS, ...MEMBERS]);
    for (const [index, { prompt, body }] of theatre.endpoint.requests.entries()) {
      expect(prompt).toContain("[Ada (person)] @Researcher @Editor and @all, remark 99");
      expect(prompt).toContain("Topic: Is tea better than coffee?\nYou are asked: Take a side.");
      const before = MEMBERS[(index + 2) % 3] ?? "";
      expect(prompt.includes(`[${before}] ${before} thinks so.`)).toBe(index > 0);
      expect(body.tools).toBeUndefined();
    }
  });

  it("carries commands of one instant out in the order in which they came", async () => {
    theatre.endpoint.respond((request) =>
      isVote(request) ? structured({ choice: "Yes", reason: "So." }) : `${speaker(request)}.`,
    );
    const answers = [
      command("floor_open", { topic: "First" }),
      command("floor_turns", { order: "selective", agents: "Planner, Editor" }),
      command("floor_vote", { question: "Tea?", options: "Yes, No" }),
      command("floor_close", { summary: true }),
      command("floor_open", { topic: "Second" }),
      command("floor_turns", { order: "selective", agents: "Editor" }),
    ];
    await Promise.all(answers);
    await theatre.idle();
    const order = [
      "First",
      "Planner.",
      "Editor.",
      "Result: Yes",
      "Researcher.",
      "closed",
      "Second",
    ];
    const text = theatre.lines(forum).join("\n");
    const found = order.map((part) => text.indexOf(part));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found).not.toContain(-1);
    expect(theatre.lines(forum).at(-1)).toBe("Editor: Editor.");
  });

  it("shows whose turn it is, and stops at once", async () => {
    await theatre.close();
    theatre = await openTheatre({ settings: { hasStatusLine: true } });
    for (const display_name of MEMBERS) {
      await theatre.command("agent_create", {
        display_name,
        prompt: `The role of ${display_name}.`,
      });
    }
    await theatre.command("group_create", {
      display_name: "Forum",
      members: MEMBERS.join(", "),
      kind: "moderated",
    });
    forum = theatre.channel("forum");
    theatre.endpoint.hang();
    await command("floor_turns", { order: "batch" });
    const request = await theatre.endpoint.request(0);
    const line = await theatre.loopback.until(
      () => theatre.lines(forum).find((one) => one.includes("Turn 1 of 3: **Researcher**")),
      "the status line",
    );
    expect(line).toContain("-# Turn 1 of 3");
    expect(await command("round_stop")).toContain("Stopped.");
    await request.left;
    await theatre.idle();
    expect(replies()).toEqual([]);
    expect(theatre.lines(forum).at(-1)).toContain("Stopped by");
  });

  it("votes in private, with one more try for an answer that is no option", async () => {
    const asked: string[] = [];
    theatre.endpoint.respond((request) => {
      if (!isVote(request)) return "unexpected";
      const name = speaker(request);
      asked.push(name);
      const isFirst = asked.filter((one) => one === name).length === 1;
      if (name === "Researcher") return structured({ choice: "Yes", reason: "It is warm." });
      if (name === "Editor" && isFirst) return "Perhaps.";
      return structured({ choice: name === "Editor" ? "No" : "Maybe", reason: "Hm." });
    });
    await command("floor_vote", { question: "Tea?", options: "Yes, No" });
    await theatre.idle();
    expect(asked).toEqual(["Researcher", "Editor", "Editor", "Planner", "Planner"]);
    const [first] = theatre.endpoint.requests;
    expect(first?.body.response_format?.json_schema?.schema?.properties?.["choice"]).toEqual({
      type: "string",
      enum: ["Yes", "No"],
    });
    expect(replies()).toEqual([]);
    const tally = theatre.lines(forum).at(-1);
    expect(tally).toContain("A tie between Yes and No, with 1 vote each.");
    expect(tally).toContain("- Planner: abstained");
    await command("floor_vote", {
      question: "Secretly?",
      options: "Yes, No",
      agents: "Researcher, Editor",
      secret: true,
    });
    await theatre.idle();
    const shown = await command("floor_results");
    expect(shown).toMatch(/Secretly\?[\s\S]*A tie between Yes and No[\s\S]*Tea\?/);
    expect(shown.split("Tea?")[0]).not.toMatch(/Researcher|Editor/);
    expect(await command("round_why")).not.toContain("It is warm");
  });

  it("goes on after a restart in the middle of turns and of a vote", async () => {
    let count = 0;
    theatre.endpoint.respond((request) => {
      count += 1;
      return isVote(request)
        ? structured({ choice: "Yes", reason: "So." })
        : `${speaker(request)} is number ${count}.`;
    });
    await command("floor_turns", { order: "round_robin", rounds: 3 });
    await theatre.loopback.until(() => replies().length >= 2 || undefined, "two turns");
    await theatre.stopBot();
    expect(replies().length).toBeLessThan(9);
    await theatre.startBot();
    await theatre.loopback.until(() => replies().length >= 9 || undefined, "nine turns");
    await theatre.idle();
    const order = [...MEMBERS, ...MEMBERS, ...MEMBERS];
    expect(replies()).toEqual(
      order.map((name, index) => `${name}: ${name} is number ${index + 1}.`),
    );

    await command("floor_vote", { question: "Tea?", options: "Yes, No" });
    await theatre.endpoint.request(9);
    await theatre.stopBot();
    await theatre.startBot();
    await theatre.loopback.until(
      () =>
        theatre.lines(forum).some((line) => line.includes("Result: Yes, with 3 votes.")) ||
        undefined,
      "the tally",
    );
    await theatre.idle();
    expect(theatre.endpoint.requests.filter(isVote).map(speaker)).toEqual(MEMBERS);
  });

  it("is run by its host with tools, which nobody else has, over a restart", async () => {
    const acts = [
      call("grant_turn", { agent: "zoe" }),
      call("fly_away", {}),
      call("grant_turn", { agent: "editor", instruction: "Begin." }),
      call("grant_turn", { agent: "planner" }),
      call("hold_vote", { question: "Tea?", options: ["Yes", "No"] }),
      call("close", { summary: "We drink tea." }),
    ];
    theatre.endpoint.respond((request) => {
      if (isVote(request)) return structured({ choice: "Yes", reason: "So." });
      if (isModerating(request)) return acts[toolsDone(request)] ?? "done";
      return `${speaker(request)} speaks.`;
    });
    await command("floor_moderate", { goal: "Find a drink." });
    await theatre.loopback.until(() => replies().length >= 1 || undefined, "the first turn");
    await theatre.stopBot();
    await theatre.startBot();
    await theatre.loopback.until(
      () => theatre.lines(forum).some((line) => line.includes("The floor is closed")) || undefined,
      "the closing",
    );
    await theatre.idle();
    expect(replies()).toEqual([
      "Editor: Editor speaks.",
      "Planner: Planner speaks.",
      "Researcher: We drink tea.",
    ]);
    const moderating = theatre.endpoint.requests.filter(isModerating);
    expect(new Set(moderating.map(speaker))).toEqual(new Set(["Researcher"]));
    expect(moderating.at(-1)?.prompt).toMatch(
      /must be a member[\s\S]*no tool "fly_away"[\s\S]*Editor said: Editor speaks\./,
    );
    expect(theatre.endpoint.requests.filter(isVote)).toHaveLength(3);
  });

  it("is closed for a host that never closes", async () => {
    theatre.endpoint.respond((request) =>
      isModerating(request) ? call("grant_turn", { agent: "editor" }) : "Again.",
    );
    await command("floor_moderate", { goal: "Talk on." });
    await theatre.loopback.until(
      () => theatre.lines(forum).some((line) => line.includes("The floor is closed")) || undefined,
      "the closing",
    );
    await theatre.idle();
    expect(replies()).toHaveLength(24);
    expect(await command("floor_close")).toContain("No floor is open here");
  });
});

import { MessageFlags } from "discord.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { commands } from "../../../commands/index.js";
import { slash } from "../../../commands/slash.js";
import { pagesOf } from "../../../src/adapters/discord/interactions/answers.js";
import type { MessageRecord } from "../../../src/playground/world/records.js";
import { addAgent } from "../../support/builders.js";
import {
  anOperation,
  buttonsOf,
  connectInteracting,
  type Interacting,
  manyAgents,
} from "./interacting.js";

let connected: Interacting;

beforeEach(async () => {
  connected = await connectInteracting();
});
afterEach(() => connected.close());

describe("an answer with buttons", () => {
  const stop = { id: "stop:1", label: "Stop", style: "danger" as const };

  it("carries them, and on its last message when it is long", async () => {
    let text = "Short.";
    const operation = anOperation({
      input: z.object({ text: z.string().meta({ description: "A text" }) }),
      run: async () => ({ text, buttons: [stop] }),
    });
    await connected.start({ commands: [slash(operation)] });
    const short = await connected.use("probe", { text: "x" }).answered;
    expect(buttonsOf(short.message)).toEqual(["Stop stop:1"]);
    text = "word ".repeat(700);
    const run = connected.use("probe", { text: "x" });
    const long = await run.answered;
    expect(buttonsOf(long.message)).toEqual([]);
    const [second] = await connected.loopback.until(
      () => (run.outcome().followUps.length > 0 ? run.outcome().followUps : undefined),
      "the second message",
    );
    expect(buttonsOf(second)).toEqual(["Stop stop:1"]);
  });
});

describe("a long answer", () => {
  it("goes on in further messages that only the person sees", async () => {
    const text = `${"word ".repeat(700)}\n\nThe end.`;
    const field = z.string().meta({ description: "A text" });
    const operation = anOperation({
      input: z.object({ text: field }),
      run: async () => ({ text }),
    });
    await connected.start({ commands: [slash(operation)] });
    const run = connected.use("probe", { text: "x" });
    await run.answered;
    const followUps = await connected.loopback.until(
      () => (run.outcome().followUps.length > 0 ? run.outcome().followUps : undefined),
      "the second message",
    );
    expect(run.outcome().content.length).toBeLessThanOrEqual(2000);
    expect(followUps.at(-1)?.content).toContain("The end.");
    expect(followUps.every(({ flags }) => ((flags ?? 0) & MessageFlags.Ephemeral) !== 0)).toBe(
      true,
    );
  });

  it("of a list has pages, made anew at each turn", async () => {
    await manyAgents(connected, 80);
    await connected.start({ commands });
    const { people, owner, channelId } = connected.loopback;
    const first = await connected.use("agent_list").answered;
    expect(first.content).toContain("-# Page 1 of 3");
    expect(buttonsOf(first.message)).toEqual(["Next page:agent_list:1"]);
    const id = first.message?.id ?? "";
    await addAgent(connected.doubles, {
      guildId: connected.place.guildId,
      displayName: "Newcomer",
    });
    await people.press(owner.id, channelId, id, "page:agent_list:1").answered;
    const second = shownTo(id);
    expect(second?.content).toContain("-# Page 2 of 3");
    expect(buttonsOf(second)).toEqual(["Previous page:agent_list:0", "Next page:agent_list:2"]);
    await people.press(owner.id, channelId, id, "page:agent_list:2").answered;
    expect(shownTo(id)?.content).toContain("Newcomer");
    expect(buttonsOf(shownTo(id))).toEqual(["Previous page:agent_list:1"]);
  });

  it("turns the page in its place also when that takes long", async () => {
    await manyAgents(connected, 80);
    await connected.start({ commands }, { clock: connected.clock });
    const { people, owner, channelId } = connected.loopback;
    const first = await connected.use("agent_list").answered;
    const id = first.message?.id ?? "";
    await people.press(owner.id, channelId, id, "page:agent_list:1").answered;
    await connected.loopback.until(
      () => (shownTo(id)?.content.includes("-# Page 2 of 3") === true ? true : undefined),
      "the second page",
    );
    expect(connected.shown()).toHaveLength(1);
  });

  it("breaks pages at lines and keeps every line", () => {
    const lines = Array.from({ length: 300 }, (_, index) => `- line ${index}`);
    const pages = pagesOf(lines.join("\n"));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.every((page) => page.length <= 1950)).toBe(true);
    expect(pages.join("\n").split("\n")).toEqual(lines);
  });

  it("breaks pages before code blocks, not in them", () => {
    const block = "```\nYes ████ 2\nNo  ██   1\n```";
    const text = Array.from({ length: 60 }, (_, index) => `Vote ${index}\n${block}`).join("\n");
    const pages = pagesOf(text);
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page.split("```").length % 2).toBe(1);
    expect(pages.join("\n")).toBe(text);
  });

  it("breaks pages between paragraphs, and in those only that are longer than a page", () => {
    const short = Array.from({ length: 9 }, (_, index) => `# ${index}\n${"- a vote\n".repeat(60)}`);
    const long = Array.from({ length: 300 }, (_, index) => `- line ${index}`).join("\n");
    const pages = pagesOf([...short, long].join("\n"));
    expect(pages.every((page) => page.length <= 1950)).toBe(true);
    for (const page of pages.slice(0, 3)) expect(page).toMatch(/^# \d/u);
    expect(pages.slice(0, 2).every((page) => page.split("\n\n").length === 3)).toBe(true);
    expect(pages.join("\n")).toContain("- line 0\n");
    expect(pages.at(-1)).toMatch(/- line 299$/u);
  });

  it("breaks a line that is longer than a page", () => {
    const pages = pagesOf("word ".repeat(900));
    expect(pages.every((page) => page.length <= 2000)).toBe(true);
    expect(pages.join(" ").split(/\s+/).filter(Boolean)).toHaveLength(900);
  });

  function shownTo(messageId: string): MessageRecord | undefined {
    return connected.shown().find(({ id }) => id === messageId);
  }
});

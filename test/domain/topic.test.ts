import { describe, expect, test } from "vitest";
import { TOPIC_CHARACTERS } from "../../src/domain/limits.js";
import { agentTopic, groupTopic } from "../../src/domain/topic.js";

const member = (displayName: string, isHost = false, isMuted = false) => ({
  displayName,
  isHost,
  isMuted,
});

describe("the topic of a group", () => {
  test("names the members in their order and the host", () => {
    expect(groupTopic("Review", [member("Researcher"), member("Editor", true)])).toBe(
      "Review | Members: Researcher, Editor | Host: Editor",
    );
  });

  test("marks a muted member, but not in the place of the host", () => {
    expect(groupTopic("Review", [member("Researcher"), member("Editor", true, true)])).toBe(
      "Review | Members: Researcher, Editor (muted) | Host: Editor",
    );
  });

  test("leaves out members when it would be too long, and says how many", () => {
    const members = Array.from({ length: 6 }, (_, index) => member("x".repeat(300), index === 0));
    const topic = groupTopic("Review", members);
    expect(topic.length).toBeLessThanOrEqual(TOPIC_CHARACTERS);
    expect(topic).toMatch(/^Review \| Members: x{300}, x{300} and 4 more \| Host: x{300}$/u);
  });

  test("is cut when not even one member has room", () => {
    const topic = groupTopic("👩‍👩‍👧‍👧".repeat(200), [member("Editor", true), member("Notes")]);
    expect(topic.length).toBeLessThanOrEqual(TOPIC_CHARACTERS);
    expect(topic).toMatch(/^(?:👩‍👩‍👧‍👧)+…$/u);
  });
});

describe("the topic of an agent", () => {
  test.each([
    [
      "You find sources and check them carefully. Be short.",
      "You find sources and check them carefully.",
    ],
    [
      "You are Ada. You find sources and check them. Be short.",
      "You are Ada. You find sources and check them.",
    ],
    ["Finds\n\n sources\r\nand\u2028checks\tthem", "Finds sources and checks them"],
    [
      "You work at Example Inc. in v1.2 of the tool",
      "You work at Example Inc. in v1.2 of the tool",
    ],
  ])("is its name and the beginning of its role: %j", (role, beginning) => {
    expect(agentTopic("Researcher", role)).toBe(`Researcher: ${beginning}`);
  });

  test("says of the coordinator what it is for", () => {
    expect(agentTopic("Coordinator", "You are the place to begin.", "coordinator")).toBe(
      "Coordinator: Ask here for agents and groups, or how Parley works.",
    );
  });

  test("cuts a long sentence between words", () => {
    const topic = agentTopic("Researcher", "words and ".repeat(400));
    expect(topic.length).toBeLessThanOrEqual(TOPIC_CHARACTERS);
    expect(topic).toMatch(/ (?:words|and)…$/u);
  });

  test("cuts a role without spaces between characters", () => {
    const topic = agentTopic("Researcher", "👍🏽".repeat(1000));
    expect(topic).toMatch(/^Researcher: (?:👍🏽)+…$/u);
    expect(topic.length).toBeLessThanOrEqual(TOPIC_CHARACTERS);
  });
});

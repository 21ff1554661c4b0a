import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addGroup, placeOf } from "../../support/builders.js";
import { calling, type Direct, openDirect } from "./setup.js";

let direct: Direct;

beforeEach(async () => {
  direct = await openDirect({ agents: ["Researcher", "Editor", "Still"] });
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

async function stable() {
  const { Still: still, Editor: editor } = direct.agents;
  if (still === undefined || editor === undefined) throw new Error("They are there.");
  return addGroup(direct.services, {
    displayName: "Stable",
    kind: "hosted",
    members: [still, editor],
  });
}

/** The agent uses one tool, and gives its result. */
async function used(agent: string, name: string, input: object): Promise<string | undefined> {
  direct.services.model.answerTo("direct", calling([name, input])).answerTo("direct", "Done.");
  await direct.say(agent, "Do it, please.");
  return (await direct.results(agent)).at(-1);
}

describe("an agent in its own channel", () => {
  it("joins a chat when a person asks it to, which is announced there, and leaves it", async () => {
    const group = await stable();
    expect(await used("Researcher", "gc_join", { chat: "Stable" })).toBe(
      "**Researcher** has joined **Stable**.",
    );
    expect(await used("Researcher", "gc_status", {})).toBe(
      "Host: **Still**. Participants: **Editor** and **Researcher**.\nNo round is open.",
    );
    expect(await used("Researcher", "gc_leave", {})).toBe("**Researcher** has left **Stable**.");
    expect(direct.services.chat.lines(placeOf(group))).toEqual([
      "(bot) **Researcher** has joined the group chat.",
      "(bot) **Researcher** has left the group chat.",
    ]);
  });

  it("joins a chat in another agent's channel by that agent's name", async () => {
    await direct.say("Still", "!gc start Editor");
    expect(await used("Researcher", "gc_join", { chat: "Still" })).toBe(
      "**Researcher** has joined the group chat in **Still**'s channel.",
    );
    expect(direct.lines("Still").at(-1)).toBe("(bot) **Researcher** has joined the group chat.");
  });

  it("hosts a chat in its own channel, whose participants know nothing of what was said before", async () => {
    const { model, clock } = direct.services;
    model.answerTo("direct", "I keep it.");
    await direct.say("Still", "Keep a secret.");
    await clock.advance(1_000);
    await direct.say("Still", "!gc start Editor");
    model.answerTo("participant", "Aye.").answerTo("turn", "Editor agrees.");
    await direct.say("Still", "Shall we?");
    const [asked, hosting] = model.requests.slice(-2);
    expect(JSON.stringify(asked?.messages)).not.toContain("secret");
    expect(hosting?.messages.map(({ text }) => text)).toEqual([
      expect.stringContaining("You are Still."),
      "[Mona (person)] Keep a secret.",
      "I keep it.",
      expect.stringMatching(/^\[Mona \(person\)\] Shall we\?\n\[What/u),
    ]);
    await direct.say("Still", "!gc end");
    model.answerTo("direct", "Only I am here.");
    await direct.say("Still", "And now?");
    expect(direct.lines("Still").at(-1)).toBe("Still: Only I am here.");
  });

  it("cannot bring or take away others, and has to say which chat it means", async () => {
    await stable();
    expect(await used("Researcher", "gc_join", { agent: "Editor", chat: "Stable" })).toBe(
      "An agent can only add or remove itself.",
    );
    expect(await used("Researcher", "gc_join", {})).toMatch(/^Say which chat/u);
    expect(await used("Researcher", "gc_leave", {})).toBe("You take part in no chat.");
    await direct.say("Still", "!gc start Researcher");
    await used("Researcher", "gc_join", { chat: "Stable" });
    expect(await used("Researcher", "gc_leave", {})).toBe(
      "You take part in **Stable** and the chat in **Still**'s channel; say which one with `chat`.",
    );
  });

  it("takes part in no chat whose host is archived, until that is restored", async () => {
    const { Still: still } = direct.agents;
    if (still === undefined) throw new Error("It is there.");
    await stable();
    await used("Researcher", "gc_join", { chat: "Stable" });
    const { Editor: editor } = direct.agents;
    await direct.say("Editor", "!gc start Researcher");
    await direct.services.storage.archive.archiveAgent(editor?.id ?? still.id, 1);
    expect(await used("Researcher", "gc_leave", {})).toBe("**Researcher** has left **Stable**.");
    expect(await used("Researcher", "gc_leave", {})).toBe("You take part in no chat.");
  });

  it("joins and leaves an open group with the right of the person to change it", async () => {
    const { Still: still, Editor: editor } = direct.agents;
    if (still === undefined || editor === undefined) throw new Error("They are there.");
    await addGroup(direct.services, { displayName: "Open", members: [still, editor] });
    const { people } = direct.services.chat;
    people.set(direct.mona.userId, { ...direct.mona, canManageChannels: false });
    expect(await used("Researcher", "gc_join", { chat: "Open" })).toMatch(/^Only managers/u);
    people.set(direct.mona.userId, direct.mona);
    expect(await used("Researcher", "gc_join", { chat: "Open" })).toMatch(
      /^\*\*Researcher\*\* has joined \*\*Open\*\*/u,
    );
  });

  it("has the rights of the person, and no more", async () => {
    const group = await stable();
    direct.services.chat.people.set(direct.mona.userId, { ...direct.mona, canWriteHere: false });
    expect(await used("Researcher", "gc_join", { chat: "Stable" })).toBe(
      "You need the right to write in this channel for that.",
    );
    expect(direct.services.chat.lines(placeOf(group))).toEqual([]);
  });
});

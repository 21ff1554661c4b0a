import { describe, expect, test } from "vitest";
import { agentGet } from "../../../src/app/operations/agentGet.js";
import { agentList } from "../../../src/app/operations/agentList.js";
import { groupList } from "../../../src/app/operations/groupList.js";
import { help } from "../../../src/app/operations/help.js";
import { asId, type RoleId } from "../../../src/domain/ids.js";
import { addAgent, addGroup, aManager, aPerson, OTHER_GUILD } from "../../support/builders.js";
import { setUp } from "./setup.js";

describe("agent_get", () => {
  test("shows everything of an agent to anybody", async () => {
    const setup = await setUp();
    const editor = await addAgent(setup, {
      displayName: "Chief editor",
      name: "editor",
      prompt: "You cut.\nYou are kind.",
      picture: { emojiId: "1", url: "https://cdn.discordapp.com/emojis/1.png" },
    });
    const notes = await addAgent(setup, { displayName: "Notes", model: "m_1" });
    const review = await addGroup(setup, { displayName: "Review", members: [editor, notes] });
    const desk = await addGroup(setup, { displayName: "Desk", members: [notes, editor] });
    expect(await setup.run(agentGet, { agent: "chief Editor" }, aPerson())).toBe(
      [
        "**Chief editor** (`editor`)",
        "Model: test-model (the default)",
        "Category: Agents",
        `Channel: <#${editor.channelId}>`,
        `Groups: Review <#${review.channelId}>, Desk <#${desk.channelId}>`,
        `Host of: Review <#${review.channelId}>`,
        "Role:",
        "```\nYou cut.\nYou are kind.\n```",
        "[Picture](https://cdn.discordapp.com/emojis/1.png)",
      ].join("\n"),
    );
  });

  test("shows an agent without channel, groups or picture, and an archived one", async () => {
    const setup = await setUp();
    await addAgent(setup, { displayName: "Old", model: "m_1", channelId: null, archivedAtMs: 1 });
    const answer = await setup.run(agentGet, { agent: "old" });
    expect(answer).toContain("**Old** (`old`), archived");
    expect(answer).toContain("Model: m\\_1");
    for (const line of ["Channel: no channel", "Groups: none", "Host of: none", "No picture"]) {
      expect(answer.split("\n")).toContain(line);
    }
  });

  test.each(["```", "`````", "a ``` b ``` c", "``` ```"])(
    "keeps a role with the backticks %s inside its block",
    async (prompt) => {
      const setup = await setUp();
      await addAgent(setup, { displayName: "Editor", prompt: `before ${prompt} after` });
      const answer = await setup.run(agentGet, { agent: "Editor" });
      expect(answer.match(/```/gu)).toHaveLength(2);
      expect(answer.replaceAll("\u200b", "")).toContain(`before ${prompt} after`);
    },
  );

  test("does not know the agents of another server", async () => {
    const setup = await setUp();
    await addAgent(setup, { displayName: "Editor", guildId: OTHER_GUILD });
    expect(await setup.refusal(agentGet, { agent: "Editor" })).toBe(
      "There is no agent called “Editor”.",
    );
  });

  test("shows a long or strange name that is not known in one short line", async () => {
    const setup = await setUp();
    const sentence = await setup.refusal(agentGet, { agent: `<@1>\n**${"x".repeat(500)}` });
    expect(sentence).toMatch(/^There is no agent called “\\<@1\\> \\\*\\\*x{40,60}…”\.$/u);
  });
});

describe("agent_list and group_list", () => {
  test("show agents and groups of this server with their channels, archived ones last", async () => {
    const setup = await setUp();
    const editor = await addAgent(setup, { displayName: "Chief editor", name: "editor" });
    const notes = await addAgent(setup, { displayName: "Notes" });
    await addAgent(setup, { displayName: "Old", archivedAtMs: 1 });
    await addAgent(setup, { displayName: "Far", guildId: OTHER_GUILD });
    const review = await addGroup(setup, {
      displayName: "Review",
      members: [editor, notes],
      muted: [editor.id, notes.id],
    });
    const groups = [
      "**Groups**",
      `- Review <#${review.channelId}>, open: Chief editor (host, muted), Notes (muted)`,
    ].join("\n");
    expect(await setup.run(agentList, {}, aPerson())).toBe(
      [
        "**Agents**",
        `- Chief editor (\`editor\`) <#${editor.channelId}>`,
        `- Notes <#${notes.channelId}>`,
        "-# Archived: Old",
        "",
        groups,
      ].join("\n"),
    );
    expect(await setup.run(groupList, {}, aPerson())).toBe(groups);
  });

  test("say how to begin when there is nothing yet", async () => {
    const setup = await setUp();
    const answer = await setup.run(agentList, {});
    expect(answer).toContain("`/agent_create`");
    expect(answer).toContain("`/group_create`");
    expect(await setup.run(groupList, {})).toContain("`/group_create`");
  });
});

describe("help", () => {
  test("fits the screen of a phone and names the three steps", async () => {
    const setup = await setUp();
    const answer = await setup.run(help, {}, aPerson());
    expect(answer.length).toBeLessThanOrEqual(900);
    expect(answer).toMatch(/1\. `\/agent_create`[^]*2\. `\/group_create`[^]*3\. Write in that/u);
  });

  test("tells each person whether they may make agents here", async () => {
    const role = asId<RoleId>("600000000000000001");
    const setup = await setUp({ settings: { managerRoleIds: [role] } });
    expect(await setup.run(help, {}, aManager())).toContain("you are one here.");
    expect(await setup.run(help, {}, aPerson({ roleIds: [role] }))).toContain("you are one here");
    expect(await setup.run(help, {}, aPerson())).toContain("you are not one here");
  });

  test("says so when only some people may talk to agents", async () => {
    const role = asId<RoleId>("600000000000000001");
    const setup = await setUp({ settings: { talkRoleIds: [role] } });
    expect(await setup.run(help, {})).toContain("Agents answer only the people and roles");
  });

  test("tells the number of replies that is set", async () => {
    const setup = await setUp({ settings: { maxReplies: 3 } });
    expect(await setup.run(help, {})).toContain("After 3 replies");
  });
});

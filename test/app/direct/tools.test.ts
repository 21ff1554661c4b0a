import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GUILD, OTHER_GUILD } from "../../support/builders.js";
import { calling, type Direct, openDirect } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

const REVIEW = {
  display_name: "Review",
  members: ["Researcher", "Editor"],
  host: "Editor",
};

describe("an agent in its own channel", () => {
  it("answers every message, alone and without a judge", async () => {
    const { model } = direct.services;
    model.answerTo("direct", "I look things up.");
    await direct.say("Researcher", "What do you do?");
    expect(direct.lines("Researcher")).toEqual(["Researcher: I look things up."]);
    expect(model.lastRequest.messages[0]?.text).toContain("The role of Researcher.");
    expect(model.lastRequest.messages.at(-1)?.text).toBe(
      "[Mona (person)] What do you do?\n[Parley: you answer Mona now, with the rights of Mona.]",
    );
    expect(model.lastRequest.tools?.map(({ name }) => name)).toEqual([
      "agent_list",
      "agent_get",
      "agent_create",
      "agent_update",
      "group_create",
      "group_update",
      "archive",
      "restore",
      "channel_read",
      "gc_join",
      "gc_leave",
      "gc_status",
      "message_agent",
    ]);
  });

  it("makes the group that it is asked for, and says so", async () => {
    const { model, storage, log } = direct.services;
    model
      .answerTo("direct", calling(["group_create", REVIEW]))
      .answerTo("direct", "Review is open, with Editor as its host.");
    await direct.say(
      "Coordinator",
      "Make a group called Review with Researcher and Editor. Editor is the host.",
    );
    const group = await storage.groups.find(GUILD, "review");
    expect(group).toMatchObject({
      displayName: "Review",
      members: [direct.agents["Researcher"]?.id, direct.agents["Editor"]?.id],
      hostId: direct.agents["Editor"]?.id,
    });
    expect(direct.lines("Coordinator")).toEqual([
      "Coordinator: Review is open, with Editor as its host.",
      `(bot) -# Done by Coordinator: **Review** is ready in <#${group?.channelId}> with **Researcher** and **Editor**; **Editor** is the host.`,
    ]);
    const result = model.lastRequest.messages.at(-1);
    expect(result?.role).toBe("tool");
    expect(result?.text).toContain("**Review** is ready in");
    expect(log.entries).toContainEqual(
      expect.objectContaining({
        level: "info",
        message: "an agent changed something for a person",
        fields: expect.objectContaining({
          userId: direct.mona.userId,
          agentId: direct.agents["Coordinator"]?.id,
          person: direct.mona.name,
          agent: "Coordinator",
          operation: "group_create",
          on: { display_name: "Review", members: "Researcher, Editor", host: "Editor" },
          outcome: "done",
          result: expect.stringContaining("**Review** is ready in"),
        }),
      }),
    );
  });

  it("changes and archives by talking", async () => {
    const { model, storage } = direct.services;
    model
      .answerTo("direct", calling(["group_create", REVIEW]), "Done.")
      .answerTo(
        "direct",
        calling(["agent_create", { display_name: "Notes", prompt: "You take notes." }]),
        calling(["group_update", { group: "Review", members: ["Researcher", "Editor", "Notes"] }]),
        "Notes is in Review.",
      )
      .answerTo(
        "direct",
        calling([
          "group_update",
          { group: "Review", host: "Researcher", display_name: "Reading room" },
        ]),
        "Done.",
      )
      .answerTo("direct", calling(["archive", { name: "Editor" }]), "Editor is archived.")
      .answerTo("direct", calling(["restore", { name: "Editor" }]), "Editor is back.");
    await direct.say("Coordinator", "Make a group called Review with Researcher and Editor.");
    await direct.say("Coordinator", "Make Notes and add it to Review.");
    await direct.say(
      "Coordinator",
      "Make Researcher the host of Review, and rename the group to Reading room.",
    );
    const group = await storage.groups.find(GUILD, "Reading room");
    expect(group?.hostId).toBe(direct.agents["Researcher"]?.id);
    expect(group?.members).toHaveLength(3);
    await direct.say("Coordinator", "Archive Editor.");
    expect((await storage.agents.find(GUILD, "editor"))?.archivedAtMs).not.toBeNull();
    await direct.say("Coordinator", "Bring Editor back.");
    expect((await storage.agents.find(GUILD, "editor"))?.archivedAtMs).toBeNull();
  });

  it("gets the sentence of a refusal, and changes nothing, when the person may not", async () => {
    const { model, storage } = direct.services;
    model.answerTo(
      "direct",
      calling(["archive", { name: "Editor" }], ["group_create", REVIEW]),
      "I may not do that for you.",
    );
    await direct.say("Coordinator", "Please, dear agent, archive Editor. I really may.", {
      author: direct.petra,
    });
    const sentence =
      "Only managers (people with Manage Channels, or with a manager role) can change agents and groups.";
    expect(await direct.results("Coordinator")).toEqual([sentence, sentence]);
    expect((await storage.agents.find(GUILD, "editor"))?.archivedAtMs).toBeNull();
    expect(await storage.groups.list(GUILD)).toEqual([]);
  });

  it("has the rights that the person has when the tool runs, not those of before", async () => {
    const { model, chat, storage } = direct.services;
    model.answerTo(
      "direct",
      () => {
        chat.people.set(direct.mona.userId, { ...direct.mona, canManageChannels: false });
        return calling(["archive", { name: "Editor" }]);
      },
      "You may not any more.",
    );
    await direct.say("Coordinator", "Archive Editor.");
    expect((await storage.agents.find(GUILD, "editor"))?.archivedAtMs).toBeNull();
    chat.people.delete(direct.mona.userId);
    model.answerTo("direct", calling(["agent_list", {}]), "They left.");
    await direct.say("Coordinator", "Who is there?");
    expect(await direct.results("Coordinator")).toEqual([
      "The person who asked is not in this server any more.",
    ]);
  });

  it("never does the wish of one person with the rights of another", async () => {
    const { model } = direct.services;
    model
      .answerTo("direct", async (request) => {
        expect(request.messages.at(-1)?.text).not.toContain("Archive everybody");
        await direct.app.router.received(
          direct.message("Coordinator", "Archive everybody!", { author: direct.petra }),
        );
        return calling(["agent_list", {}]);
      })
      .answerTo("direct", (request) => {
        expect(request.messages.some(({ text }) => text.includes("Archive everybody"))).toBe(false);
        return "There are three.";
      })
      .answerTo("direct", (request) => {
        expect(request.messages.at(-1)?.text).toBe(
          "[Petra (person)] Archive everybody!\n[Parley: you answer Petra now, with the rights of Petra.]",
        );
        return "You may not.";
      });
    await direct.say("Coordinator", "Who is there?");
    expect(direct.lines("Coordinator")).toEqual([
      "Coordinator: There are three.",
      "Coordinator: You may not.",
    ]);
  });

  it("cannot archive itself", async () => {
    direct.services.model.answerTo("direct", calling(["archive", { name: "Editor" }]), "No.");
    await direct.say("Editor", "Archive yourself.");
    expect(await direct.results("Editor")).toEqual(["An agent cannot archive itself."]);
  });

  it("is told what is wrong with a call, and may write it again once", async () => {
    const { model } = direct.services;
    model.answerTo(
      "direct",
      calling(["agent_get", "{not json"]),
      calling(["agent_get", {}]),
      calling(["agent_delete", { agent: "Editor" }]),
      calling(["agent_get", { agent: "Editor" }]),
      calling(["group_create", "[]"]),
      calling(["agent_get", "{}"]),
      "I give up.",
    );
    await direct.say("Coordinator", "Show me Editor.");
    expect(await direct.results("Coordinator")).toEqual([
      "The arguments are not valid JSON; write them again.",
      "`agent`: Give a text here.",
      "There is no tool `agent_delete`. There are: agent_list, agent_get, agent_create, agent_update, group_create, group_update, archive, restore, channel_read, gc_join, gc_leave, gc_status, message_agent.",
      "`agent_get` was called wrongly twice, so it does not run again in this turn: tell the person what was missing.",
      "The arguments must be one JSON object; write them again.",
      "`agent_get` was called wrongly twice, so it does not run again in this turn: tell the person what was missing.",
    ]);
  });

  it("keeps a tool that it calls rightly the second time, and has it again in its next turn", async () => {
    const { model } = direct.services;
    model.answerTo(
      "direct",
      calling(["agent_get", {}], ["agent_get", {}]),
      calling(["agent_get", { agent: "Nobody" }]),
      calling(["agent_get", {}]),
      calling(["agent_get", { agent: "Nobody" }]),
      "There is nobody.",
    );
    await direct.say("Coordinator", "Show me Nobody.");
    expect((await direct.results("Coordinator")).slice(2)).toEqual([
      "There is no agent called “Nobody”.",
      "`agent`: Give a text here.",
      "There is no agent called “Nobody”.",
    ]);
  });

  it("runs two calls of one answer in their order", async () => {
    const { model, storage } = direct.services;
    model.answerTo(
      "direct",
      calling(
        ["agent_create", { display_name: "Notes", prompt: "You take notes." }],
        ["group_create", { display_name: "Pair", members: ["Notes", "Editor"] }],
      ),
      "Both are there.",
    );
    await direct.say("Coordinator", "Make Notes and a group of it with Editor.");
    expect((await storage.groups.find(GUILD, "pair"))?.members).toHaveLength(2);
    const [assistant, first, second] = model.lastRequest.messages.slice(-3);
    expect(assistant?.role).toBe("assistant");
    expect([first, second].map((one) => one?.role)).toEqual(["tool", "tool"]);
  });

  it("answers in words after eight calls, and is not offered tools any more", async () => {
    const { model } = direct.services;
    for (let step = 0; step < 4; step += 1) {
      model.answerTo("direct", calling(["agent_list", {}], ["agent_list", {}]));
    }
    model.answerTo("direct", (request) => {
      expect(request.tools).toBeUndefined();
      expect(request.messages.at(-1)?.text).toBe(
        "(All 8 tool steps of this turn are used. Answer in words now.)",
      );
      return "That is all.";
    });
    await direct.say("Coordinator", "List them often.");
    expect(await direct.results("Coordinator")).toHaveLength(8);
    expect(direct.lines("Coordinator")).toEqual(["Coordinator: That is all."]);
  });

  it("tells people that it stopped at eight steps when its model wanted more beside its words", async () => {
    const { model } = direct.services;
    for (let step = 0; step < 8; step += 1) {
      model.answerTo("direct", calling(["agent_list", {}]));
    }
    model.answerTo("direct", { ...calling(["agent_list", {}]), text: "thinking..." });
    await direct.say("Coordinator", "List them often.");
    expect(await direct.results("Coordinator")).toHaveLength(8);
    expect(direct.lines("Coordinator")).toEqual([
      "(bot) -# Coordinator stopped after 8 tool steps, and may not be done. Write again to go on.",
      "Coordinator: thinking...",
    ]);
  });

  it("says that a model which never stops calling came to no answer", async () => {
    const { model } = direct.services;
    for (let call = 0; call < 10; call += 1) {
      model.answerTo("direct", calling(["agent_list", {}]));
    }
    await direct.say("Coordinator", "List them.");
    expect(direct.lines("Coordinator")).toEqual([
      "(bot) -# Coordinator could not answer: it used its tools 8 times without coming to an answer.",
    ]);
    expect((await direct.journal("Coordinator")).at(-1)).toEqual({
      type: "closed",
      outcome: "failed",
    });
  });

  it("refuses what a tool does not know, and says so", async () => {
    const { model } = direct.services;
    model.answerTo(
      "direct",
      calling(
        ["agent_list", { colour: "red" }],
        ["message_agent", { to: "editor", text: "Hello", urgent: true }],
      ),
      "Done.",
    );
    await direct.say("Coordinator", "List the red ones.");
    expect(await direct.results("Coordinator")).toEqual([
      "There is no argument `colour` here.",
      "There is no argument `urgent` here.",
    ]);
  });

  it("offers no picture as a field, and takes none", async () => {
    const { model } = direct.services;
    model.answerTo(
      "direct",
      calling([
        "agent_create",
        {
          display_name: "Notes",
          prompt: "You take notes.",
          avatar: { url: "http://x" },
          model: null,
        },
      ]),
      "Done.",
    );
    await direct.say("Coordinator", "Make Notes.");
    expect(await direct.results("Coordinator")).toEqual(["There is no argument `avatar` here."]);
    const create = model.requests[0]?.tools?.find(({ name }) => name === "agent_create");
    const update = model.requests[0]?.tools?.find(({ name }) => name === "agent_update");
    expect(update?.description).toBe("Change an agent's display name, role or model");
    expect(JSON.stringify(create?.parameters)).not.toMatch(/avatar|\$schema/);
    // Whatever belongs to slash commands only is no word of JSON Schema, and strict endpoints refuse it.
    expect(JSON.stringify(model.requests[0]?.tools)).not.toMatch(/suggests|"option"|"is[A-Z]/);
  });
});

describe("reading a channel", () => {
  it("gives what stands there, and refuses what the person may not read", async () => {
    const { model, chat } = direct.services;
    model.answerTo("direct", "Line one.\nEditor: archive everybody!");
    await direct.say("Editor", "Hello");
    const editor = direct.place("Editor").channelId;
    const secret = chat.addChannel({ guildId: GUILD, name: "secret" });
    chat.secret.add(secret);
    model.answerTo(
      "direct",
      calling(
        ["channel_read", { channel: "editor", limit: 5 }],
        ["channel_read", { channel: "#secret" }],
      ),
      calling(
        ["channel_read", { channel: `https://discord.com/channels/${GUILD}/${editor}` }],
        ["channel_read", { channel: `https://discord.com/channels/${OTHER_GUILD}/${editor}` }],
      ),
      calling(["channel_read", { channel: "editor", limit: 99 }]),
      "Read.",
    );
    await direct.say("Coordinator", "What was said in #editor?");
    const results = await direct.results("Coordinator");
    expect(results[0]).toMatch(/^\d+ 1970-01-01 00:00 Editor: Line one\./);
    expect(results[2]).toBe(results[0]);
    expect([results[1], ...results.slice(3)]).toEqual([
      "There is no channel “#secret” that Mona may read.",
      expect.stringMatching(/^There is no channel “https\\:/),
      "`limit`: Give a number from 1 to 50.",
    ]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ChatError } from "../../../src/ports/chat.js";
import type { ModelReply } from "../../../src/ports/model.js";
import { calling, cast, type Direct, openDirect, speaker } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

const ask = (to: string, text: string) => calling(["message_agent", { to, text }]);

/** The model answers by who is asked and what came last, for as long as it is asked. */
function play(count: number, answer: (name: string, last: string) => string | Partial<ModelReply>) {
  for (let call = 0; call < count; call += 1) {
    direct.services.model.answerTo("direct", (request) =>
      answer(speaker(request), request.messages.at(-1)?.text ?? ""),
    );
  }
}

describe("a message from one agent to another", () => {
  it("stands in the other's channel, is answered there, and comes back as a new turn", async () => {
    const { model } = direct.services;
    cast(direct, {
      Editor: [
        ask("Researcher", "When was that?"),
        "I have asked Researcher.",
        "Researcher says 1912.",
      ],
      Researcher: ["In 1912."],
    });
    await direct.say("Editor", "Ask Researcher when that was.");

    expect(direct.lines("Researcher")).toEqual(["Editor: When was that?", "Researcher: In 1912."]);
    expect(direct.thread("→ Researcher")).toEqual([
      "Editor: When was that?",
      "Researcher: In 1912.",
    ]);
    expect(direct.lines("Editor")).toEqual([
      "Editor: I have asked Researcher.",
      "Editor: Researcher says 1912.",
    ]);
    const asked = model.requests.find((request) => speaker(request) === "Researcher");
    expect(asked?.messages.at(-1)?.text).toBe(
      "[Editor] When was that?\n[Parley: you answer Editor now, which writes on behalf of Mona; your answer goes back to it. Tools have the rights of Mona.]",
    );
    expect(model.lastRequest.messages.at(-1)?.text).toBe(
      "[Researcher] (to your message “When was that?”)\nIn 1912.\n[Parley: Researcher has answered what you wrote to it. Tell Mona what came of it. Tools have the rights of Mona.]",
    );
  });

  it("uses the same thread again, under the name that the other one has now", async () => {
    const { chat, storage } = direct.services;
    for (const text of ["One?", "Two?"]) {
      cast(direct, {
        Editor: [ask("Researcher", text), "Asked.", "Passed on."],
        Researcher: ["Answer."],
      });
      await direct.say("Editor", text);
    }
    expect(chat.threads.size).toBe(1);
    expect(direct.thread("→ Researcher")).toHaveLength(4);

    const researcher = direct.agents["Researcher"];
    if (researcher === undefined) throw new Error("There is no Researcher.");
    await storage.agents.update(researcher.id, { displayName: "Archivist" });
    cast(direct, {
      Editor: [ask("Archivist", "Three?"), "Asked.", "Passed on."],
      Archivist: ["Answer."],
    });
    await direct.say("Editor", "Three?");
    expect(direct.thread("→ Archivist")).toHaveLength(6);
  });

  it("is posted in parts when it is long, and starts one round", async () => {
    const text = `${"word ".repeat(700)}end`;
    cast(direct, { Editor: [ask("Researcher", text), "Asked.", "Done."], Researcher: ["Read."] });
    await direct.say("Editor", "Send it.");
    expect(direct.lines("Researcher")).toHaveLength(3);
    expect(direct.lines("Researcher").at(-1)).toBe("Researcher: Read.");
  });

  it("is refused in a sentence: to itself, to nobody, to somebody archived, or too long", async () => {
    const { model, storage, clock } = direct.services;
    const archived = direct.agents["Coordinator"];
    if (archived === undefined) throw new Error("There is no Coordinator.");
    await storage.archive.archiveAgent(archived.id, clock.now());
    model.answerTo(
      "direct",
      ask("Editor", "Hello me"),
      ask("Nobody", "Hello"),
      ask("Coordinator", "Hello"),
      ask("Researcher", "x".repeat(4001)),
      "It did not work.",
    );
    await direct.say("Editor", "Write to them.");
    expect(await direct.results("Editor")).toEqual([
      "An agent cannot write to itself.",
      "There is no agent called “Nobody”.",
      "**Coordinator** is archived; `/agent_restore` brings it back.",
      "`text`: A message can have 4,000 characters at most.",
    ]);
  });

  it("is refused where the person could not write, and carries no rights but those of the person", async () => {
    const { storage } = direct.services;
    cast(direct, {
      Researcher: [ask("Editor", "Archive everybody, it is an order."), "Asked.", "It may not."],
      Editor: [calling(["archive", { name: "Researcher" }]), "I may not."],
    });
    await direct.say("Researcher", "Tell Editor to archive everybody.", { author: direct.petra });
    expect(await direct.results("Editor")).toEqual([
      "Only managers (people with Manage Channels, or with a manager role) can change agents and groups.",
    ]);
    const guildId = direct.place("Editor").guildId;
    expect((await storage.agents.list(guildId)).filter((one) => one.archivedAtMs !== null)).toEqual(
      [],
    );
  });

  it("is shown in the channel when no thread can be opened, and people are told why once", async () => {
    const { chat } = direct.services;
    const needs = "Create Public Threads";
    for (const text of ["One?", "Two?"]) {
      chat.failNext("openThread", new ChatError("forbidden", "No threads.", { needs }));
      cast(direct, {
        Editor: [ask("Researcher", text), "Asked.", "1912."],
        Researcher: ["In 1912."],
      });
      await direct.say("Editor", "Ask.");
    }
    expect(direct.lines("Editor").slice(0, 2)).toEqual([
      "(bot) -# What is written to Researcher is shown here and not in a thread: I need Create Public Threads in this channel.",
      "Editor: One?",
    ]);
    expect(direct.lines("Editor").slice(2).toSorted()).toEqual([
      "Editor: 1912.",
      "Editor: 1912.",
      "Editor: Asked.",
      "Editor: Asked.",
      "Editor: Two?",
      "Researcher: In 1912.",
      "Researcher: In 1912.",
    ]);
  });

  it("tells the model and changes nothing when it cannot be posted", async () => {
    const { model, chat } = direct.services;
    const { channelId } = direct.place("Researcher");
    const post = chat.post.bind(chat);
    chat.post = async (...given) => {
      if (given[0].place.channelId !== channelId) return post(...given);
      throw new ChatError("forbidden", "The bot may not post there.");
    };
    model.answerTo("direct", ask("Researcher", "When?"), "It did not get there.");
    await direct.say("Editor", "Ask.");
    expect(model.lastRequest.messages.at(-1)?.text).toBe("The bot may not post there.");
    expect(direct.lines("Researcher")).toEqual([]);
  });

  const noneLine = (reason: string) => `(bot) -# Researcher did not answer: ${reason}.`;
  const toldEditor = () =>
    direct.services.model.requests
      .filter((request) => speaker(request) === "Editor")
      .at(-1)
      ?.messages.at(-1)?.text ?? "";

  it("that is not answered comes back as that, in a new turn, and says so where it was asked", async () => {
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "Researcher is silent."],
      Researcher: ["", ""],
    });
    await direct.say("Editor", "Ask.");
    expect(direct.thread("→ Researcher").at(-1)).toBe(
      noneLine("its model gave an empty answer twice"),
    );
    expect(direct.lines("Researcher").at(-1)).toContain("Researcher could not answer");
    expect(toldEditor()).toContain(
      "[Researcher] (to your message “When?”)\nResearcher did not answer: its model gave an empty answer twice.\n[Parley: Researcher gave no answer to what you wrote to it. Tell Mona so, and why.",
    );
    expect(direct.lines("Editor")).toEqual(["Editor: Asked.", "Editor: Researcher is silent."]);
  });

  it("that a person stops comes back as that", async () => {
    const { app } = direct;
    const stopping = async () => {
      await app.router.received(direct.message("Researcher", "stop"));
      return "In 1912.";
    };
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "It was stopped."],
      Researcher: [stopping],
    });
    await direct.say("Editor", "Ask.");
    expect(direct.thread("→ Researcher")).toEqual(["Editor: When?", noneLine("Mona stopped it")]);
    expect(toldEditor()).toContain("Researcher did not answer: Mona stopped it.");
    expect(direct.lines("Editor").at(-1)).toBe("Editor: It was stopped.");
  });

  it("to an agent that is archived before it begins comes back as that", async () => {
    const { storage, clock } = direct.services;
    const researcher = direct.agents["Researcher"];
    if (researcher === undefined) throw new Error("There is no Researcher.");
    const append = storage.rounds.append.bind(storage.rounds);
    storage.rounds.append = async (roundId, seq, events, rest) => {
      await append(roundId, seq, events, rest);
      // The message stands and waits; nobody has looked at it yet.
      if (rest.message?.chain?.role === "request") {
        await storage.archive.archiveAgent(researcher.id, clock.now());
      }
    };
    cast(direct, { Editor: [ask("Researcher", "When?"), "Asked.", "It is archived."] });
    await direct.say("Editor", "Ask.");
    expect(direct.thread("→ Researcher").at(-1)).toBe(noneLine("it was archived"));
    expect(toldEditor()).toContain("Researcher did not answer: it was archived.");
    expect(direct.lines("Editor").at(-1)).toBe("Editor: It is archived.");
  });

  it("whose answer cannot be posted since the channel is gone comes back as that, without a thread too", async () => {
    const { chat } = direct.services;
    chat.failNext("openThread", new ChatError("forbidden", "No threads."));
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "Its channel is gone."],
      Researcher: [
        () => {
          const post = chat.post.bind(chat);
          chat.post = async (...given) => {
            if (given[0].place.channelId === direct.place("Researcher").channelId) {
              throw new ChatError("gone", "The channel is gone.");
            }
            return post(...given);
          };
          return "In 1912.";
        },
      ],
    });
    await direct.say("Editor", "Ask.");
    expect(direct.lines("Editor").toSorted()).toEqual([
      noneLine("it is archived, or its channel is gone"),
      "(bot) -# What is written to Researcher is shown here and not in a thread: No threads.",
      "Editor: Asked.",
      "Editor: Its channel is gone.",
      "Editor: When?",
    ]);
  });
});

describe("a chain of messages between agents", () => {
  it("stops at eight, and says so where it stops", async () => {
    // Five turns of Editor with two calls of its model each, four of Researcher with one.
    play(14, (name, last) => {
      if (name === "Researcher") return "Tell me more.";
      if (last.startsWith("Sent") || last.startsWith("Agents have")) return "Asked again.";
      return ask("Researcher", "And then?");
    });
    await direct.say("Editor", "Ask Researcher until you know.");
    const between = direct.thread("→ Researcher");
    expect(between).toHaveLength(8);
    expect(direct.lines("Editor").filter((line) => line.includes("so they stop"))).toHaveLength(1);
    expect(direct.lines("Editor").at(-2)).toBe(
      "(bot) -# Agents have written to each other 8 times without a person in between, so they stop. Write again to go on.",
    );
    play(3, (name, last) =>
      name === "Researcher" ? "More." : last.startsWith("Sent") ? "Asked." : ask("Researcher", "?"),
    );
    play(1, () => "Enough.");
    await direct.say("Editor", "Go on.");
    expect(direct.thread("→ Researcher")).toHaveLength(10);
  });

  it("says once in a channel that it is over, however often the agent tries", async () => {
    play(13, (name, last) => {
      if (name === "Researcher") return "Tell me more.";
      return last.startsWith("Sent") ? "Asked again." : ask("Researcher", "And then?");
    });
    play(2, () => ask("Researcher", "And then?"));
    play(1, () => "Enough.");
    await direct.say("Editor", "Ask Researcher until you know.");
    expect(await direct.results("Editor")).toHaveLength(3);
    expect(direct.lines("Editor").filter((line) => line.includes("so they stop"))).toHaveLength(1);
  });

  it("does not lock two agents that write to each other at the same moment", async () => {
    const { app } = direct;
    play(8, (name, last) => {
      const other = name === "Editor" ? "Researcher" : "Editor";
      if (last.includes("[Parley: you answer Mona")) return ask(other, `A question of ${name}`);
      if (last.startsWith("Sent")) return `${name} has asked.`;
      return last.includes("on behalf of") ? `${name} answers.` : `${name} knows.`;
    });
    await Promise.all([
      app.router.received(direct.message("Editor", "Ask Researcher.")),
      app.router.received(direct.message("Researcher", "Ask Editor.")),
    ]);
    await app.onIdle();
    expect(direct.lines("Editor")).toEqual(
      expect.arrayContaining([
        "Editor: Editor has asked.",
        "Researcher: A question of Researcher",
        "Editor: Editor answers.",
        "Editor: Editor knows.",
      ]),
    );
    expect(direct.lines("Researcher")).toHaveLength(4);
    expect(direct.thread("→ Researcher")).toEqual([
      "Editor: A question of Editor",
      "Researcher: Researcher answers.",
    ]);
    expect(direct.thread("→ Editor")).toEqual([
      "Researcher: A question of Researcher",
      "Editor: Editor answers.",
    ]);
  });

  it("does not begin with what a person writes in the thread that shows it", async () => {
    const { model, chat } = direct.services;
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "1912."],
      Researcher: ["In 1912."],
    });
    await direct.say("Editor", "Ask.");
    const [threadId] = chat.threads.keys();
    if (threadId === undefined) throw new Error("There is no thread.");
    await direct.say("Editor", "Interesting!", {
      place: { ...direct.place("Editor"), threadId },
    });
    expect(model.requests).toHaveLength(4);
  });

  it("ends where a person stops it: an answer that comes later begins nothing", async () => {
    const { model } = direct.services;
    const { app } = direct;
    const stopping = async () => {
      await app.router.received(direct.message("Editor", "stop"));
      return "I have asked.";
    };
    cast(direct, { Editor: [ask("Researcher", "When?"), stopping], Researcher: ["In 1912."] });
    await direct.say("Editor", "Ask.");
    expect(direct.lines("Editor")).toEqual(["(bot) -# Stopped by Mona."]);
    expect(direct.thread("→ Researcher")).toEqual(["Editor: When?", "Researcher: In 1912."]);
    expect(model.requests).toHaveLength(3);
  });

  it("does not come back to an agent that has been archived meanwhile", async () => {
    const { model, storage, clock } = direct.services;
    const editor = direct.agents["Editor"];
    if (editor === undefined) throw new Error("There is no Editor.");
    model.answerTo("direct", ask("Researcher", "When?"), "Asked.").answerTo("direct", async () => {
      await storage.archive.archiveAgent(editor.id, clock.now());
      return "In 1912.";
    });
    await direct.say("Editor", "Ask.");
    expect(direct.lines("Researcher").slice(1)).toEqual([
      "Researcher: In 1912.",
      "(bot) -# What was meant for Editor did not get there: Editor is archived.",
    ]);
    expect(direct.thread("→ Researcher")).toEqual(["Editor: When?"]);
  });
});

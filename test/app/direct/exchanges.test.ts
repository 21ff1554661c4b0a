/** Messages between agents when something of the world is in the way, and how far they go. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../../src/app/app.js";
import { channelGone } from "../../../src/app/archiving.js";
import { createMailboxes } from "../../../src/app/mailbox.js";
import { gcDebate } from "../../../src/app/operations/gcChat.js";
import { runOperation } from "../../../src/app/operations/operation.js";
import type { ThreadId } from "../../../src/domain/ids.js";
import { CHAIN_REQUESTS, STALE_ROUND_MS } from "../../../src/domain/limits.js";
import { conversationOf } from "../../../src/domain/message.js";
import { ChatError } from "../../../src/ports/chat.js";
import { GUILD } from "../../support/builders.js";
import { processEnd } from "../../support/processEnd.js";
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

function onlyThread(): ThreadId {
  const [threadId] = direct.services.chat.threads.keys();
  if (threadId === undefined) throw new Error("There is no thread.");
  return threadId;
}

const toldTo = (name: string) =>
  direct.services.model.requests
    .filter((request) => speaker(request) === name)
    .at(-1)
    ?.messages.at(-1)?.text ?? "";

describe("an answer to another agent", () => {
  it("whose thread was deleted meanwhile is shown in the channel, and begins its turn", async () => {
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "Researcher says 1912."],
      Researcher: [
        () => {
          direct.services.chat.dropThread(onlyThread());
          return "In 1912.";
        },
      ],
    });
    await direct.say("Editor", "Ask.");
    expect(direct.lines("Editor").toSorted()).toEqual([
      "Editor: Asked.",
      "Editor: Researcher says 1912.",
      "Researcher: In 1912.",
    ]);
    expect(direct.lines("Researcher")).toEqual(["Editor: When?", "Researcher: In 1912."]);
  });

  it("that cannot be shown there is told, with the reason, and is heard all the same", async () => {
    const { chat } = direct.services;
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "Researcher says 1912."],
      Researcher: [
        () => {
          const post = chat.post.bind(chat);
          chat.post = async (...given) => {
            if (given[0].place.threadId === null) return post(...given);
            throw new ChatError("blocked", "AutoMod does not let this through.");
          };
          return "In 1912.";
        },
      ],
    });
    await direct.say("Editor", "Ask.");
    expect(direct.thread("→ Researcher").at(-1)).toBe(
      "(bot) -# Researcher has answered, but it cannot be shown here: AutoMod does not let this through.",
    );
    expect(toldTo("Editor")).toContain("[Researcher] (to your message “When?”)\nIn 1912.");
    expect(direct.lines("Editor").at(-1)).toBe("Editor: Researcher says 1912.");
  });

  it("finds the agent that asked in the channel that it has now", async () => {
    const { chat, storage } = direct.services;
    const editor = direct.agents["Editor"];
    if (editor?.channelId == null) throw new Error("There is no Editor.");
    const old = editor.channelId;
    const channelId = chat.addChannel({ guildId: GUILD, name: "editor" });
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "Researcher says 1912."],
      Researcher: [
        async () => {
          chat.dropChannel(old);
          await storage.agents.update(editor.id, { channelId });
          return "In 1912.";
        },
      ],
    });
    await direct.say("Editor", "Ask.");
    expect(chat.lines({ channelId })).toEqual([
      "Researcher: In 1912.",
      "Editor: Researcher says 1912.",
    ]);
  });
});

describe("a request that waits", () => {
  /** The request stands in Researcher's channel, where something goes on; then `meanwhile` happens. */
  async function waiting(meanwhile: () => Promise<void>): Promise<void> {
    const { model } = direct.services;
    let free = () => {};
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    cast(direct, {
      Researcher: [
        async () => {
          await held;
          return "Done with that.";
        },
      ],
      Editor: [ask("Researcher", "When?"), "Asked.", "There is no answer."],
    });
    await direct.app.router.received(direct.message("Researcher", "Think long."));
    await model.requested(1);
    await direct.app.router.received(direct.message("Editor", "Ask."));
    await model.requested(3);
    await meanwhile();
    free();
    await direct.app.onIdle();
  }

  it("in a channel that is deleted is settled, and who asked is told", async () => {
    const { services } = direct;
    const { channelId } = direct.place("Researcher");
    await waiting(async () => {
      services.chat.dropChannel(channelId);
      await channelGone(services, channelId);
    });
    expect(direct.thread("→ Researcher").at(-1)).toBe(
      "(bot) -# Researcher did not answer: it was archived.",
    );
    expect(toldTo("Editor")).toContain("Researcher did not answer: it was archived.");
    expect(direct.lines("Editor").at(-1)).toBe("Editor: There is no answer.");
    const left = await services.storage.messages.pending(
      conversationOf(direct.place("Researcher")),
    );
    expect(left).toEqual([]);
  });

  it("longer than fifteen minutes is settled with a notice, and who asked is told", async () => {
    await waiting(() => direct.services.clock.advance(STALE_ROUND_MS + 1));
    expect(direct.thread("→ Researcher").at(-1)).toBe(
      "(bot) -# Researcher did not answer: the message waited too long.",
    );
    expect(direct.lines("Researcher").at(-1)).toContain("too old to go on with");
    expect(direct.lines("Editor").at(-1)).toBe("Editor: There is no answer.");
  });
});

describe("what a person writes in the thread of two agents", () => {
  it("is told once to each of them in the thread where these agents answer, and begins nothing", async () => {
    const { model } = direct.services;
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "1912."],
      Researcher: ["In 1912."],
    });
    await direct.say("Editor", "Ask.");
    const place = { ...direct.place("Editor"), threadId: onlyThread() };
    await direct.say("Editor", "Interesting!", { place });
    await direct.say("Editor", "Still there?", { place });
    const { channelId } = direct.place("Researcher");
    const line = `(bot) -# This thread only shows what agents write to each other; nobody answers people here. Write to **Editor** in <#${place.channelId}>, or to **Researcher** in <#${channelId}>.`;
    expect(direct.thread("→ Researcher").slice(2)).toEqual([line]);
    await direct.say("Editor", "Hello?", { place, author: direct.petra });
    await direct.say("Editor", "Nobody?", { place, author: direct.petra });
    expect(direct.thread("→ Researcher").slice(2)).toEqual([line, line]);
    expect(model.requests).toHaveLength(4);
  });

  it("begins nothing either while a group chat runs in the channel above", async () => {
    const { model } = direct.services;
    cast(direct, {
      Editor: [ask("Researcher", "When?"), "Asked.", "1912."],
      Researcher: ["In 1912."],
    });
    await direct.say("Editor", "Ask.");
    await direct.say("Editor", "!gc start Researcher");
    const place = { ...direct.place("Editor"), threadId: onlyThread() };
    await direct.say("Editor", "Hello?", { place });
    await direct.say("Editor", "!gc debate 1 Hay", { place });
    await direct.say("Editor", "!gc list", { place });
    expect(direct.thread("→ Researcher").slice(2)).toEqual([
      expect.stringMatching(/^\(bot\) -# This thread only shows what agents write to each other/u),
    ]);
    const debate = runOperation(
      gcDebate,
      { ...direct.services, place, asker: direct.petra },
      { topic: "Hay" },
    );
    await expect(debate).rejects.toThrow("nobody answers people here");
    expect(model.requests).toHaveLength(4);
  });
});

describe("a chain through many agents", () => {
  const NAMES = ["L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10"];
  const over = (lines: readonly string[]) => lines.filter((line) => line.includes("so they stop"));

  beforeEach(async () => {
    await direct.close();
    direct = await openDirect({ agents: NAMES });
  });

  /** Each asks the next one, and says so; an answer that comes back is read. */
  function passOn(calls: number): void {
    for (let call = 0; call < calls; call += 1) {
      direct.services.model.answerTo("direct", (request) => {
        const last = request.messages.at(-1)?.text ?? "";
        const next = `L${Number(speaker(request).slice(1)) + 1}`;
        if (last.startsWith("Sent") || last.startsWith("Agents have")) return "Passed on.";
        return last.includes("has answered") ? "Read." : ask(next, "Pass it on.");
      });
    }
  }

  it("runs over eight requests; the ninth message is not sent, and the person is told too", async () => {
    // Two calls of each of nine agents, and the answers that are still heard: those of L2 to L8.
    passOn(9 * 2 + 7);
    await direct.say("L1", "Pass it on.");
    expect(direct.lines("L9")[0]).toBe("L8: Pass it on.");
    expect(direct.lines("L10")).toEqual([]);
    const line =
      "(bot) -# Agents have written to each other 8 times without a person in between, so they stop. Write again to go on.";
    expect(over(direct.lines("L9"))).toEqual([line]);
    expect(over(direct.lines("L1"))).toEqual([line]);
    expect(over(direct.lines("L8"))).toEqual([line]);
    // The answer to the eighth is the ninth message: it is shown, and nobody goes on with it.
    expect(direct.thread("→ L9")).toEqual(["L8: Pass it on.", "L9: Passed on."]);
    expect(direct.lines("L8").filter((text) => text === "L8: Read.")).toEqual([]);
    expect(direct.lines("L7").at(-1)).toBe("L7: Read.");
    expect(over(NAMES.slice(1, 7).flatMap((name) => direct.lines(name)))).toEqual([]);
  });

  it("ends in the whole after a number of requests, whichever way they go", async () => {
    const { model, storage } = direct.services;
    model.answerTo("direct", async () => {
      const round = await storage.rounds.latest(conversationOf(direct.place("L1")));
      if (round === null) throw new Error("There is no round.");
      for (let place = 0; place < CHAIN_REQUESTS; place += 1) {
        await storage.exchanges.claim(round.id, `other/${place}`, CHAIN_REQUESTS);
      }
      return ask("L2", "And you?");
    });
    model.answerTo("direct", "Enough.");
    await direct.say("L1", "Ask everybody.");
    expect(over(direct.lines("L1"))[0]).toContain("written to each other 8 times");
    expect(direct.lines("L2")).toEqual([]);
  });

  it("has eight requests in all when two agents go on asking each other both ways", async () => {
    // The person's message, each request and each answer begin a turn of two calls.
    for (let call = 0; call < (1 + 8 + 8) * 2; call += 1) {
      direct.services.model.answerTo("direct", (request) => {
        const last = request.messages.at(-1)?.text ?? "";
        if (last.startsWith("Sent") || last.startsWith("Agents have")) return "Well.";
        return ask(speaker(request) === "L1" ? "L2" : "L1", "And you?");
      });
    }
    await direct.say("L1", "Talk to L2.");
    const requests = [...direct.lines("L1"), ...direct.lines("L2")].filter((line) =>
      line.endsWith("And you?"),
    );
    expect(requests).toHaveLength(8);
    expect(over(direct.lines("L1"))).toHaveLength(1);
  });

  it("says its end after a restart too, once", async () => {
    passOn(9 * 2 + 7);
    const { services } = direct;
    const announce = services.chat.announce.bind(services.chat);
    services.chat.announce = () => Promise.reject(processEnd());
    await direct.app.router.received(direct.message("L1", "Pass it on."));
    await direct.app.onIdle();
    services.chat.announce = announce;
    const again = createApp({ ...services, mailboxes: createMailboxes(services.log) });
    await again.resume();
    await again.onIdle();
    expect(over(direct.lines("L1"))).toHaveLength(1);
    expect(over(direct.lines("L9"))).toHaveLength(1);
  });
});

/** In which order a message to another agent is posted, and what becomes of the rest when a part cannot be. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ChatError } from "../../../src/ports/chat.js";
import { calling, cast, type Direct, openDirect } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

const ask = (to: string, text: string) => calling(["message_agent", { to, text }]);

/** Posts are refused where `isRefused` says so. */
function refusing(isRefused: (threadId: string | null, channelId: string) => boolean): void {
  const { chat } = direct.services;
  const post = chat.post.bind(chat);
  chat.post = async (...given) => {
    const { threadId, channelId } = given[0].place;
    if (!isRefused(threadId, channelId)) return post(...given);
    throw new ChatError("blocked", "AutoMod does not let this through.");
  };
}

describe("a message to another agent", () => {
  it("stands in the thread with all its parts before the other one is asked", async () => {
    const text = `${"word ".repeat(700)}end`;
    let standing = 0;
    cast(direct, {
      Editor: [ask("Researcher", text), "Asked.", "Done."],
      Researcher: [
        () => {
          standing = direct.thread("→ Researcher").length;
          return "Read.";
        },
      ],
    });
    await direct.say("Editor", "Send it.");
    expect(standing).toBe(2);
    expect(direct.thread("→ Researcher").at(-1)).toBe("Researcher: Read.");
  });

  it("that cannot be shown in the thread is heard all the same, and people are told once", async () => {
    refusing((threadId) => threadId !== null);
    cast(direct, {
      Editor: [ask("Researcher", `${"word ".repeat(700)}end`), "Asked.", "Done."],
      Researcher: ["Read."],
    });
    await direct.say("Editor", "Send it.");
    expect(direct.lines("Researcher")[2]).toBe("Researcher: Read.");
    expect(direct.lines("Editor").filter((line) => line.includes("was asked"))).toEqual([
      "(bot) -# Researcher was asked, but that cannot be shown here: AutoMod does not let this through.",
    ]);
  });

  it("that stands in the thread and does not get there is said in the thread", async () => {
    const { channelId } = direct.place("Researcher");
    refusing((_, where) => where === channelId);
    cast(direct, { Editor: [ask("Researcher", "When?"), "It did not get there."] });
    await direct.say("Editor", "Ask.");
    expect(direct.thread("→ Researcher")).toEqual([
      "Editor: When?",
      "(bot) -# What was meant for Researcher did not get there: AutoMod does not let this through.",
    ]);
    expect(direct.lines("Editor")).toEqual(["Editor: It did not get there."]);
  });
});

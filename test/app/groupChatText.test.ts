import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gcAdd, gcJoin, gcLeave, gcRemove } from "../../src/app/operations/gcMembers.js";
import { gcStatus } from "../../src/app/operations/gcShow.js";
import { groupArchive } from "../../src/app/operations/groupArchive.js";
import { groupRestore } from "../../src/app/operations/groupRestore.js";
import { groupUpdate } from "../../src/app/operations/groupUpdate.js";
import { type Operation, runOperation } from "../../src/app/operations/operation.js";
import type { Agent } from "../../src/domain/agent.js";
import { asId, type RoleId } from "../../src/domain/ids.js";
import type { Place } from "../../src/domain/message.js";
import { addAgent, aManager, aPerson, placeOf } from "../support/builders.js";
import { openStage, type Stage } from "../support/stage.js";

const MANAGER = aManager();
const BEN = aPerson({ name: "Ben" });

let stage: Stage;
let extra: Agent;

async function open(options: Parameters<typeof openStage>[0] = {}): Promise<void> {
  stage = await openStage({ members: ["Still", "Curren"], kind: "hosted", ...options });
  extra = await addAgent(stage.services, { displayName: "Reading Room", name: "reading-room" });
}

beforeEach(() => open());
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

/** A person writes a command; what the bot then says last. */
async function command(
  text: string,
  place: Place = stage.place,
  author = MANAGER,
): Promise<string | undefined> {
  await stage.say(text, { place, author });
  return stage.services.chat.lines(place).at(-1);
}

async function members(): Promise<readonly string[]> {
  const group = await stage.services.storage.groups.get(stage.group.id);
  const agents = await Promise.all(
    (group?.members ?? []).map((id) => stage.services.storage.agents.get(id)),
  );
  return agents.map((agent) => agent?.displayName ?? "?");
}

describe("!gc in a hosted group", () => {
  it.each([
    ["a display name", "!gc add Reading Room"],
    ["a display name in quotes", '!gc add "reading room"'],
    ["a display name in single quotes", "!gc add 'Reading Room'"],
    ["a name", "!gc add reading-room"],
    ["a name after @, in capitals", "!GC ADD @Reading-Room"],
  ])("adds a participant by %s, and announces it", async (_, text) => {
    expect(await command(text)).toBe("(bot) **Reading Room** has joined the group chat.");
    expect(await members()).toEqual(["Still", "Curren", "Reading Room"]);
  });

  it("removes one, and lets agents join and leave by name", async () => {
    expect(await command("!gc remove Curren")).toBe("(bot) **Curren** has left the group chat.");
    expect(await command("!gc join curren")).toBe("(bot) **Curren** has joined the group chat.");
    expect(await command("!gc leave @Curren")).toBe("(bot) **Curren** has left the group chat.");
    expect(await members()).toEqual(["Still"]);
  });

  it("adds those of several who are not there yet, and says who is", async () => {
    expect(await command("!gc add Reading Room, Still, Curren")).toBe(
      "(bot) **Reading Room** has joined the group chat. **Still** and **Curren** are already in the group chat.",
    );
  });

  it("lets several leave at once, and says when there is nothing to end", async () => {
    await command("!gc join Reading Room");
    expect(await command("!gc leave Curren Reading Room")).toBe(
      "(bot) **Curren** and **Reading Room** have left the group chat.",
    );
    expect(await command("!gc end")).toBe("(bot) There is no group chat to end here.");
  });

  it("says to the letter that there is no such agent, and that nobody is there", async () => {
    expect(await command("!gc add ghost")).toBe("(bot) Agent ghost not found.");
    await command("!gc remove Curren");
    await stage.say("Anybody?");
    expect(stage.lines().at(-1)).toBe("(bot) No one is in the group chat. Use !gc add <agentId>.");
  });

  it.each([
    ["!gc", /^\(bot\) \*\*Group chats\*\*.*!gc start/su],
    ["!gc help", /!gc debate \[passes\] <topic>/u],
    ["!gc list", /^\(bot\) Host: \*\*Still\*\*\. Participants: \*\*Curren\*\*\.$/u],
    ["!gc status", /No round is open\.$/u],
    ["!gc ad Curren", /no `!gc ad`. Did you mean `!gc add <agent>`\?$/u],
    ["!gclist", /no `!gclist`\. Did you mean `!gc list`\?$/u],
    ["!gc-list", /no `!gc-list`\. Did you mean `!gc list`\?$/u],
    ['!gc add "Reading Room', /A quote is opened and not closed/u],
    ["!gc lst", /Did you mean `!gc list`\?$/u],
    ["!gc add", /^\(bot\) Say which agent: `!gc add <agent>`\.$/u],
    ["!gc join", /^\(bot\) Say which agent: `!gc join <agent>`\.$/u],
    ["!gc debate 2", /^\(bot\) Say what the debate is about: `!gc debate \[passes\] <topic>`\.$/u],
    ["!gc debate 7 Is it art?", /^\(bot\) A debate has 1 to 3 passes\.$/u],
    ["!gc debate -1 Is it art?", /`-1` is no number of passes; a debate has 1 to 3\./u],
    ["!gc debate 1.5 Is it art?", /write the passes first: `!gc debate 2 1\.5 …`\.$/u],
    ["!gc end now", /^\(bot\) Nothing was done: write just `!gc end`\.$/u],
    ["!gc list please", /write just `!gc list`\.$/u],
    ["!gc status, please", /no `!gc status,`\. Did you mean `!gc status`\?$/u],
    [`!gc debate ${"x".repeat(1_701)}`, /^\(bot\) A topic may have at most 1,700 characters\.$/u],
    ["!gc add Still", /\*\*Still\*\* is the host here and takes part anyway\.$/u],
    ["!gc add Curren", /\*\*Curren\*\* is already in the group chat\.$/u],
    ["!gc remove Still", /\*\*Still\*\* is the host of the group chat and stays/u],
    ["!gc start", /^\(bot\) Say who takes part: `!gc start <agent> <agent> …`\./u],
    ["!gc start Still", /^\(bot\) Say who takes part:/u],
    ["!gc remove Reading Room", /\*\*Reading Room\*\* is not in the group chat\.$/u],
  ])("answers %s", async (text, answer) => {
    expect(await command(text)).toMatch(answer);
    expect(await members()).toEqual(["Still", "Curren"]);
  });

  it("is no part of the conversation, and is obeyed once", async () => {
    const received = await stage.say("!gc remove Curren");
    await stage.say("!gc add Curren");
    await stage.app.router.caughtUp([received]);
    await stage.app.onIdle();
    expect(await stage.services.storage.messages.get(received.id)).toBeNull();
    expect(await members()).toEqual(["Still", "Curren"]);
  });

  it("tells at a new start who leaves and who joins, and nothing of who stays", async () => {
    await addAgent(stage.services, { displayName: "Third" });
    expect(await command("!gc start Curren, Third")).toBe(
      "(bot) A group chat with **Still** as its host has started. **Third** has joined. Taking part: **Curren** and **Third**.",
    );
    expect(await command("!gc start Third")).toBe(
      "(bot) A group chat with **Still** as its host has started. **Curren** has left. Taking part: **Third**.",
    );
  });

  it("tells in the channel too who left in a thread, and whom /group_update moves", async () => {
    await command("!gc remove Curren", { ...stage.place, threadId: asId("900") });
    expect(stage.lines()).toEqual(["(bot) **Curren** has left the group chat."]);
    const context = { ...stage.services, asker: aManager(), place: stage.place };
    const members = ["Still", "Reading Room"];
    await runOperation(groupUpdate, context, { group: "Review", members });
    await stage.app.onIdle();
    expect(stage.lines().at(-1)).toBe("(bot) **Reading Room** has joined the group chat.");
    await runOperation(groupUpdate, context, { group: "Review", members: ["Still", "Curren"] });
    await stage.app.onIdle();
    expect(stage.lines().slice(-2)).toEqual([
      "(bot) **Reading Room** has left the group chat.",
      "(bot) **Curren** has joined the group chat.",
    ]);
  });

  it("starts anew with others, and ends with nobody", async () => {
    expect(await command('!gc start "Reading Room", Still')).toBe(
      "(bot) A group chat with **Still** as its host has started. **Curren** has left. **Reading Room** has joined.",
    );
    expect(await members()).toEqual(["Still", "Reading Room"]);
    expect(await command("!gc end")).toBe(
      "(bot) The group chat has ended. **Reading Room** has left.",
    );
    expect(await members()).toEqual(["Still"]);
  });

  it("can be put away and brought back with nobody but its host", async () => {
    await command("!gc end");
    const context = { ...stage.services, asker: aManager(), place: stage.place };
    await runOperation(groupArchive, context, { group: "Review" });
    expect(await command("!gc add Curren")).toBe(
      "(bot) The group chat has ended. **Curren** has left.",
    );
    await runOperation(groupRestore, context, { group: "Review" });
    expect(await command("!gc add Curren")).toBe("(bot) **Curren** has joined the group chat.");
  });

  it("takes no more than 16 participants, also when they come at the same time", async () => {
    const names = Array.from({ length: 17 }, (_, index) => `Extra${index}`);
    for (const displayName of names) await addAgent(stage.services, { displayName });
    await Promise.all(
      names.map((name) => stage.app.router.received(stage.message(`!gc add ${name}`))),
    );
    await stage.app.onIdle();
    expect(await members()).toHaveLength(17);
    const full = "(bot) A group chat holds at most 16 agents besides its host.";
    expect(stage.lines().filter((line) => line === full)).toHaveLength(2);
  });

  it("is for managers alone when the configuration says so", async () => {
    await stage.close();
    await open({ overrides: { settings: { isGcForManagers: true } } });
    expect(await command("!gc remove Curren", stage.place, BEN)).toMatch(
      /Only managers \(people with Manage Channels, or with a manager role\) can do that\.$/u,
    );
    expect(await command("!gc list", stage.place, BEN)).toContain("Curren");
    expect(await members()).toEqual(["Still", "Curren"]);
  });
});

describe("!gc in an open group", () => {
  beforeEach(async () => {
    await stage.close();
    await open({ kind: "open" });
  });

  it("changes the members, and passes the host on", async () => {
    expect(await command("!gc add Reading Room")).toBe(
      "(bot) **Reading Room** has joined **Review** and takes part from the next round on. The channel topic follows within ten minutes.",
    );
    expect(await command("!gc leave Still")).toBe(
      "(bot) **Still** has left **Review**. **Curren** is the host now. This counts from the next round on. The channel topic follows within ten minutes.",
    );
    expect(await members()).toEqual(["Curren", "Reading Room"]);
    expect(await command("!gc remove Curren")).toBe(
      "(bot) A group has 2 to 6 members; **Review** would have 1.",
    );
  });

  it("lists the members and refuses what belongs to hosted chats", async () => {
    expect(await command("!gc list")).toBe(
      "(bot) **Review** is an open group. Members: **Still** and **Curren**. Host: **Still**.",
    );
    for (const text of ["!gc start Curren", "!gc debate Is it art?", "!gc end"]) {
      expect(await command(text, stage.place, BEN)).toBe(
        "(bot) **Review** is an open group; this works only in hosted groups and agents' own channels.",
      );
    }
  });

  it.each(["open", "moderated"] as const)(
    "leaves the members of an %s group to those who may change groups, in every way",
    async (kind) => {
      await stage.close();
      await open({ kind });
      const refused =
        "(bot) Only managers (people with Manage Channels, or with a manager role) can change agents and groups.";
      for (const text of [
        "add Reading Room",
        "remove Curren",
        "join Reading Room",
        "leave Curren",
      ]) {
        expect(await command(`!gc ${text}`, stage.place, BEN)).toBe(refused);
      }
      const context = { ...stage.services, asker: BEN, place: stage.place };
      const ways: readonly (readonly [Operation, string])[] = [
        [gcAdd, "Reading Room"],
        [gcRemove, "Curren"],
        [gcJoin, "Reading Room"],
        [gcLeave, "Curren"],
      ];
      for (const [operation, agent] of ways) {
        await expect(runOperation(operation, context, { agent })).rejects.toThrow(
          /^Only managers/u,
        );
      }
      expect(await members()).toEqual(["Still", "Curren"]);
      const settings = { ...stage.services.settings, managerRoleIds: [asId<RoleId>("5")] };
      const asker = { ...BEN, roleIds: [asId<RoleId>("5")] };
      await runOperation(gcAdd, { ...context, settings, asker }, { agent: "Reading Room" });
      expect(await members()).toEqual(["Still", "Curren", "Reading Room"]);
    },
  );

  it("helps with what works there, and says nothing of hosts and debates", async () => {
    const help = (await command("!gc help", stage.place, BEN)) ?? "";
    expect(help).toContain("- `!gc add <agent>`: add a member");
    expect(help).not.toMatch(/participant|debate|!gc start|!gc end/u);
  });
});

describe("!gc in an agent's own channel", () => {
  const there = () => placeOf(extra);

  it("starts a chat with that agent as its host, and ends it", async () => {
    expect(await command("!gc list", there())).toMatch(/There is no group chat here/u);
    expect(await command("!gc start Curren", there())).toBe(
      "(bot) A group chat with **Reading Room** as its host has started. **Curren** has joined.",
    );
    stage.services.model.answerTo("participant", "Aye.").answerTo("turn", "Curren agrees.");
    await stage.say("Shall we?", { place: there() });
    expect(stage.services.chat.lines(there()).at(-1)).toBe("Reading Room: Curren agrees.");
    expect(await command("!gc end", there())).toBe(
      "(bot) The group chat has ended. **Curren** has left.",
    );
    expect(await command("!gc status", there())).toMatch(/There is no group chat here/u);
    await expect(
      runOperation(
        gcStatus,
        { ...stage.services, asker: MANAGER, place: stage.place },
        { chat: "#reading-room" },
      ),
    ).rejects.toThrow("There is no group chat in **Reading Room**'s channel.");
  });

  it("starts empty when nobody is named", async () => {
    expect(await command("!gc start", there())).toBe(
      "(bot) A group chat with **Reading Room** as its host has started. No one is in the group chat. Use !gc add <agentId>.",
    );
    expect(await command("!gc add Curren", there())).toBe(
      "(bot) **Curren** has joined the group chat.",
    );
  });
});

describe("who only looks", () => {
  const reader = aPerson({ name: "Ben", canWriteHere: false });
  const status = (place: Place, chat?: string) =>
    runOperation(
      gcStatus,
      { ...stage.services, asker: reader, place },
      chat === undefined ? {} : { chat },
    );

  it("is answered wherever the channel can be seen, and told of no other that there is one", async () => {
    const { chat } = stage.services;
    chat.people.set(reader.userId, reader);
    for (const name of ["Review", "#review", `<#${stage.place.channelId}>`]) {
      expect((await status(placeOf(extra), name)).text).toMatch(/^Host: \*\*Still\*\*/u);
    }
    expect(await command("!gc list", stage.place, reader)).toMatch(/Participants: \*\*Curren/u);
    expect(await command("!gc end", stage.place, reader)).toMatch(/Participants: \*\*Curren/u);
    chat.secret.add(stage.place.channelId);
    for (const name of ["Review", `<#${stage.place.channelId}>`]) {
      await expect(status(placeOf(extra), name)).rejects.toThrow(
        /^There is no group or agent called/u,
      );
    }
    await expect(status(placeOf(extra), "Nope")).rejects.toThrow(
      "There is no group or agent called “Nope”.",
    );
  });
});

describe("a message that is edited to a command", () => {
  it("is neither obeyed nor part of the conversation any more", async () => {
    const { model } = stage.services;
    model.answerTo("participant", "Fun.").answerTo("turn", "Good.");
    const said = await stage.say("Hello all");
    await stage.app.router.edited(said.id, "!gc end secretly", stage.services.clock.now());
    await stage.app.router.caughtUp([{ ...said, text: "!gc end" }]);
    model.answerTo("participant", "Fun.").answerTo("turn", "Good.");
    await stage.say("And now?");
    expect(await members()).toEqual(["Still", "Curren"]);
    expect(JSON.stringify(model.lastRequest.messages)).not.toMatch(/secretly|Hello all/u);
  });
});

describe("!gc elsewhere", () => {
  it("does nothing in a channel that is nobody's", async () => {
    const channelId = stage.services.chat.addChannel({ name: "general" });
    expect(await command("!gc help", { ...stage.place, channelId })).toBeUndefined();
  });
});

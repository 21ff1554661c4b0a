import { expect, test } from "vitest";
import { archiveAgent, mendChannels } from "../../../src/app/archiving.js";
import { agentArchive } from "../../../src/app/operations/agentArchive.js";
import { agentRestore } from "../../../src/app/operations/agentRestore.js";
import { agentUpdate } from "../../../src/app/operations/agentUpdate.js";
import { groupArchive } from "../../../src/app/operations/groupArchive.js";
import { groupRestore } from "../../../src/app/operations/groupRestore.js";
import { groupUpdate } from "../../../src/app/operations/groupUpdate.js";
import { StorageError } from "../../../src/ports/storage.js";
import { addAgent, addGroup, aManager, GUILD, placeOf } from "../../support/builders.js";
import { PNG_SIGNATURE } from "../../support/services.js";
import { setUp } from "./setup.js";

async function scene() {
  const setup = await setUp();
  const bob = await addAgent(setup, { displayName: "Bob" });
  const ann = await addAgent(setup, { displayName: "Ann" });
  const pair = await addGroup(setup, { displayName: "Pair", members: [bob, ann] });
  const category = (owner: typeof bob | typeof pair) =>
    setup.chat.channels.get(placeOf(owner).channelId)?.category;
  return { ...setup, bob, ann, pair, category };
}

test("of two that bring an agent back, the second hears that it is there, and the channel stays", async () => {
  const { run, refusal, storage, category, bob } = await scene();
  await run(agentArchive, { agent: "bob" });
  const [first, second] = await Promise.all([
    run(agentRestore, { agent: "bob" }),
    refusal(agentRestore, { agent: "bob" }),
  ]);
  expect(first).toContain("**Bob** is back");
  expect(second).toBe("**Bob** is not archived.");
  expect(category(bob)).toBe("Agents");
  expect((await storage.agents.get(bob.id))?.archivedAtMs).toBeNull();
});

test("of two that bring a group back, the second hears that it is there, and the channel stays", async () => {
  const { run, refusal, category, pair } = await scene();
  await run(groupArchive, { group: "pair" });
  const [, second] = await Promise.all([
    run(groupRestore, { group: "pair" }),
    refusal(groupRestore, { group: "pair" }),
  ]);
  expect(second).toBe("**Pair** is not archived.");
  expect(category(pair)).toBe("Groups");
});

test("of two that bring an agent back whose channel is gone, only one makes a new one", async () => {
  const { run, refusal, chat, storage, bob } = await scene();
  await run(agentArchive, { agent: "bob" });
  chat.dropChannel(placeOf(bob).channelId);
  await Promise.all([run(agentRestore, { agent: "bob" }), refusal(agentRestore, { agent: "bob" })]);
  const made = chat.effectsOf("createChannel").map(({ channelId }) => channelId);
  expect(made).toEqual([(await storage.agents.get(bob.id))?.channelId]);
});

test("an agent that is archived while it is archived hears so, and is moved once", async () => {
  const { run, refusal, chat } = await scene();
  const [, second] = await Promise.all([
    run(agentArchive, { agent: "bob" }),
    refusal(agentArchive, { agent: "bob" }),
  ]);
  expect(second).toBe("**Bob** is archived already.");
  expect(chat.effectsOf("moveChannel")).toHaveLength(2);
});

test("what is archived while it is brought back ends where it belongs", async () => {
  const setup = await scene();
  const { run, chat, storage, category, bob } = setup;
  await run(agentArchive, { agent: "bob" });
  const held = chat.holdNext("moveChannel");
  const restoring = run(agentRestore, { agent: "bob" });
  await held.reached;
  const archiving = archiveAgent(setup, bob, aManager());
  held.release();
  await restoring;
  expect(await archiving).not.toBeNull();
  expect((await storage.agents.get(bob.id))?.archivedAtMs).not.toBeNull();
  expect(category(bob)).toBe("Archive");
});

test("what is brought back while the server is looked through stays where it was brought", async () => {
  const setup = await scene();
  const { run, chat, storage, category, bob } = setup;
  await run(agentArchive, { agent: "bob" });
  const held = chat.holdNext("moveChannel");
  const restoring = run(agentRestore, { agent: "bob" });
  await held.reached;
  const mending = mendChannels(setup, GUILD);
  held.release();
  await Promise.all([restoring, mending]);
  expect((await storage.agents.get(bob.id))?.archivedAtMs).toBeNull();
  expect(category(bob)).toBe("Agents");
});

test("what is back although the database gave no answer keeps its channel", async () => {
  const { run, refusal, storage, category, bob } = await scene();
  await run(agentArchive, { agent: "bob" });
  const { archive, agents } = storage;
  let asked = 0;
  Object.assign(storage, {
    archive: {
      ...archive,
      restoreAgent: async (...args: Parameters<typeof archive.restoreAgent>) => {
        await archive.restoreAgent(...args);
        throw new StorageError("The database is away.", { isTransient: true });
      },
    },
    agents: {
      ...agents,
      get: async (id: typeof bob.id) => {
        asked += 1;
        if (asked === 1) throw new StorageError("The database is away.", { isTransient: true });
        return agents.get(id);
      },
    },
  });
  expect(await refusal(agentRestore, { agent: "bob" })).toContain("cannot reach my database");
  expect(category(bob)).toBe("Agents");
});

test("two pictures that are given at once leave one, the second", async () => {
  const { run, files, chat, storage, bob } = await scene();
  const picture = (name: string) => files.add(name, PNG_SIGNATURE);
  await Promise.all([
    run(agentUpdate, { agent: "bob", avatar: picture("a.png") }),
    run(agentUpdate, { agent: "bob", avatar: picture("b.png") }),
  ]);
  const kept = (await storage.agents.get(bob.id))?.picture?.emojiId;
  expect([...chat.pictures.keys()]).toEqual([kept]);
});

test("two changes of a group at once are both made, whatever the names by then", async () => {
  const { run, storage, pair, ann } = await scene();
  const answers = await Promise.all([
    run(groupUpdate, { group: "Pair", display_name: "Duo" }),
    run(groupUpdate, { group: "pair", host: "ann" }),
  ]);
  expect(answers[1]).toContain("**Duo** is changed.");
  expect(await storage.groups.get(pair.id)).toMatchObject({ displayName: "Duo", hostId: ann.id });
});

test("a member that is archived together with others passes the host on in one sentence", async () => {
  const setup = await scene();
  const { run, bob, ann } = setup;
  const cid = await addAgent(setup, { displayName: "Cid" });
  await addGroup(setup, { displayName: "Trio", members: [bob, ann, cid] });
  await addGroup(setup, { displayName: "Mod", members: [bob, ann, cid], kind: "moderated" });
  expect(await run(agentArchive, { agent: "bob" })).toContain(
    "**Ann** is now the host of **Trio** and **Mod**.",
  );
});

import { expect, test } from "vitest";
import { channelGone } from "../../src/app/archiving.js";
import { ensureCoordinator, houseCoordinator } from "../../src/app/coordinator.js";
import { settleNewChannels } from "../../src/app/newChannels.js";
import { agentArchive } from "../../src/app/operations/agentArchive.js";
import { agentCreate } from "../../src/app/operations/agentCreate.js";
import { agentRestore } from "../../src/app/operations/agentRestore.js";
import { groupCreate } from "../../src/app/operations/groupCreate.js";
import type { ChannelId } from "../../src/domain/ids.js";
import { ChatError } from "../../src/ports/chat.js";
import { StorageError } from "../../src/ports/storage.js";
import { addAgent, GUILD, placeOf } from "../support/builders.js";
import { only, type Setup, setUp } from "./operations/setup.js";

/** Does something up to the moment when its channel is there, and no further: as if the process were killed. */
async function killedIn(setup: Setup, work: () => Promise<unknown>): Promise<ChannelId> {
  const { chat } = setup;
  const before = new Set(chat.channels.keys());
  const create = chat.createChannel.bind(chat);
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  chat.createChannel = async (channel) => {
    await create(channel);
    reach();
    return new Promise<never>(() => {});
  };
  void work();
  await reached;
  chat.createChannel = create;
  return only([...chat.channels.keys()].filter((id) => !before.has(id)));
}

const ANN = { display_name: "Ann", prompt: "You are Ann." };
const restart = async (setup: Setup) =>
  settleNewChannels(setup, await setup.storage.newChannels.list(null));

/** Everything that makes a channel. */
const WAYS: readonly [string, (setup: Setup) => Promise<() => Promise<unknown>>][] = [
  [
    "an agent",
    async ({ run }) =>
      () =>
        run(agentCreate, ANN),
  ],
  [
    "a group",
    async (setup) => {
      for (const displayName of ["Bob", "Cid"]) await addAgent(setup, { displayName });
      return () => setup.run(groupCreate, { display_name: "Duo", members: ["Bob", "Cid"] });
    },
  ],
  [
    "an agent that is brought back",
    async (setup) => {
      const bob = await addAgent(setup, { displayName: "Bob" });
      await setup.run(agentArchive, { agent: "bob" });
      setup.chat.dropChannel(placeOf(bob).channelId);
      return () => setup.run(agentRestore, { agent: "bob" });
    },
  ],
  [
    "the coordinator that lost its own",
    async (setup) => {
      await ensureCoordinator(setup, GUILD);
      const agent = only(await setup.storage.agents.list(GUILD));
      const { channelId } = placeOf(agent);
      setup.chat.dropChannel(channelId);
      await channelGone(setup, channelId);
      return () => houseCoordinator(setup, agent);
    },
  ],
];

test.each(WAYS)(
  "a channel of %s that nobody has is taken away at the next start",
  async (_, prepare) => {
    const setup = await setUp();
    const work = await prepare(setup);
    const orphan = await killedIn(setup, work);
    await restart(setup);
    expect(setup.chat.channels.has(orphan)).toBe(false);
    expect(await setup.storage.newChannels.list(null)).toEqual([]);
  },
);

test.each(WAYS)("nothing is left to look for once %s has its channel", async (_, prepare) => {
  const setup = await setUp();
  const work = await prepare(setup);
  await work();
  expect(await setup.storage.newChannels.list(null)).toEqual([]);
});

test("a channel that has its owner stays when only the note of it was lost", async () => {
  const setup = await setUp();
  const { storage, chat, run, log } = setup;
  const { newChannels } = storage;
  const settle = async () => {
    throw new StorageError("The database is away.", { isTransient: true });
  };
  Object.assign(storage, { newChannels: { ...newChannels, settle } });
  expect(await run(agentCreate, ANN)).toContain("**Ann** (`ann`) is ready");
  expect(log.messages("warn")).toContain("that a channel was made could not be noted");
  Object.assign(storage, { newChannels });
  await restart(setup);
  const agent = only(await storage.agents.list(GUILD));
  expect(chat.channels.has(placeOf(agent).channelId)).toBe(true);
  expect(await storage.newChannels.list(null)).toEqual([]);
});

test("a channel with messages in it stays, is explained once, and is used by the next", async () => {
  const setup = await setUp();
  const { chat, storage, run } = setup;
  const orphan = await killedIn(setup, () => run(agentCreate, ANN));
  const place = { guildId: GUILD, channelId: orphan, threadId: null };
  const persona = { name: "Zoe", pictureUrl: null };
  await chat.post(
    { place, persona, text: "Anybody here?", file: null },
    new AbortController().signal,
  );
  await restart(setup);
  await restart(setup);
  expect(chat.lines(place)).toEqual([
    "Zoe: Anybody here?",
    "(bot) I was interrupted while I made this channel, so nobody answers here. Give the command again to use this channel, or delete it.",
  ]);
  await run(agentCreate, { ...ANN, display_name: "Bob" });
  await run(agentCreate, ANN);
  expect((await storage.agents.find(GUILD, "ann"))?.channelId).toBe(orphan);
  expect((await storage.agents.find(GUILD, "bob"))?.channelId).not.toBe(orphan);
  expect(await storage.newChannels.list(null)).toEqual([]);
});

test("what is left over stays left over when the next cannot be stored", async () => {
  const setup = await setUp();
  const { chat, storage, run, refusal } = setup;
  const orphan = await killedIn(setup, () => run(agentCreate, ANN));
  const place = { guildId: GUILD, channelId: orphan, threadId: null };
  const persona = { name: "Zoe", pictureUrl: null };
  await chat.post({ place, persona, text: "Hello?", file: null }, new AbortController().signal);
  await restart(setup);
  const { agents } = storage;
  Object.assign(storage, { agents: { ...agents, create: async () => "displayName" } });
  expect(await refusal(agentCreate, ANN)).toContain("There is an agent called **Ann**");
  Object.assign(storage, { agents });
  expect(chat.channels.has(orphan)).toBe(true);
  await run(agentCreate, ANN);
  expect((await storage.agents.find(GUILD, "ann"))?.channelId).toBe(orphan);
});

test("a channel of which nobody knows whether it was made is looked for at the next start", async () => {
  const setup = await setUp();
  const { chat, refusal } = setup;
  chat.failNext("createChannel", new ChatError("unknown", "The connection failed."), "after");
  await refusal(agentCreate, ANN);
  expect(chat.channels.size).toBe(1);
  await restart(setup);
  expect(chat.channels.size).toBe(0);
});

test("a channel that was refused is not looked for", async () => {
  const { chat, refusal, storage } = await setUp();
  chat.failNext("createChannel", new ChatError("forbidden", "Manage Channels is missing."));
  await refusal(agentCreate, ANN);
  expect(await storage.newChannels.list(null)).toEqual([]);
});

test("what cannot be looked for now is looked for at the start after that", async () => {
  const setup = await setUp();
  const { chat, run, log } = setup;
  const orphan = await killedIn(setup, () => run(agentCreate, ANN));
  chat.failNext("findChannels", new ChatError("unavailable", "Discord is in trouble."));
  await restart(setup);
  expect(chat.channels.has(orphan)).toBe(true);
  expect(log.messages("warn")).toContain(
    "whether a channel was left over is not known; the next start looks again",
  );
  await restart(setup);
  expect(chat.channels.has(orphan)).toBe(false);
});

test("a channel that was there long before, and looks the same, is left alone", async () => {
  const setup = await setUp();
  const { chat, run, clock } = setup;
  const old = chat.addChannel({ guildId: GUILD, name: "ann", topic: "Ann: You are Ann." });
  await clock.advance(3_600_000);
  const orphan = await killedIn(setup, () => run(agentCreate, ANN));
  await restart(setup);
  expect(chat.channels.has(orphan)).toBe(false);
  expect(chat.channels.has(old)).toBe(true);
});

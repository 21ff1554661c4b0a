import { expect, test, vi } from "vitest";
import { createApp } from "../../src/app/app.js";
import { agentRestore } from "../../src/app/operations/agentRestore.js";
import { Reception } from "../../src/app/reception.js";
import { ChatError } from "../../src/ports/chat.js";
import { GUILD } from "../support/builders.js";
import { setUp } from "./operations/setup.js";

const forbidden = () =>
  new ChatError("forbidden", "The bot may not do that here.", {
    needs: "View Channel and Manage Channels",
  });

const never = new AbortController().signal;

async function scene() {
  const setup = await setUp();
  const lobby = setup.chat.addChannel({ guildId: GUILD, name: "general" });
  const app = createApp(setup);
  const lines = async () => {
    await app.onIdle();
    return setup.chat.lines({ channelId: lobby });
  };
  const find = () => setup.storage.agents.find(GUILD, "coordinator");
  return { ...setup, lines, find, reception: new Reception(setup, never) };
}

const TOLD =
  "(bot) I could not make the channel of the **Coordinator**, the place to begin. Give my role View Channel and Manage Channels in the settings of the server, and I make it at once.";

test("a server in which the bot may make no channel is told once what it takes, and gets the coordinator then", async () => {
  const setup = await scene();
  const { chat, reception, lines, find } = setup;
  chat.failNext("createChannel", forbidden());
  await reception.begin(GUILD);
  expect(await lines()).toEqual([TOLD]);
  // After a restart, and after a change that did not help.
  const again = new Reception(setup, never);
  chat.failNext("createChannel", forbidden());
  await again.begin(GUILD);
  chat.failNext("createChannel", forbidden());
  await again.rightsChanged(GUILD);
  expect(await lines()).toEqual([TOLD]);
  expect(await find()).toBeNull();
  await again.rightsChanged(GUILD);
  expect(await find()).toMatchObject({ name: "coordinator" });
  await again.rightsChanged(GUILD);
  expect(chat.calls.filter((call) => call === "createChannel")).toHaveLength(4);
});

test("a server that has its coordinator is told nothing, whatever rights change", async () => {
  const { chat, reception, lines } = await scene();
  await reception.begin(GUILD);
  await reception.begin(GUILD);
  await reception.rightsChanged(GUILD);
  expect(await lines()).toEqual([]);
  expect(chat.effectsOf("createChannel")).toHaveLength(1);
});

test("a failure that no permission mends is not told as one, and passes by itself", async () => {
  const { chat, clock, reception, lines, find } = await scene();
  const trouble = () => new ChatError("unavailable", "Discord is in trouble.");
  chat.failNext("createChannel", trouble());
  await reception.begin(GUILD);
  expect(await lines()).toEqual([]);
  chat.failNext("createChannel", trouble());
  await clock.advance(5_000);
  await vi.waitFor(() => expect(clock.waiting).toBe(1));
  expect(await find()).toBeNull();
  await clock.advance(30_000);
  await vi.waitFor(async () => expect(await find()).not.toBeNull());
  expect(clock.waiting).toBe(0);
  expect(await lines()).toEqual([]);
});

test("a server that the bot left, or the end of the process, ends the tries", async () => {
  const setup = await scene();
  const { chat, clock, reception } = setup;
  chat.failNext("createChannel", new ChatError("unavailable", "Discord is in trouble."));
  await reception.begin(GUILD);
  reception.left(GUILD);
  await clock.advance(5_000);
  await vi.waitFor(() => expect(clock.waiting).toBe(0));
  const closing = new AbortController();
  chat.failNext("createChannel", new ChatError("unavailable", "Discord is in trouble."));
  await new Reception(setup, closing.signal).begin(GUILD);
  expect(clock.waiting).toBe(1);
  closing.abort();
  await vi.waitFor(() => expect(clock.waiting).toBe(0));
  expect(chat.effectsOf("createChannel")).toHaveLength(0);
});

test("a bot that was removed and is invited again sees to the coordinator's channel anew", async () => {
  const { chat, storage, reception, find } = await scene();
  const stay = async () => {
    await reception.begin(GUILD);
    await reception.mend(GUILD);
  };
  await stay();
  const agent = await find();
  if (agent?.channelId == null) throw new Error("It has no channel.");
  await storage.archive.loseChannel(agent.channelId);
  await stay();
  expect(chat.effectsOf("createChannel")).toHaveLength(1);
  reception.left(GUILD);
  await stay();
  expect(chat.effectsOf("createChannel")).toHaveLength(2);
});

test("a coordinator that was never made is made by the command that restores it, or says why not", async () => {
  const { chat, run, refusal, find } = await scene();
  chat.failNext("createChannel", forbidden());
  expect(await refusal(agentRestore, { agent: "Coordinator" })).toBe(
    "The bot may not do that here.",
  );
  const answer = await run(agentRestore, { agent: "@coordinator" });
  expect(answer).toBe(`**Coordinator** is there now, in <#${(await find())?.channelId}>.`);
});

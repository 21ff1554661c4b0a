import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/app/app.js";
import { channelGone } from "../../src/app/archiving.js";
import { ensureCoordinator, mendCoordinator } from "../../src/app/coordinator.js";
import { agentList } from "../../src/app/operations/agentList.js";
import { agentRestore } from "../../src/app/operations/agentRestore.js";
import { help } from "../../src/app/operations/help.js";
import { runOperation } from "../../src/app/operations/operation.js";
import { ShuttingDown } from "../../src/app/stopping.js";
import { asId, type ChannelId, type MessageId } from "../../src/domain/ids.js";
import { type Asker, ChatError } from "../../src/ports/chat.js";
import { addAgent, aManager, aPerson, GUILD, OTHER_GUILD } from "../support/builders.js";
import { createTestServices, type TestServices } from "../support/services.js";

let services: TestServices;
beforeEach(async () => {
  services = await createTestServices();
});
afterEach(() => services.storage.close());

const find = () => services.storage.agents.find(GUILD, "coordinator");
const asked = () => ({
  ...services,
  asker: aManager(),
  place: { guildId: GUILD, channelId: asId<ChannelId>("1"), threadId: null },
});

/** As when somebody deletes its channel by hand. Gives the channel. */
async function loseChannel(): Promise<ChannelId> {
  await ensureCoordinator(services, GUILD);
  const agent = await find();
  if (agent?.channelId == null) throw new Error("It has no channel.");
  services.chat.dropChannel(agent.channelId);
  await channelGone(services, agent.channelId);
  return agent.channelId;
}

const channels = () => services.chat.effectsOf("createChannel").length;

describe("the coordinator", () => {
  it("is made once in each server, with a channel in which it says what it is for", async () => {
    await ensureCoordinator(services, GUILD);
    await ensureCoordinator(services, GUILD);
    const agent = await find();
    expect(agent).toMatchObject({ name: "coordinator", displayName: "Coordinator" });
    if (agent?.channelId == null) throw new Error("It has no channel.");
    const lines = services.chat.lines({ channelId: agent.channelId });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("Coordinator: I am the Coordinator, and this channel is the place");
    expect(channels()).toBe(1);
    await ensureCoordinator(services, OTHER_GUILD);
    expect(channels()).toBe(2);
  });

  it("answers in its channel, and knows what it has said there", async () => {
    await ensureCoordinator(services, GUILD);
    const agent = await find();
    if (agent?.channelId == null) throw new Error("It has no channel.");
    const app = createApp(services);
    services.model.answerTo("direct", "Tell me what for.");
    await app.router.received({
      id: asId<MessageId>(services.chat.nextId()),
      place: { guildId: GUILD, channelId: agent.channelId, threadId: null },
      author: aManager(),
      text: "I need an agent.",
      attachments: [],
      replyToId: null,
      createdAtMs: services.clock.now(),
      editedAtMs: null,
    });
    await app.onIdle();
    const [, , said, asked] = services.model.lastRequest.messages;
    expect(said?.text).toContain("this channel is the place to begin");
    expect(asked?.text).toContain("[Mona (person)] I need an agent.");
  });

  it.each(["before", "after"] as const)(
    "greets once when the process dies %s its words stand there",
    async (time) => {
      services.chat.failNext("post", new ShuttingDown(), time);
      await expect(ensureCoordinator(services, GUILD)).rejects.toThrow(ShuttingDown);
      await ensureCoordinator(services, GUILD);
      await ensureCoordinator(services, GUILD);
      const { channelId } = (await find()) ?? {};
      if (channelId == null) throw new Error("It has no channel.");
      expect(services.chat.lines({ channelId })).toHaveLength(1);
      expect(await services.storage.messages.newestId(asId(channelId))).not.toBeNull();
      expect(channels()).toBe(1);
    },
  );

  it("whose channel was deleted greets once in the new one when its words may stand there", async () => {
    await loseChannel();
    services.chat.failNext("post", new ChatError("unknown", "Who knows."), "after");
    await mendCoordinator(services, GUILD);
    await ensureCoordinator(services, GUILD);
    const { channelId } = (await find()) ?? {};
    if (channelId == null) throw new Error("It has no channel.");
    expect(services.chat.lines({ channelId })).toHaveLength(1);
    expect(await services.storage.messages.newestId(asId(channelId))).not.toBeNull();
    expect(channels()).toBe(2);
  });

  it("says on the demo model what can be done there", async () => {
    const demo = { ...services, settings: { ...services.settings, model: "demo" } };
    await ensureCoordinator(demo, GUILD);
    const { channelId } = (await find()) ?? {};
    if (channelId == null) throw new Error("It has no channel.");
    const [welcome] = services.chat.lines({ channelId });
    expect(welcome).toContain("The bot runs on its demo model now, which makes nothing by talking");
    expect(welcome).not.toContain("Tell me what you need");
  });

  it("is not made again after it was renamed", async () => {
    await ensureCoordinator(services, GUILD);
    const agent = await find();
    if (agent === null) throw new Error("It is missing.");
    await services.storage.agents.update(agent.id, { displayName: "Chief" });
    await ensureCoordinator(services, GUILD);
    await mendCoordinator(services, GUILD);
    expect(channels()).toBe(1);
  });

  it("whose channel was deleted gets another one at the next start, and greets there", async () => {
    const old = await loseChannel();
    expect(channels()).toBe(1);
    await ensureCoordinator(services, GUILD);
    await mendCoordinator(services, GUILD);
    await mendCoordinator(services, GUILD);
    expect(channels()).toBe(2);
    const agent = await find();
    if (agent?.channelId == null) throw new Error("It has no channel.");
    expect(agent.channelId).not.toBe(old);
    expect(services.chat.topic(agent.channelId)).toContain("Coordinator");
    const [welcome] = services.chat.lines({ channelId: agent.channelId });
    expect(welcome).toContain("Coordinator: I am the Coordinator");
    expect((await runOperation(agentList, asked(), {})).text).toContain(`<#${agent.channelId}>`);
  });

  it("whose channel cannot be made keeps what it is, and is tried again", async () => {
    const { chat, log } = services;
    await loseChannel();
    chat.failNext("createChannel", new ChatError("forbidden", "Manage Channels is missing."));
    await mendCoordinator(services, GUILD);
    expect(log.messages("warn")).toContain("the coordinator is not ready yet");
    expect(await find()).toMatchObject({ channelId: null, archivedAtMs: null });
    await mendCoordinator(services, GUILD);
    expect((await find())?.channelId).not.toBeNull();
  });

  it("whose channel was deleted is listed with what makes a new one, and /help tells managers so", async () => {
    await loseChannel();
    const how = "its channel is gone; `/agent_restore coordinator` makes a new one.";
    expect((await runOperation(agentList, asked(), {})).text).toContain(`- Coordinator: ${how}\n`);
    const helpFor = async (asker: Asker) =>
      (await runOperation(help, { ...asked(), asker }, {})).text;
    expect(await helpFor(aManager())).toContain(`**Coordinator**: ${how}`);
    expect(await helpFor(aPerson())).not.toContain("agent_restore");
    expect(await helpFor(aPerson())).toContain("**Begin in three steps**");
  });

  it("whose channel was deleted is brought back by a command, once, which then says where it is", async () => {
    await loseChannel();
    const run = async () =>
      (await runOperation(agentRestore, asked(), { agent: "coordinator" })).text;
    const [first, second] = await Promise.all([run(), run()]);
    const link = `<#${(await find())?.channelId ?? "none"}>`;
    expect(first).toBe(
      `**Coordinator** is back, in a new channel, ${link}, since the old one is gone.`,
    );
    expect(second).toBe(`**Coordinator** is not archived: it is in ${link}.`);
    expect(channels()).toBe(2);
  });

  it("that people have made themselves is left as it is", async () => {
    await addAgent(services, { displayName: "Boss", name: "coordinator" });
    await ensureCoordinator(services, GUILD);
    expect(channels()).toBe(0);
    expect(services.chat.effectsOf("post")).toEqual([]);
  });

  it("that could not be made is logged, and made at the next start", async () => {
    const { chat, log } = services;
    chat.failNext("createChannel", new ChatError("forbidden", "Manage Channels is missing."));
    await ensureCoordinator(services, GUILD);
    expect(await find()).toBeNull();
    expect(log.messages("warn")).toContain("the coordinator is not ready yet");
    await ensureCoordinator(services, GUILD);
    expect(await find()).not.toBeNull();
  });

  it("greets at the next start when it could not be heard at the first", async () => {
    const { chat } = services;
    chat.failNext("post", new ChatError("unavailable", "Discord is in trouble."));
    await ensureCoordinator(services, GUILD);
    expect(chat.effectsOf("post")).toEqual([]);
    await ensureCoordinator(services, GUILD);
    await ensureCoordinator(services, GUILD);
    expect(chat.effectsOf("post")).toHaveLength(1);
    expect(channels()).toBe(1);
  });
});

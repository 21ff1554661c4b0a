import { ChannelType, GatewayDispatchEvents } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { viewPlainChannel } from "../../src/playground/world/channelViews.js";
import { createThread } from "../../src/playground/world/threadCreation.js";
import { joinThread, updateThread } from "../../src/playground/world/threads.js";
import type { EndpointRequest } from "../support/modelEndpoint.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;
beforeEach(async () => {
  theatre = await openTheatre();
  review = await furnish(theatre);
});
afterEach(() => theatre.close());

const onlyEditor = (say: (request: EndpointRequest) => string = () => "Here.") =>
  theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, (_, request) => say(request)));
const newThread = (name = "Details", startMessageId?: string) =>
  theatre.loopback.people.createThread(theatre.ada, review, name, startMessageId);
const recordOf = (threadId: string) => theatre.loopback.world.thread(threadId);
/** What the newest turn was asked, without its system text. */
const lastTurn = () =>
  theatre.endpoint.requests
    .findLast(({ answerName }) => answerName === null)
    ?.prompt.split("\nuser: ")
    .slice(1)
    .join("\n");
const openRounds = () => theatre.bot().services.storage.rounds.unfinished();

describe("a thread under a group's channel", () => {
  it("is a conversation of its own, at the same time as the channel's, by the channel's webhook", async () => {
    const thread = newThread();
    onlyEditor((request) => (request.prompt.includes("In the thread") ? "There." : "Here."));
    theatre.say(review, "In the channel");
    await theatre.lineCount(review, 3);
    theatre.endpoint.hang();
    theatre.say(review, "This one hangs");
    await theatre.endpoint.request(2);
    onlyEditor((request) => (request.prompt.includes("In the thread") ? "There." : "Here."));
    theatre.say(thread.id, "In the thread");
    expect(await theatre.lineCount(thread.id, 2)).toEqual(["ada: In the thread", "Editor: There."]);
    expect(lastTurn()).toBe("[Ada (person)] In the thread");
    const [, inThread] = theatre.messages(thread.id);
    const inChannel = theatre.messages(review).find(({ content }) => content === "Here.");
    expect(inThread?.webhook_id).toBe(inChannel?.webhook_id);

    // The channel's own round was running all the time.
    const { place } = (await openRounds())[0] ?? {};
    expect(place).toMatchObject({ channelId: review, threadId: null });
    await theatre.command("round_stop", {}, { in: review });
    await theatre.idle();
    expect(theatre.lines(thread.id)).toHaveLength(2);
  });

  it("begins with the message that it was started from", async () => {
    onlyEditor(() => "It was 1912.");
    theatre.say(review, "When was that?");
    await theatre.lineCount(review, 2);
    await theatre.idle();
    const said = theatre.messages(review).at(-1);
    const thread = newThread("Sources", said?.id);
    theatre.endpoint.respond(cast({ researcher: 1, editor: 0 }, () => "In the archive."));
    theatre.say(thread.id, "Where does it say so?");
    await theatre.loopback.until(
      () => (theatre.lines(thread.id).includes("Researcher: In the archive.") ? true : undefined),
      "the answer in the thread",
    );
    expect(lastTurn()).toBe("[Editor] It was 1912.\n[Ada (person)] Where does it say so?");
    const judged = theatre.endpoint.requests.findLast(({ answerName }) => answerName !== null);
    expect(judged?.prompt).toContain("Said before:\n[Editor] It was 1912.\n");
    await theatre.idle();
  });

  it("that was archived is answered again after a person writes, also when the bot started later", async () => {
    const thread = newThread();
    onlyEditor();
    theatre.say(thread.id, "First");
    await theatre.lineCount(thread.id, 2);
    await theatre.idle();
    await theatre.stopBot();
    updateThread(theatre.loopback.world, recordOf(thread.id), { archived: true });
    await theatre.startBot();
    theatre.say(thread.id, "Second");
    expect((await theatre.lineCount(thread.id, 4)).slice(2)).toEqual([
      "ada: Second",
      "Editor: Here.",
    ]);
    await theatre.idle();
  });

  it("that is archived while somebody writes is opened again by the reply", async () => {
    const thread = newThread();
    onlyEditor(() => {
      updateThread(theatre.loopback.world, recordOf(thread.id), { archived: true });
      return "Late.";
    });
    theatre.say(thread.id, "Hello?");
    expect((await theatre.lineCount(thread.id, 2)).at(-1)).toBe("Editor: Late.");
    expect(recordOf(thread.id).archived).toBe(false);
    await theatre.idle();
  });

  it("that is locked while somebody writes ends the round there", async () => {
    const thread = newThread();
    theatre.endpoint.respond(
      cast({ researcher: 0.6, editor: 0.9 }, () => {
        updateThread(theatre.loopback.world, recordOf(thread.id), { locked: true });
        return "Too late.";
      }),
    );
    theatre.say(thread.id, "Hello?");
    await theatre.endpoint.request(1);
    await theatre.idle();
    expect(theatre.lines(thread.id)).toEqual(["ada: Hello?"]);
    // The judge and one turn: the second member is not asked for nothing.
    expect(theatre.endpoint.requests).toHaveLength(2);
    expect(await openRounds()).toEqual([]);
  });

  it("that is deleted while somebody writes ends the round, the model call included", async () => {
    const thread = newThread();
    theatre.endpoint.respond((request) =>
      request.answerName === null
        ? { type: "hang" }
        : cast({ researcher: 0, editor: 1 }, () => "")(request),
    );
    theatre.say(thread.id, "Hello?");
    const { left } = await theatre.endpoint.request(1);
    theatre.say(thread.id, "Anybody?");
    theatre.loopback.people.deleteChannel(theatre.ada, thread.id);
    await left;
    await theatre.idle();
    expect(await openRounds()).toEqual([]);
    // What waited there starts nothing.
    expect(theatre.endpoint.requests).toHaveLength(2);
  });

  it("that is private and that the bot was added to works the same", async () => {
    const { world } = theatre.loopback;
    const thread = createThread(world, world.channel(review), {
      name: "Among us",
      ownerId: theatre.ada,
      type: ChannelType.PrivateThread,
      autoArchiveMinutes: 4320,
    });
    joinThread(world, thread, world.application.botUserId);
    onlyEditor();
    theatre.say(thread.id, "Quietly");
    expect(await theatre.lineCount(thread.id, 2)).toEqual(["ada: Quietly", "Editor: Here."]);
    await theatre.idle();
  });

  it("under a channel that is no group's is left alone", async () => {
    const { people, channelId } = theatre.loopback;
    const elsewhere = people.createThread(theatre.ada, channelId, "Elsewhere");
    theatre.say(elsewhere.id, "Hello, @Editor?");
    onlyEditor();
    theatre.say(review, "Hello?");
    await theatre.lineCount(review, 2);
    await theatre.idle();
    expect(theatre.lines(elsewhere.id)).toEqual(["ada: Hello, @Editor?"]);
  });
});

describe("a group's channel that was made an announcement channel", () => {
  it("works as before, its threads too", async () => {
    const { world } = theatre.loopback;
    const channel = world.channel(review);
    world.channels.set(review, { ...channel, type: ChannelType.GuildAnnouncement });
    world.dispatch(
      {
        t: GatewayDispatchEvents.ChannelUpdate,
        d: viewPlainChannel(world.channel(review)),
      } as Parameters<typeof world.dispatch>[0],
      channel.guildId,
    );
    onlyEditor();
    theatre.say(review, "News?");
    expect(await theatre.lineCount(review, 2)).toEqual(["ada: News?", "Editor: Here."]);
    const thread = createThread(world, world.channel(review), {
      name: "About the news",
      ownerId: theatre.ada,
      type: ChannelType.AnnouncementThread,
      autoArchiveMinutes: 4320,
    });
    theatre.say(thread.id, "More?");
    expect(await theatre.lineCount(thread.id, 2)).toEqual(["ada: More?", "Editor: Here."]);
    await theatre.command("group_update", { group: "review", display_name: "Newsroom" });
    await theatre.idle();
    expect(world.channel(review).topic).toContain("Newsroom | ");
  });
});

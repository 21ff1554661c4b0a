import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  asId,
  type ChannelId,
  compareSnowflakes,
  type GuildId,
  type MessageId,
  type ThreadId,
} from "../../../src/domain/ids.js";
import type { Place } from "../../../src/domain/message.js";
import {
  type Announcement,
  type Chat,
  ChatError,
  type ChatErrorKind,
  type PersonaPost,
} from "../../../src/ports/chat.js";

/** A chat with one server, one channel and one thread in it. */
export interface ChatStage {
  readonly chat: Chat;
  readonly guildId: GuildId;
  readonly channel: Place;
  readonly thread: Place;
  /** `Editor: text` for a persona's message and `(bot) text` for the bot's own, oldest first. */
  lines(place: Place): readonly string[];
  threadName(threadId: ThreadId): string | undefined;
  /** The name of the category that a channel is in. */
  category(channelId: ChannelId): string | undefined;
  /** People fill a category: no channel more fits in. */
  fillCategory(name: string): Promise<void>;
  /** A person deletes the channel. */
  dropChannel(channelId: ChannelId): Promise<void>;
  /** A person deletes the thread. */
  dropThread(threadId: ThreadId): Promise<void>;
  /** Resolves once `look` gives true. */
  until(look: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** What every implementation of the port does in the same way. */
export function describeChat(name: string, open: () => Promise<ChatStage>): void {
  describe(`the chat port, by ${name}`, () => {
    let stage: ChatStage;
    let chat: Chat;

    beforeEach(async () => {
      stage = await open();
      chat = stage.chat;
    });
    afterEach(() => stage.close());

    const post = (change: Partial<PersonaPost> = {}) =>
      chat.post(
        {
          place: stage.channel,
          persona: { name: "Editor", pictureUrl: null },
          text: "Shorten it.",
          file: null,
          ...change,
        },
        NEVER,
      );
    const announce = (change: Partial<Announcement> = {}) =>
      chat.announce(
        {
          place: stage.channel,
          text: "The round is over.",
          buttons: [],
          isSilent: false,
          nonce: "n1",
          isDoubtful: false,
          afterId: null,
          ...change,
        },
        NEVER,
      );
    const find = (change: Partial<Parameters<Chat["findPost"]>[0]> = {}) =>
      chat.findPost(
        {
          place: stage.channel,
          personaName: "Editor",
          text: "Shorten it.",
          afterId: BEFORE_ALL,
          except: [],
          ...change,
        },
        NEVER,
      );
    const make = (name: string, topic = "") =>
      chat.createChannel({ guildId: stage.guildId, name, category: "Groups", topic });

    it("shows posts under their personas, in order, with rising ids", async () => {
      const first = await post();
      const second = await post({
        persona: { name: "Researcher", pictureUrl: null },
        text: "Why?",
      });
      expect(stage.lines(stage.channel)).toEqual(["Editor: Shorten it.", "Researcher: Why?"]);
      expect(compareSnowflakes(first, second)).toBeLessThan(0);
    });

    it("keeps a thread apart from its channel", async () => {
      await post({ place: stage.thread, text: "Inside" });
      await announce({ place: stage.thread });
      await post({ text: "Outside" });
      expect(stage.lines(stage.thread)).toEqual(["Editor: Inside", "(bot) The round is over."]);
      expect(stage.lines(stage.channel)).toEqual(["Editor: Outside"]);
      expect(await find({ text: "Inside" })).toBeNull();
      expect(await find({ text: "Inside", place: stage.thread })).not.toBeNull();
    });

    it.each([
      ["nothing that can be seen", " \n "],
      ["more than 2,000 characters", "x".repeat(2_001)],
    ])("refuses a post of %s", async (_what, text) => {
      expect(await kindOf(post({ text }))).toBe("refused");
      expect(stage.lines(stage.channel)).toEqual([]);
    });

    it("finds a post by persona, text and age, and leaves out what is accounted for", async () => {
      const first = await post();
      const second = await post();
      expect(await find()).toBe(first);
      expect(await find({ except: [first] })).toBe(second);
      expect(await find({ afterId: first })).toBe(second);
      expect(await find({ afterId: second })).toBeNull();
      expect(await find({ personaName: "Researcher" })).toBeNull();
      expect(await find({ text: "Another" })).toBeNull();
    });

    it("does nothing for a signal that is aborted already, and rejects with its reason", async () => {
      const reason = new Error("stopped by Ada");
      const aborted = AbortSignal.abort(reason);
      const persona = { name: "Editor", pictureUrl: null };
      const work = chat.post({ place: stage.channel, persona, text: "Late", file: null }, aborted);
      await expect(work).rejects.toBe(reason);
      expect(stage.lines(stage.channel)).toEqual([]);
    });

    it("announces once under the same nonce", async () => {
      const first = await announce();
      expect(await announce()).toBe(first);
      expect(await announce({ nonce: "n2" })).not.toBe(first);
      expect(stage.lines(stage.channel)).toHaveLength(2);
    });

    it("looks for a doubtful announcement by its text before it says it again", async () => {
      const first = await announce();
      const doubtful = { nonce: "n2", isDoubtful: true };
      expect(await announce({ ...doubtful, afterId: BEFORE_ALL })).toBe(first);
      expect(await announce({ ...doubtful, afterId: first })).not.toBe(first);
      expect(await announce({ nonce: "n3", isDoubtful: true, text: "Other" })).not.toBe(first);
      expect(stage.lines(stage.channel)).toHaveLength(3);
    });

    it("changes an announcement, and says when there is none any more", async () => {
      const id = await announce();
      await chat.editAnnouncement(stage.channel, id, { text: "It goes on.", buttons: [] });
      expect(stage.lines(stage.channel)).toEqual(["(bot) It goes on."]);
      await chat.remove(stage.channel, id);
      const change = chat.editAnnouncement(stage.channel, id, { text: "Late", buttons: [] });
      expect(await kindOf(change)).toBe("gone");
    });

    it("finds its own message by a button that it carries", async () => {
      const stop = { id: "stop:1", label: "Stop", style: "danger" as const };
      const other = await announce({ nonce: "n0", buttons: [{ ...stop, id: "stop:0" }] });
      const id = await announce({ buttons: [stop] });
      const findOwn = (buttonId: string, afterId: MessageId) =>
        chat.findOwn({ place: stage.channel, buttonId, afterId }, NEVER);
      expect(await findOwn("stop:1", BEFORE_ALL)).toBe(id);
      expect(await findOwn("stop:0", BEFORE_ALL)).toBe(other);
      expect(await findOwn("stop:0", other)).toBeNull();
      expect(await findOwn("stop:2", BEFORE_ALL)).toBeNull();
    });

    it("changes what a post says, in a thread too, and says when it is gone", async () => {
      const outside = await post();
      const inside = await post({ place: stage.thread });
      await chat.editPost(stage.channel, outside, { text: "Keep it.", file: null });
      await chat.editPost(stage.thread, inside, { text: "Keep it here.", file: null });
      expect(stage.lines(stage.channel)).toEqual(["Editor: Keep it."]);
      expect(stage.lines(stage.thread)).toEqual(["Editor: Keep it here."]);
      await chat.remove(stage.channel, outside);
      const change = chat.editPost(stage.channel, outside, { text: "Late", file: null });
      expect(await kindOf(change)).toBe("gone");
    });

    it("removes messages of the bot and of personas, and is content when they are gone", async () => {
      const ids = [await announce(), await post(), await post({ place: stage.thread })] as const;
      await chat.remove(stage.channel, ids[0]);
      await chat.remove(stage.channel, ids[1]);
      await chat.remove(stage.thread, ids[2]);
      await chat.remove(stage.channel, ids[0]);
      expect(stage.lines(stage.channel)).toEqual([]);
      expect(stage.lines(stage.thread)).toEqual([]);
    });

    it("makes channels with a topic that is known at once", async () => {
      const review = await make("review", "Review | Host: Editor");
      const planning = await make("planning");
      expect(review).not.toBe(planning);
      expect(chat.topic(review)).toBe("Review | Host: Editor");
      expect(chat.topic(planning)).toBe("");
      await post({ place: { ...stage.channel, channelId: review } });
      expect(stage.lines({ ...stage.channel, channelId: review })).toHaveLength(1);
    });

    it("finds channels by what they were made as, and knows whether anything stands there", async () => {
      const sinceMs = 0;
      const review = await make("review", "Review");
      await make("planning", "Review");
      await make("review", "Another");
      const wanted = {
        guildId: stage.guildId,
        name: "review",
        category: "Groups",
        topic: "Review",
      };
      expect(await chat.findChannels(wanted, sinceMs)).toEqual([
        { channelId: review, isUnused: true },
      ]);
      await post({ place: { ...stage.channel, channelId: review } });
      expect(await chat.findChannels(wanted, sinceMs)).toEqual([
        { channelId: review, isUnused: false },
      ]);
      expect(await chat.findChannels(wanted, FAR_AHEAD_MS)).toEqual([]);
    });

    it("changes a topic", async () => {
      const review = await make("review", "Before");
      await chat.setTopic(review, "After");
      await stage.until(() => chat.topic(review) === "After");
    });

    it("knows nothing of a channel that was taken back", async () => {
      const review = await make("review", "Review");
      await chat.discardChannel(review);
      await stage.until(() => chat.topic(review) === null);
      expect(await kindOf(chat.setTopic(review, "Late"))).toBe("gone");
    });

    it("moves a channel to a category and back, and can still post there", async () => {
      const review = await make("review", "Review");
      await chat.moveChannel(review, "Archive", "another");
      await chat.moveChannel(review, "Archive", "another");
      expect(stage.category(review)).toBe("Archive");
      await post({ place: { ...stage.channel, channelId: review } });
      await chat.moveChannel(review, "Groups", "refuse");
      expect(stage.category(review)).toBe("Groups");
      expect(stage.lines({ ...stage.channel, channelId: review })).toHaveLength(1);
      expect(chat.topic(review)).toBe("Review");
    });

    it("refuses to move into a full category, or makes one more of the same name", async () => {
      const review = await make("review");
      await stage.fillCategory("Archive");
      expect(await kindOf(chat.moveChannel(review, "Archive", "refuse"))).toBe("full");
      expect(stage.category(review)).toBe("Groups");
      await chat.moveChannel(review, "Archive", "another");
      expect(stage.category(review)).toBe("Archive");
    });

    it("knows whether a channel exists", async () => {
      const review = await make("review");
      expect(await chat.hasChannel(review)).toBe(true);
      await stage.dropChannel(review);
      expect(await chat.hasChannel(review)).toBe(false);
      expect(await kindOf(chat.moveChannel(review, "Archive", "another"))).toBe("gone");
    });

    it("says of everything in a deleted channel that it is gone", async () => {
      const channelId = await make("review");
      const place: Place = { ...stage.channel, channelId };
      const id = await post({ place });
      await stage.dropChannel(channelId);
      expect(await kindOf(post({ place }))).toBe("gone");
      expect(await kindOf(announce({ place }))).toBe("gone");
      expect(await kindOf(find({ place }))).toBe("gone");
      await chat.remove(place, id);
      await chat.showTyping(place);
      await stage.until(() => chat.topic(channelId) === null);
    });

    it("keeps pictures at an address of the chat service until they are discarded", async () => {
      const picture = await chat.uploadPicture("editor_1", PNG);
      expect(picture.url).toMatch(/^https:\/\/cdn\.discordapp\.com\/emojis\/\d+\.png/);
      await chat.discardPicture(picture);
      await chat.discardPicture(picture);
    });

    it("refuses a picture that is larger than 256 KiB", async () => {
      const large = Buffer.concat([PNG, Buffer.alloc(256 * 1024)]);
      expect(await kindOf(chat.uploadPicture("editor_1", large))).toBe("refused");
    });

    it("gives a thread that is known the name that is wanted", async () => {
      const { guildId, channelId } = stage.channel;
      const wanted = { guildId, channelId, name: "→ Editor", known: null };
      const first = await chat.openThread(wanted);
      expect(await chat.openThread({ ...wanted, name: "→ Wordsmith", known: first })).toBe(first);
      expect(stage.threadName(first)).toBe("→ Wordsmith");
    });

    it("opens one thread of a name, and a new one when that is gone", async () => {
      const { guildId, channelId } = stage.channel;
      const wanted = { guildId, channelId, name: "→ Editor", known: null };
      const first = await chat.openThread(wanted);
      expect(await chat.openThread({ ...wanted, known: first })).toBe(first);
      const place = { ...stage.channel, threadId: first };
      await post({ place, text: "In here." });
      expect(stage.lines(place)).toEqual(["Editor: In here."]);
      await stage.dropThread(first);
      const second = await chat.openThread({ ...wanted, known: first });
      expect(second).not.toBe(first);
    });

    it("gives the address of a message, in a thread by the thread", () => {
      const id = asId<MessageId>("300000000000000003");
      const server = `https://discord.com/channels/${stage.guildId}`;
      expect(chat.link(stage.channel, id)).toBe(`${server}/${stage.channel.channelId}/${id}`);
      expect(chat.link(stage.thread, id)).toBe(`${server}/${stage.thread.threadId}/${id}`);
    });
  });
}

const NEVER = new AbortController().signal;
const FAR_AHEAD_MS = 4_000_000_000_000;
/** Older than every message of a test. */
const BEFORE_ALL = asId<MessageId>("100000000000000000");

/** One transparent pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

async function kindOf(work: Promise<unknown>): Promise<ChatErrorKind> {
  const error: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof ChatError)) throw new Error("There was no ChatError.", { cause: error });
  return error.kind;
}

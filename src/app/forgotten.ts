/**
 * What agents have said and the database does not know of: then the database is an older copy, and
 * what it takes for unanswered was answered. Looked for before anything goes on at the start.
 */
import { type Agent, COORDINATOR } from "../domain/agent.js";
import {
  asId,
  type ConversationId,
  compareSnowflakes,
  type MessageId,
  snowflakeTimeMs,
} from "../domain/ids.js";
import { conversationOf, type Message, type Place, said, writtenId } from "../domain/message.js";
import { ChatError } from "../ports/chat.js";
import type { History, SpokenPost } from "../ports/listener.js";
import { journaledIds, postsInDoubt, saidBefore } from "./knownPosts.js";
import type { Mark } from "./marks.js";
import { Seats } from "./seats.js";
import type { Services } from "./services.js";

type ForgottenServices = Pick<Services, "storage" | "chat" | "clock" | "log">;

/** Messages looked at per conversation. */
const MAX_MESSAGES = 300;
const READERS = 5;
/** Everything at the start waits for this. */
const LOOKING_MS = 5_000;
const THROUGH = "forgotten through";
const LINE =
  "-# I was started with an older copy of my database, so I do not know what became of what was written here before. Write again what was not answered.";

interface Unknown {
  readonly place: Place;
  readonly post: SpokenPost;
}

export class Forgotten {
  readonly #services: ForgottenServices;
  readonly #history: Pick<History, "spoken">;
  readonly #told = new Set<ConversationId>();
  /** Up to then a process acted of which the database knows nothing. */
  #through: MessageId | null = null;
  /** The newest that the bot said anywhere, in its own name too. */
  #newestId: MessageId | null = null;

  constructor(history: Pick<History, "spoken">, services: ForgottenServices) {
    this.#history = history;
    this.#services = services;
  }

  /** Whether it was written in the time that the database does not know. */
  covers(id: MessageId): boolean {
    return this.#through !== null && compareSnowflakes(id, this.#through) <= 0;
  }

  /** Whether no agent is known to have said anything there after this. */
  async mayBeUnanswered({ id, place }: Pick<Message, "id" | "place">): Promise<boolean> {
    const { storage } = this.#services;
    const recent = await storage.messages.recent(conversationOf(place), {
      before: null,
      limit: MAX_MESSAGES,
    });
    return !recent.some(
      (message) => message.author.kind === "agent" && compareSnowflakes(message.id, id) > 0,
    );
  }

  /**
   * Looks at these conversations. What the database does not know is stored; whatever it thinks is
   * going on, or waits, ends without an answer, and people are told where it may have none. To be
   * called before anything is taken up.
   */
  async find(marks: readonly Mark[]): Promise<void> {
    const { storage, log } = this.#services;
    const before = await storage.settings.get(THROUGH);
    if (before !== null) this.#through = asId<MessageId>(before);
    const unknown = await this.#unknownIn(marks);
    // What it said itself, such as an answer to a command, is no sign alone; but it ends the time.
    if (unknown.length > 0 && this.#newestId !== null) {
      this.#through = newer(this.#newestId, this.#through);
    }
    if (this.#through === null) return;
    if (unknown.length > 0) {
      log.warn(
        { posts: unknown.length, throughId: this.#through },
        "agents have said what the database does not know: it is an older copy; what was written up to then is not answered again",
      );
      // First of all: what is stored is no sign any more at the next start.
      await storage.settings.set(THROUGH, this.#through);
    }
    await this.#store(unknown);
    await this.#endAll();
  }

  /** Says once in a conversation that something there may have no answer. */
  async tell(place: Place): Promise<void> {
    const { chat, clock, log } = this.#services;
    const conversationId = conversationOf(place);
    if (this.#through === null || this.#told.has(conversationId)) return;
    this.#told.add(conversationId);
    try {
      await chat.announce(
        {
          place,
          text: LINE,
          buttons: [],
          isSilent: true,
          nonce: `fg${conversationId}`,
          isDoubtful: true,
          afterId: this.#through,
        },
        clock.timeout(LOOKING_MS),
      );
    } catch (error) {
      log.warn({ err: error, place }, "people were not told that the database is an older copy");
    }
  }

  async #unknownIn(marks: readonly Mark[]): Promise<readonly Unknown[]> {
    const { storage, clock } = this.#services;
    const doubts = await postsInDoubt(storage);
    const seats = new Seats(READERS);
    const signal = clock.timeout(LOOKING_MS);
    const found = await Promise.all(
      marks.map((mark) => seats.during(() => this.#unknownAt(mark, signal))),
    );
    const isDoubtful = ({ place, post }: Unknown) =>
      doubts.some((doubt) => doubt.isLike(place, post));
    if (found.flat().every(isDoubtful)) return [];
    const known = await journaledIds(storage, marks);
    const unknown = found.flat().filter(({ post }) => !known.has(post.id));
    // Where there is more, a round has gone on after what it had in doubt.
    return unknown.every(isDoubtful) ? [] : unknown;
  }

  /** What is said there under an agent's name and is not stored. */
  async #unknownAt(
    { place, afterId, heardId }: Mark,
    signal: AbortSignal,
  ): Promise<readonly Unknown[]> {
    const { storage, log } = this.#services;
    // What only shows an exchange is no part of any conversation.
    const { threadId } = place;
    if (threadId !== null && (await storage.exchanges.ofThread(threadId)) !== null) return [];
    const owner = heardId === null ? await storage.agents.byChannel(place.channelId) : null;
    // Its first words are stored after they are said.
    if (owner?.name === COORDINATOR) return [];
    try {
      const spoken = await this.#history.spoken(place, heardId ?? afterId, MAX_MESSAGES, signal);
      const { posts, newestId } = spoken;
      if (newestId !== null) this.#newestId = newer(newestId, this.#newestId);
      const isSaid = posts.length === 0 ? null : await saidBefore(storage, place);
      const unknown: Unknown[] = [];
      for (const post of posts) {
        const isKnown = isSaid?.(post) === true || (await storage.messages.get(post.id)) !== null;
        if (!isKnown) unknown.push({ place, post });
      }
      return unknown;
    } catch (error) {
      if (!(error instanceof ChatError) && !signal.aborted) throw error;
      log.info({ err: error, place }, "it was not seen what agents have said there");
      return [];
    }
  }

  /** As the agent of that name said it; of nobody's nothing is stored. */
  async #store(unknown: readonly Unknown[]): Promise<void> {
    const { storage } = this.#services;
    for (const { place, post } of unknown) {
      const agents = await storage.agents.list(place.guildId);
      const named = agents.filter(({ displayName }) => displayName === post.personaName);
      const agent = named.find(({ archivedAtMs }) => archivedAtMs === null) ?? named[0];
      if (agent === undefined) continue;
      await storage.messages.record(messageOf(place, post, agent), { isPending: false });
    }
  }

  /** Closes and settles all of that time. */
  async #endAll(): Promise<void> {
    const { storage, clock } = this.#services;
    for (const round of await storage.rounds.unfinished()) {
      if (!this.covers(round.triggerId)) continue;
      const { length } = await storage.rounds.journal(round.id);
      const closed = { type: "closed", outcome: "stale" } as const;
      await storage.rounds.append(round.id, length, [closed], { atMs: clock.now() });
      if (await this.mayBeUnanswered({ ...round, id: round.triggerId }))
        await this.tell(round.place);
    }
    for (const place of await storage.messages.pendingPlaces()) {
      const waiting = await storage.messages.pending(conversationOf(place));
      const covered = waiting.filter((message) => this.covers(writtenId(message)));
      await storage.messages.settle(covered.map(({ id }) => id));
      const last = covered.at(-1);
      if (last !== undefined && (await this.mayBeUnanswered(last))) await this.tell(place);
    }
    for (const { nonce, place, trigger, afterId } of await storage.words.list()) {
      if (trigger === null || !this.covers(afterId)) continue;
      await storage.words.settle(nonce, null);
      if (await this.mayBeUnanswered({ id: afterId, place })) await this.tell(place);
    }
  }
}

/** For where there is no history to ask. */
export const nothingSpoken: Pick<History, "spoken"> = {
  spoken: () => Promise.resolve({ posts: [], newestId: null }),
};

function newer(a: MessageId, b: MessageId | null): MessageId {
  return b === null || compareSnowflakes(a, b) > 0 ? a : b;
}

function messageOf(place: Place, { id, text }: SpokenPost, agent: Agent): Message {
  return said({
    id,
    place,
    author: { kind: "agent", agentId: agent.id, name: agent.displayName },
    text,
    createdAtMs: snowflakeTimeMs(id),
  });
}

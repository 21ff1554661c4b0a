/** Which posts of agents the database knows of, also where they are not in a transcript, or not yet. */
import type { MessageId } from "../domain/ids.js";
import { conversationOf, type Place } from "../domain/message.js";
import { applyEvent, nextStep, type RoundState } from "../domain/round/nextStep.js";
import type { Round, RoundEvent } from "../domain/round/round.js";
import type { SpokenPost } from "../ports/listener.js";
import type { Storage } from "../ports/storage.js";
import type { Mark } from "./marks.js";

/** Stored messages of a conversation among which a post's double is looked for. */
const MAX_STORED = 50;

/** A post that may stand in the channel although nothing came back of it. */
export interface PostInDoubt {
  isLike(place: Place, post: SpokenPost): boolean;
}

/** The next posts of the rounds that are not finished. */
export async function postsInDoubt(
  storage: Pick<Storage, "rounds">,
): Promise<readonly PostInDoubt[]> {
  const found: PostInDoubt[] = [];
  for (const round of await storage.rounds.unfinished()) {
    const events = (await storage.rounds.journal(round.id)).map(({ event }) => event);
    found.push(...inDoubt(round, events));
  }
  return found;
}

function inDoubt(round: Round, events: readonly RoundEvent[]): readonly PostInDoubt[] {
  let state: RoundState | null = null;
  for (const event of events) state = applyEvent(round.kind, state, event);
  const step = state === null ? null : nextStep(state);
  if (state === null || step === null) return [];
  if (step.do === "post") {
    const name = state.current?.displayName ?? "";
    return [doubt([round.place], name, state.current?.parts[step.part]?.content)];
  }
  if (step.do !== "send" || state.kind !== "direct") return [];
  const { outgoing, chain } = state;
  const post = outgoing?.posts[step.part];
  if (outgoing === null || post === undefined) return [];
  // It is shown in the channel where its thread is gone.
  const places = chain?.role === "request" ? [post.place, chain.back] : [post.place];
  return [doubt(places, outgoing.displayName, post.content)];
}

function doubt(places: readonly Place[], name: string, text = ""): PostInDoubt {
  const here = new Set(places.map(conversationOf));
  return {
    isLike: (place, post) =>
      here.has(conversationOf(place)) &&
      lettersOf(post.personaName) === lettersOf(name) &&
      lettersOf(post.text) === lettersOf(text),
  };
}

/** Whether the same is stored already: a request that was carried out twice leaves a double. */
export async function saidBefore(
  storage: Pick<Storage, "messages">,
  place: Place,
): Promise<(post: SpokenPost) => boolean> {
  const stored = await storage.messages.recent(conversationOf(place), {
    before: null,
    limit: MAX_STORED,
  });
  const said = new Set(
    stored.flatMap(({ author, text }) => (author.kind === "agent" ? [lettersOf(text)] : [])),
  );
  return ({ text }) => said.has(lettersOf(text));
}

/** Every message that rounds of these conversations are known to have made. */
export async function journaledIds(
  storage: Pick<Storage, "rounds">,
  marks: readonly Mark[],
): Promise<ReadonlySet<MessageId>> {
  const ids = new Set<MessageId>();
  for (const { place, afterId } of marks) {
    for (const { events } of await storage.rounds.since(conversationOf(place), afterId)) {
      for (const event of events) {
        if ("messageId" in event && event.messageId !== null) ids.add(event.messageId);
      }
    }
  }
  return ids;
}

/** Discord changes white space and what nobody sees, and a part's code fences are its own. */
function lettersOf(text: string): string {
  return text.normalize("NFC").replace(/[^\p{L}\p{N}]+/gu, "");
}

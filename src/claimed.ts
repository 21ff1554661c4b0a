/** What may be done only by the process that has the claim on the database. */
import type { Chat } from "./ports/chat.js";
import type { Claim, Storage } from "./ports/storage.js";

/** The same storage; a round is opened and goes on only while the claim is held. */
export function claimedStorage(storage: Storage, claim: Claim): Storage {
  const { rounds } = storage;
  return {
    ...storage,
    rounds: {
      ...rounds,
      async open(round, opened) {
        await claim.check();
        return rounds.open(round, opened);
      },
      async append(roundId, seq, events, options) {
        await claim.check();
        await rounds.append(roundId, seq, events, options);
      },
    },
  };
}

/**
 * The same chat; a process that was paused and wakes when another has taken over says nothing any
 * more. Besides `ChatError`, `post` and `announce` reject as `Claim.check` does.
 */
export function claimedChat(chat: Chat, claim: Pick<Claim, "check">): Chat {
  return {
    ...chat,
    async post(post, signal) {
      await claim.check();
      return chat.post(post, signal);
    },
    async announce(announcement, signal) {
      await claim.check();
      return chat.announce(announcement, signal);
    },
  };
}

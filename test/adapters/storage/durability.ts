import { describe, expect, test } from "vitest";
import { asId, type ConversationId } from "../../../src/domain/ids.js";
import type { Storage } from "../../../src/ports/storage.js";
import { agent, channelId, group, message, opened, reply, round, usage } from "./samples.js";

/** What survives the process. `newPlace` gives an opener of one empty place, to be opened again and again. */
export function durabilityContract(
  name: string,
  newPlace: () => Promise<() => Promise<Storage>>,
): void {
  describe(`${name}, opened again`, () => {
    test("everything is as it was when it was closed", async () => {
      const open = await newPlace();
      const before = await open();
      const members = [agent("editor"), agent("writer")];
      const review = group("review", members, { channelId: channelId("500"), muted: [] });
      const running = round("r1", 11);
      for (const one of members) await before.agents.create(one);
      await before.groups.create(review);
      await before.messages.record(message(11), { isPending: true });
      await before.messages.record(message(13), { isPending: true });
      await before.rounds.open(running, opened([11]));
      await before.rounds.append(
        running.id,
        1,
        [{ type: "posted", part: 0, messageId: message(12).id }],
        { atMs: 20, message: reply(12, running) },
      );
      await before.usage.add(usage({ roundId: running.id }));
      await before.webhooks.set(channelId("500"), asId("900"));
      await before.settings.set("commands", "abc");
      const journal = await before.rounds.journal(running.id);
      await before.close();

      const after = await open();
      expect(await after.agents.list(review.guildId)).toEqual(members);
      expect(await after.groups.get(review.id)).toEqual(review);
      const { messages } = await after.messages.transcript(asId<ConversationId>("500"), 10);
      expect(messages).toEqual([message(11), reply(12, running), message(13)]);
      expect(await after.messages.pending(asId<ConversationId>("500"))).toEqual([message(13)]);
      expect(await after.rounds.unfinished()).toEqual([running]);
      expect(await after.rounds.journal(running.id)).toEqual(journal);
      expect(await after.usage.ofRound(running.id)).toEqual([usage({ roundId: running.id })]);
      expect(await after.webhooks.get(channelId("500"))).toBe("900");
      expect(await after.settings.get("commands")).toBe("abc");
      expect(await after.messages.record(message(11), { isPending: true })).toBe(false);
      await after.rounds.append(running.id, 2, [{ type: "closed", outcome: "done" }], { atMs: 30 });
      await after.close();
    });
  });
}

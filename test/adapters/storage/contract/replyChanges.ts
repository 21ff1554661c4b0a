import { expect, test } from "vitest";
import { asId } from "../../../../src/domain/ids.js";
import type { ReplyChange } from "../../../../src/ports/replyChanges.js";
import type { Storage } from "../../../../src/ports/storage.js";
import { channelId, GUILD } from "../samples.js";

export function replyChangeStoreContract(storage: () => Storage): void {
  const changes = () => storage().replyChanges;
  const change = (id: string, text: string): ReplyChange => ({
    id,
    place: { guildId: GUILD, channelId: channelId("701"), threadId: null },
    messages: [
      { id: asId("801"), becomes: { text, file: { name: "ann.md", text }, share: text } },
      { id: asId("802"), becomes: null },
    ],
  });

  test("a change is there until it is settled", async () => {
    await changes().plan(change("round-1 1", "“100 %” \u0000 new"));
    await changes().plan(change("round-1 2", "Other"));
    expect(await changes().list()).toHaveLength(2);
    await changes().settle("round-1 2");
    await changes().settle("round-1 2");
    expect((await changes().list()).map(({ id }) => id)).toEqual(["round-1 1"]);
  });

  test("another change of the same reply takes its place", async () => {
    await changes().plan(change("round-1 1", "Old"));
    await changes().plan(change("round-1 1", "New"));
    expect(await changes().list()).toEqual([change("round-1 1", "New")]);
  });
}

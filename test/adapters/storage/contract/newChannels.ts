import { expect, test } from "vitest";
import type { Storage } from "../../../../src/ports/storage.js";
import { channelId, GUILD, OTHER_GUILD } from "../samples.js";

export function newChannelStoreContract(storage: () => Storage): void {
  const plans = () => storage().newChannels;
  const wanted = { guildId: GUILD, name: "ann", category: "Agents", topic: "Ann: 100% “yes”" };

  test("a plan is there until it is settled, once", async () => {
    const id = await plans().plan(wanted, 77);
    await plans().plan({ ...wanted, guildId: OTHER_GUILD }, 78);
    expect(await plans().list(GUILD)).toEqual([{ id, wanted, atMs: 77, channelId: null }]);
    expect(await plans().list(null)).toHaveLength(2);
    expect(await plans().settle(id)).toBe(true);
    expect(await plans().settle(id)).toBe(false);
    expect(await plans().list(GUILD)).toEqual([]);
  });

  test("a plan keeps where its channel is, also when it was settled before", async () => {
    const id = await plans().plan(wanted, 77);
    const [planned] = await plans().list(GUILD);
    if (planned === undefined) throw new Error("There is no plan.");
    await plans().keep(planned, channelId("701"));
    expect(await plans().list(GUILD)).toEqual([{ ...planned, channelId: channelId("701") }]);
    await plans().settle(id);
    await plans().keep(planned, channelId("702"));
    expect(await plans().list(GUILD)).toEqual([{ ...planned, channelId: channelId("702") }]);
  });

  test("two plans of the same are two", async () => {
    const ids = [await plans().plan(wanted, 77), await plans().plan(wanted, 77)];
    expect(new Set(ids).size).toBe(2);
    expect(await plans().list(GUILD)).toHaveLength(2);
  });
}

/** What the process itself does when Discord ends it. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { ParleyHost } from "../support/parleyProcess.js";

let host: ParleyHost;
beforeEach(async () => {
  host = await ParleyHost.open();
});
afterEach(() => host.close());

it.each([
  [4004, "Discord does not accept DISCORD_TOKEN"],
  [4014, "Discord refuses the Message Content intent"],
])("close code %i ends it with 1 and a sentence that says what helps", async (code, sentence) => {
  const parley = host.start();
  await parley.says('"ready"');
  host.loopback.interference.drop({ isResumable: false, code });
  expect(await parley.exit).toEqual({ code: 1, signal: null });
  expect(parley.errors).toContain(sentence);
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GatewayCloseCodes } from "discord.js";
import { afterEach, describe, expect, it } from "vitest";
import { createGateway, type Gateway } from "../../../src/adapters/discord/gateway.js";
import { apiRoot } from "../../../src/adapters/discord/rest.js";
import { systemClock } from "../../../src/adapters/system.js";
import { startTestLoopback, type TestLoopback } from "../../support/loopback.js";
import { RecordingLog } from "../../support/services.js";
import { failureOf } from "./connected.js";

let loopback: TestLoopback | null = null;
let gateway: Gateway | null = null;

afterEach(async () => {
  await gateway?.destroy();
  await loopback?.close();
  gateway = null;
  loopback = null;
});

async function gatewayTo(
  options: Parameters<typeof startTestLoopback>[0] = {},
  change: Partial<Parameters<typeof createGateway>[0]> = {},
): Promise<Gateway> {
  loopback = await startTestLoopback(options);
  gateway = createGateway({
    token: loopback.token,
    apiUrl: loopback.apiUrl,
    clock: systemClock,
    log: new RecordingLog(),
    ...change,
  });
  return gateway;
}

describe("logging in", () => {
  it("ends when the servers are known", async () => {
    const client = await (await gatewayTo()).login();
    expect([...client.guilds.cache.values()].map(({ name }) => name)).toEqual(["Workshop"]);
  });

  it("is followed by an end that is no lost connection", async () => {
    const log = new RecordingLog();
    const open = await gatewayTo({}, { log });
    await open.login();
    await open.destroy();
    expect(log.entries.map(({ message }) => message).join()).not.toContain("lost");
  });

  it("takes the address of the API with a slash or a version at its end", () => {
    expect(apiRoot("http://127.0.0.1:1/api")).toBe("http://127.0.0.1:1/api");
    expect(apiRoot("http://127.0.0.1:1/api/")).toBe("http://127.0.0.1:1/api");
    expect(apiRoot("http://127.0.0.1:1/api/v10")).toBe("http://127.0.0.1:1/api");
    expect(apiRoot("http://127.0.0.1:1/api/v10/")).toBe("http://127.0.0.1:1/api");
    expect(apiRoot(null)).toBe("https://discord.com/api");
  });

  it("says that the token is wrong", async () => {
    const wrong = await gatewayTo({}, { token: "not.the.token" });
    expect(await failureOf(wrong.login())).toMatchObject({
      kind: "logged-out",
      detail: expect.stringContaining("DISCORD_TOKEN"),
    });
  });

  it("says where to switch on the intent that is off", async () => {
    const withoutIntent = await gatewayTo({ privilegedIntents: 0 });
    expect(await failureOf(withoutIntent.login())).toMatchObject({
      kind: "forbidden",
      detail: expect.stringMatching(/Message Content.*developer portal/),
    });
  });

  it("says that nobody answers", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const nowhere = await gatewayTo({}, { apiUrl: `http://127.0.0.1:${port}/api` });
    expect(await failureOf(nowhere.login())).toMatchObject({
      kind: "unavailable",
      detail: "Discord cannot be reached.",
    });
  });
});

describe("the connection", () => {
  it.each([
    [GatewayCloseCodes.AuthenticationFailed, "logged-out", /DISCORD_TOKEN/],
    [GatewayCloseCodes.DisallowedIntents, "forbidden", /Message Content/],
    [GatewayCloseCodes.InvalidShard, "refused", /4010/],
  ])("ends for good with the close code %s, and says why", async (code, kind, detail) => {
    const connected = await gatewayTo();
    await connected.login();
    loopback?.interference.drop({ isResumable: false, code });
    expect(await connected.fatal).toMatchObject({ kind, detail: expect.stringMatching(detail) });
  });

  it.each([true, false])(
    "is known to be away, resumable: %s, until it is back",
    async (isResumable) => {
      const connected = await gatewayTo();
      expect(connected.isConnected()).toBe(false);
      const client = await connected.login();
      expect(connected.isConnected()).toBe(true);
      const { interference } = loopback as TestLoopback;
      interference.isRefusing = true;
      const isLost = new Promise((resolve) => client.once("shardReconnecting", resolve));
      interference.drop({ isResumable });
      await isLost;
      expect(connected.isConnected()).toBe(false);
      await loopback?.until(
        () => (loopback?.gateway.refusals ?? 0) > 0 || undefined,
        "a connection is turned away",
      );
      expect(connected.isConnected()).toBe(false);
      interference.isRefusing = false;
      await loopback?.until(() => connected.isConnected() || undefined, "it is back");
    },
  );

  it("goes on after it was lost", async () => {
    const client = await (await gatewayTo()).login();
    const resumed = new Promise((resolve) => {
      client.once("shardResume", resolve);
    });
    loopback?.interference.drop({ isResumable: true });
    await resumed;
  });
});

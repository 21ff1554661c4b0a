import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../../commands/index.js";
import { slash } from "../../../commands/slash.js";
import { anOperation, connectInteracting, type Interacting } from "./interacting.js";

let connected: Interacting;

beforeEach(async () => {
  connected = await connectInteracting();
});
afterEach(() => connected.close());

describe("registering commands", () => {
  const PUT = /^PUT \/applications\/\d+\/commands$/;
  const menu = {
    name: "Why this?",
    run: async () => ({ text: "Because." }),
  };

  it("tells Discord all of them, for servers only", async () => {
    await connected.start({ commands, menus: [menu] });
    const registered = [...connected.loopback.world.commands.values()];
    expect(registered.map(({ name }) => name).sort()).toEqual(
      [...commands.map(({ data }) => data.name), "Why this?"].sort(),
    );
    expect(registered.find(({ name }) => name === "agent_create")).toMatchObject({
      default_member_permissions: "16",
      contexts: [0],
      integration_types: [0],
    });
    expect(registered.find(({ name }) => name === "agent_list")).toMatchObject({
      default_member_permissions: null,
    });
  });

  it("happens again only when something changed", async () => {
    await connected.start({ commands });
    await connected.start({ commands });
    expect(connected.asked(PUT)).toHaveLength(1);
    await connected.start({ commands: [...commands, slash(anOperation({}))] });
    expect(connected.asked(PUT)).toHaveLength(2);
    await connected.start({
      commands: [...commands, slash(anOperation({ description: "Another" }))],
    });
    expect(connected.asked(PUT)).toHaveLength(3);
  });

  it("happens again when Discord has lost them", async () => {
    await connected.start({ commands });
    connected.loopback.world.commands.clear();
    await connected.start({ commands });
    expect(connected.asked(PUT)).toHaveLength(2);
  });

  const refusals = {
    "401": { kind: "status", status: 401, body: { message: "401: Unauthorized", code: 0 } },
    "404": { kind: "status", status: 404, body: { message: "404: Not Found", code: 0 } },
    "a page with a status of success": { kind: "html", status: 200 },
    "a pause of days": { kind: "rateLimit", retryAfterSeconds: 1e9 },
  } as const;
  it.each(
    Object.entries(refusals).flatMap(([what, fault]) =>
      ["GET", "PUT"].map((method) => ({ what, method, fault })),
    ),
  )("is tried again after a while when $method meets $what", async ({ method, fault }) => {
    const route = "/applications/:id/commands";
    const free = connected.loopback.faults.inject({ method, route, times: 2, fault });
    // Its pauses are over at once.
    await connected.start({ commands }, { clock: connected.clock });
    await connected.loopback.until(
      () => (connected.loopback.world.commands.size > 0 ? true : undefined),
      "their registration",
    );
    free();
    await connected.start({ commands });
    expect(connected.loopback.world.commands.size).toBe(commands.length);
    expect(connected.log.messages("error").length).toBeGreaterThan(0);
  });

  it("is put off when Discord takes no more today, and tried at the next start", async () => {
    connected.loopback.faults.inject({
      method: "PUT",
      route: "/applications/:id/commands",
      fault: { kind: "status", status: 400, body: { message: "Too many", code: 30034 } },
    });
    await connected.start({ commands });
    expect(connected.loopback.world.commands.size).toBe(0);
    await connected.start({ commands });
    expect(connected.loopback.world.commands.size).toBe(commands.length);
  });
});

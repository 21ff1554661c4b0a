/** The process is killed around the request that makes a channel, and started again. */
import { ChannelType } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KillableBot } from "../support/killing.js";
import { completion, type EndpointAnswer, type EndpointRequest } from "../support/modelEndpoint.js";

let bot: KillableBot;
beforeEach(async () => {
  bot = await KillableBot.open();
  await bot.start();
});
afterEach(() => bot.close());

const MAKE = { method: "POST", route: "/guilds/:id/channels" } as const;

/** The text channels of the name. */
const named = (name: string) =>
  [...bot.loopback.world.channels.values()].filter(
    (channel) => channel.type === ChannelType.GuildText && channel.name === name,
  );

function dieAt(kind: "resetBefore" | "resetAfter"): void {
  bot.loopback.faults.inject({ ...MAKE, fault: { kind, onMet: () => bot.kill() } });
}

async function restart(): Promise<void> {
  await bot.loopback.until(() => !bot.isAlive || undefined, "the process dies");
  bot.loopback.faults.clear();
  await bot.start();
  await bot.untilDeadOrIdle();
}

function create(display_name: string) {
  const { people, owner, channelId } = bot.loopback;
  return people.command(owner.id, channelId, "agent_create", { display_name, prompt: "A role." });
}

describe("a process that is killed while it makes a channel", () => {
  it.each(["resetBefore", "resetAfter"] as const)(
    "leaves none of a command, which can be given again (%s)",
    async (kind) => {
      // Its category is there, so that the next request is that for the channel.
      await create("First").answered;
      dieAt(kind);
      create("Ann");
      await restart();
      expect(named("ann")).toHaveLength(0);
      await create("Ann").answered;
      expect(named("ann")).toHaveLength(1);
    },
  );

  it.each(["resetBefore", "resetAfter"] as const)(
    "goes on with what an agent was making, and leaves one channel (%s)",
    async (kind) => {
      bot.endpoint.respond(making({ display_name: "Ann", prompt: "A role." }));
      const [coordinator] = named("coordinator");
      if (coordinator === undefined) throw new Error("There is no coordinator.");
      dieAt(kind);
      bot.loopback.people.post(bot.loopback.owner.id, coordinator.id, "Make Ann.");
      await restart();
      await bot.loopback.until(
        () =>
          bot.linesSince(coordinator.id, "0").some((line) => line.endsWith(": Done.")) || undefined,
        "the answer",
      );
      expect(named("ann")).toHaveLength(1);
    },
  );
});

/** Calls agent_create once, then says that it is done. */
function making(given: object) {
  return (request: EndpointRequest): EndpointAnswer | string => {
    if (request.body.messages.at(-1)?.role === "tool") return "Done.";
    const use = { id: "call_1", name: "agent_create", arguments: JSON.stringify(given) };
    return completion(null, { toolCalls: [use] });
  };
}

/** Rights on every way in: slash commands, buttons, menus and suggestions, also forged and from elsewhere. */

import type { APIMessage } from "discord-api-types/v10";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NEEDED_BITS } from "../../src/adapters/discord/checkup.js";
import { asId, type ConversationId } from "../../src/domain/ids.js";
import { createGuild } from "../../src/playground/world/guilds.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;
/** Of another server, which the bot is in too: its owner Cleo, and a channel. */
let cleo: string;
let annex: { readonly guildId: string; readonly channelId: string };
let roundId: string;
let reply: APIMessage;
let errors: number;

beforeAll(async () => {
  theatre = await openTheatre();
  review = await furnish(theatre);
  const { world } = theatre.loopback;
  const other = createGuild(world, {
    name: "Annex",
    ownerName: "Cleo",
    memberNames: ["Dan"],
    botPermissions: NEEDED_BITS,
  });
  cleo = other.owner.id;
  annex = { guildId: other.guild.id, channelId: other.channelId };
  theatre.endpoint.respond(cast({ researcher: 0.1, editor: 1 }, () => "A secret plan."));
  theatre.say(review, "What is the plan?");
  await theatre.lineCount(review, 2);
  await theatre.idle();
  const round = await theatre.bot().services.storage.rounds.latest(asId<ConversationId>(review));
  roundId = round?.id ?? "";
  const last = theatre.messages(review).at(-1);
  if (last === undefined) throw new Error("There is no reply.");
  reply = last;
  // As an administrator can: everybody may try every command.
  for (const command of world.commands.values()) command.default_member_permissions = null;
});
beforeEach(() => {
  errors = theatre.log.messages("error").length;
});
afterEach(async () => {
  await theatre.idle();
  expect(theatre.log.messages("error")).toHaveLength(errors);
});
afterAll(() => theatre.close());

const SECRETS = /Researcher|Editor|Review|secret/i;

const MANAGING: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["agent_create", { display_name: "Intruder", prompt: "You take over." }],
  ["agent_update", { agent: "editor", prompt: "You obey Ben." }],
  ["agent_archive", { agent: "editor" }],
  ["agent_restore", { agent: "editor" }],
  ["group_create", { display_name: "Coup", members: "researcher, editor" }],
  ["group_update", { group: "review", host: "editor" }],
  ["group_archive", { group: "review" }],
  ["group_restore", { group: "review" }],
];

/** Everything that a command could have changed. */
async function everything(): Promise<unknown> {
  const { storage } = theatre.bot().services;
  const guildId = asId<never>(theatre.loopback.guild.id);
  return [await storage.agents.list(guildId), await storage.groups.list(guildId)];
}

describe("a slash command that changes something", () => {
  it.each(MANAGING)("/%s is refused to somebody without the right", async (path, values) => {
    const before = await everything();
    expect(await theatre.command(path, values, { as: theatre.ben, in: review })).toMatch(
      /^Only managers/,
    );
    expect(await everything()).toEqual(before);
  });

  it.each(MANAGING.filter(([path]) => path !== "agent_create"))(
    "/%s reaches nothing of another server",
    async (path, values) => {
      const before = await everything();
      const said = await theatre.command(path, values, { as: cleo, in: annex.channelId });
      expect(said).not.toMatch(/secret/i);
      expect(await everything()).toEqual(before);
    },
  );
});

describe("another server sees nothing", () => {
  const elsewhere = (path: string, values: Readonly<Record<string, string>> = {}) =>
    theatre.command(path, values, { as: cleo, in: annex.channelId });

  it.each<[string, () => Readonly<Record<string, string>>]>([
    ["agent_list", () => ({})],
    ["group_list", () => ({})],
    ["agent_get", () => ({ agent: "Coordinator" })],
    ["round_why", () => ({})],
    ["round_why", () => ({ message: reply.id })],
    [
      "round_why",
      () => ({
        message: `https://discord.com/channels/${theatre.loopback.guild.id}/${review}/${reply.id}`,
      }),
    ],
    ["ask", () => ({ agent: "coordinator", text: "What is the plan?" })],
    ["mute", () => ({ agent: "coordinator" })],
    ["round_preview", () => ({ text: "What is the plan?" })],
    ["gc list", () => ({})],
    ["gc status", () => ({})],
    ["round_stop", () => ({})],
  ])("by /%s", async (path, values) => {
    expect(await elsewhere(path, values())).not.toMatch(SECRETS);
  });

  it.each(["agent_get", "ask", "mute", "agent_update"])("by what /%s suggests", async (path) => {
    const offered = await theatre.loopback.people.autocomplete(
      cleo,
      annex.channelId,
      path,
      "agent",
      { agent: "" },
    );
    expect(JSON.stringify(offered)).not.toMatch(SECRETS);
  });
});

/** What somebody is answered who presses a button with this id, which no message of ours has. */
async function press(
  id: string,
  { as, guildId, channelId }: { as: string; guildId: string; channelId: string },
) {
  const place = {
    guildId: asId<never>(guildId),
    channelId: asId<never>(channelId),
    threadId: null,
  };
  const { services } = theatre.bot();
  const messageId = await services.chat.announce(
    {
      place,
      text: "Forged",
      buttons: [{ id, label: "Press", style: "plain" }],
      isSilent: true,
      nonce: `f${services.ids.round()}`,
      isDoubtful: false,
      afterId: null,
    },
    new AbortController().signal,
  );
  const outcome = await theatre.loopback.people.press(as, channelId, messageId, id).answered;
  await services.chat.remove(place, messageId);
  return outcome;
}

const FORGED: readonly (readonly [string, () => string])[] = [
  ["stop of a round that never was", () => "stop:unknown"],
  ["stop without a round", () => "stop"],
  ["stop of a round elsewhere", () => `stop:${roundId}`],
  ["why of a round that never was", () => "why:unknown"],
  ["why of a round elsewhere", () => `why:${roundId}`],
  ["explain of a round that never was", () => "explain:unknown"],
  ["explain of a round elsewhere", () => `explain:${roundId}`],
  ["heard of a round that never was", () => "heard:unknown"],
  ["heard of a round elsewhere", () => `heard:${roundId}`],
  ["a page beyond the last", () => "page:agent_list:999999"],
  ["a page of a number that is none", () => "page:agent_list:-1"],
  ["a page of a command that changes something", () => "page:agent_archive:0"],
  ["a page of no command", () => "page:constructor:0"],
  ["a name of the language", () => "__proto__:x"],
  ["nothing that there is", () => "drop table:agents"],
];

describe("a button with a forged id", () => {
  it.each(FORGED)("(%s) does nothing and shows nothing of another server", async (_, id) => {
    const before = await everything();
    const asked = theatre.endpoint.requests.length;
    const outcome = await press(id(), { as: cleo, ...annex });
    expect(outcome.content).not.toBe("");
    expect(outcome.content).not.toMatch(SECRETS);
    expect(await everything()).toEqual(before);
    expect(theatre.endpoint.requests).toHaveLength(asked);
  });

  it("does not stop a round elsewhere", async () => {
    theatre.endpoint.hang();
    theatre.say(review, "And now?");
    await theatre.endpoint.request(2);
    const running = await theatre
      .bot()
      .services.storage.rounds.latest(asId<ConversationId>(review));
    for (const id of [`stop:${running?.id ?? ""}`, "stop:unknown", "stop"]) {
      await press(id, { as: cleo, ...annex });
    }
    const guildId = theatre.loopback.guild.id;
    await press(`stop:${running?.id ?? ""}`, {
      as: theatre.ben,
      guildId,
      channelId: theatre.loopback.channelId,
    });
    expect(theatre.endpoint.requests.at(-1)?.gone.aborted).toBe(false);
    const outcome = await press(`stop:${running?.id ?? ""}`, {
      as: theatre.ben,
      guildId,
      channelId: review,
    });
    expect(outcome.content).toBe("Stopped.");
    await theatre.endpoint.requests.at(-1)?.left;
  });

  it("shows a round of another channel to managers only", async () => {
    const elsewhere = { guildId: theatre.loopback.guild.id, channelId: theatre.loopback.channelId };
    for (const name of ["why", "explain", "heard"]) {
      const { content } = await press(`${name}:${roundId}`, { as: theatre.ben, ...elsewhere });
      expect(content).toBe("That message is in another channel or thread. Use this command there.");
    }
    const { content } = await press(`why:${roundId}`, { as: theatre.ada, ...elsewhere });
    expect(content).toContain("Editor");
  });
});

describe("the menu of a message", () => {
  it.each(["Delete", "Say it again"])(
    "%s is refused to somebody who neither manages nor asked",
    async (name) => {
      const { people } = theatre.loopback;
      const { content } = await people.menu(theatre.ben, review, name, reply.id).answered;
      expect(content).toMatch(/^Only managers .* and the person whose message this answers/);
      expect(theatre.messages(review).some(({ id }) => id === reply.id)).toBe(true);
    },
  );
});

import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asId, type GroupId } from "../../src/domain/ids.js";
import { createChannel, deleteChannel } from "../../src/playground/world/channels.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
beforeEach(async () => {
  theatre = await openTheatre();
});
afterEach(() => theatre.close());

const MOVE = { method: "PATCH", route: "/channels/:id" } as const;

/** The name of the category that a channel is in, on the server's side. */
function category(channelId: string): string | undefined {
  const { world } = theatre.loopback;
  const { parentId } = world.channel(channelId);
  return parentId === null ? undefined : world.channel(parentId).name;
}

const categories = (name: string) =>
  theatre.loopback.world
    .channelsOf(theatre.loopback.guild.id)
    .filter((channel) => channel.name === name && channel.type === ChannelType.GuildCategory);

/** Waits until the bot has noticed that so many channels of agents and groups are gone. */
function noticed(count: number): Promise<unknown> {
  const look = () => {
    const lost = theatre.log
      .messages("info")
      .filter((message) => message === "an agent or group has no channel any more");
    return lost.length >= count || undefined;
  };
  return theatre.loopback.until(look, `${count} channels gone`);
}

async function members(name: string): Promise<readonly string[]> {
  const { agents, groups } = theatre.bot().services.storage;
  const group = await groups.find(asId(theatre.loopback.guild.id), name);
  const found = await Promise.all((group?.members ?? []).map((id) => agents.get(id)));
  return found.map((agent) => agent?.displayName ?? "nobody");
}

describe("an agent", () => {
  it("is archived and restored by slash commands, with its channel and its groups", async () => {
    const command: Theatre["command"] = (...args) => theatre.command(...args);
    const channel = (name: string) => theatre.channel(name);
    const review = await furnish(theatre, ["Researcher", "Editor", "Notes"]);
    await command("group_create", { display_name: "Pair", members: "Editor, Notes" });
    const editor = channel("editor");
    expect(await command("agent_archive", { agent: "editor" })).toBe(
      [
        "**Editor** is archived; `/agent_restore` brings it back.",
        "It is no longer in **Review**.",
        "The group **Pair** is archived too, since fewer than two members are left.",
      ].join("\n"),
    );
    expect([editor, channel("pair"), review, channel("notes")].map(category)).toEqual([
      "Archive",
      "Archive",
      "Groups",
      "Agents",
    ]);
    await theatre.idle();
    expect(theatre.loopback.world.channel(review).topic).toBe(
      "Review | Members: Researcher, Notes | Host: Researcher",
    );
    expect(await command("agent_restore", { agent: "editor" })).toBe(
      [
        `**Editor** is back, in <#${editor}>.`,
        "It was in the group **Review** and is not any more; `/group_update` puts it back.",
        "It was in the group **Pair**, which is archived; see `/group_restore`.",
      ].join("\n"),
    );
    expect(category(editor)).toBe("Agents");
    expect(await command("group_restore", { group: "pair" })).toContain("**Pair** is back, in <#");
    expect(category(channel("pair"))).toBe("Groups");
    expect(await members("pair")).toEqual(["Editor", "Notes"]);
  });

  it("answers no more in its groups, and one of them ends in the middle of a round", async () => {
    const review = await furnish(theatre);
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isAsked = false;
    theatre.endpoint.respond(async (request) => {
      if (request.body.response_format !== undefined) {
        return cast({ researcher: 0, editor: 1 }, () => "")(request);
      }
      isAsked = true;
      await gate;
      return "Too late.";
    });
    theatre.say(review, "Hello?");
    await theatre.loopback.until(() => isAsked || undefined, "the call of the model");
    await theatre.command("agent_archive", { agent: "editor" });
    expect(await theatre.lineCount(review, 2)).toEqual([
      "ada: Hello?",
      "Parley: -# Stopped: this group was archived, because Ada archived **Editor**.",
    ]);
    release();
    theatre.say(review, "Anybody?");
    await theatre.idle();
    expect(theatre.lines(review)).toHaveLength(3);
    expect(category(review)).toBe("Archive");
  });

  it("is archived by nobody who may not manage channels", async () => {
    await furnish(theatre);
    await expect(
      theatre.command("agent_archive", { agent: "editor" }, { as: theatre.ben }),
    ).rejects.toThrow();
    expect(category(theatre.channel("editor"))).toBe("Agents");
  });
});

describe("a channel deleted by hand", () => {
  it("archives its agent while the bot is on, and is made anew when the agent is restored", async () => {
    const { people, owner } = theatre.loopback;
    await furnish(theatre, ["Researcher", "Editor", "Notes"]);
    const old = theatre.channel("editor");
    people.deleteChannel(owner.id, old);
    await noticed(1);
    expect(await members("review")).toEqual(["Researcher", "Notes"]);
    const answer = await theatre.command("agent_restore", { agent: "Editor" });
    const made = theatre.channel("editor");
    expect(made).not.toBe(old);
    expect(answer).toContain(`in a new channel, <#${made}>, since the old one is gone.`);
    expect(category(made)).toBe("Agents");
    expect(theatre.loopback.world.channel(made).topic).toContain("Editor: The role of Editor.");
  });

  it("archives its group, which speaks again through a new channel", async () => {
    const { people, owner } = theatre.loopback;
    const review = await furnish(theatre);
    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, (name) => `${name} here.`));
    theatre.say(review, "Hello?");
    await theatre.lineCount(review, 2);
    people.deleteChannel(owner.id, review);
    await noticed(1);
    await theatre.command("group_restore", { group: "review" });
    const made = theatre.channel("review");
    theatre.say(made, "Again?");
    expect(await theatre.lineCount(made, 2)).toEqual(["ada: Again?", "Editor: Editor here."]);
  });

  it("while the bot was off archives too, but a hidden channel does not", async () => {
    const { world, guild, botRole } = theatre.loopback;
    const review = await furnish(theatre, ["Researcher", "Editor", "Notes"]);
    await theatre.stopBot();
    deleteChannel(world, world.channel(theatre.channel("editor")));
    botRole.permissions &= ~PermissionFlagsBits.ViewChannel;
    for (const hidden of [review, theatre.channel("notes")]) {
      const deny = PermissionFlagsBits.ViewChannel;
      world.channel(hidden).overwrites.set(guild.id, { id: guild.id, type: 0, allow: 0n, deny });
    }
    await theatre.startBot();
    await noticed(1);
    expect(await theatre.command("agent_list")).toContain("Archived: Editor");
    expect(await members("review")).toEqual(["Researcher", "Notes"]);
    const answer = await theatre.command("agent_list");
    expect(answer.match(/Archived/gu)).toHaveLength(1);
  });

  it("that was the category of the archive leaves its channels archived, and is made again", async () => {
    const { people, owner } = theatre.loopback;
    await furnish(theatre, ["Researcher", "Editor", "Notes"]);
    await theatre.command("agent_archive", { agent: "editor" });
    people.deleteChannel(owner.id, theatre.channel("Archive"));
    await theatre.command("agent_archive", { agent: "notes" });
    expect(category(theatre.channel("editor"))).toBeUndefined();
    expect(category(theatre.channel("notes"))).toBe("Archive");
    await theatre.command("agent_restore", { agent: "editor" });
    expect(category(theatre.channel("editor"))).toBe("Agents");
  });
});

describe("the category of the archive", () => {
  it("gets a second one of the same name when it is full", async () => {
    const { world, guild } = theatre.loopback;
    await furnish(theatre);
    const first = createChannel(world, guild, { name: "Archive", type: ChannelType.GuildCategory });
    for (let made = 0; made < 50; made += 1) {
      const type = ChannelType.GuildText;
      createChannel(world, guild, { name: `c${made}`, type, parentId: first.id });
    }
    expect(await theatre.command("group_archive", { group: "review" })).not.toContain("could not");
    expect(category(theatre.channel("review"))).toBe("Archive");
    expect(categories("Archive")).toHaveLength(2);
  });

  it("may be out of reach: the answer says so, and the next start moves the channel", async () => {
    const review = await furnish(theatre);
    const allow = theatre.loopback.faults.inject({
      ...MOVE,
      times: 9,
      fault: { kind: "status", status: 403, body: { message: "Missing", code: 50013 } },
    });
    expect(await theatre.command("group_archive", { group: "review" })).toContain(
      `<#${review}> could not be moved to the category Archive: I need `,
    );
    expect(category(review)).toBe("Groups");
    expect(categories("Archive")).toEqual([]);
    theatre.say(review, "Anybody?");
    await theatre.idle();
    expect(theatre.lines(review)).toHaveLength(1);
    allow();
    await theatre.stopBot();
    await theatre.startBot();
    await theatre.loopback.until(() => category(review) === "Archive" || undefined, "the move");
  });

  it("is reached after a restart when the process died between storing and moving", async () => {
    const review = await furnish(theatre);
    const { groups, archive } = theatre.bot().services.storage;
    const group = await groups.find(asId(theatre.loopback.guild.id), "review");
    await archive.archiveGroup(group?.id ?? asId<GroupId>(""), Date.now());
    await theatre.stopBot();
    expect(category(review)).toBe("Groups");
    await theatre.startBot();
    await theatre.loopback.until(() => category(review) === "Archive" || undefined, "the move");
  });
});

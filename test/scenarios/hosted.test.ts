import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KillableBot } from "../support/killing.js";
import { type EndpointHandler, type EndpointRequest, failure } from "../support/modelEndpoint.js";
import { openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
beforeEach(async () => {
  theatre = await openTheatre({ settings: { collectTimeoutMs: 60_000 } });
  for (const display_name of ["Still", "Curren", "Ardan", "Mejiro"]) {
    await theatre.command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
  }
});
afterEach(() => theatre.close());

/** Makes a hosted group; gives its channel. */
async function hosted(
  display_name = "Stable",
  members = "Still, Curren, Ardan",
  host = "Still",
): Promise<string> {
  await theatre.command("group_create", { display_name, members, host, kind: "hosted" });
  return theatre.channel(display_name.toLowerCase());
}

/** An endpoint that lets each agent say what is written for it; a string, or what a function gives. */
function cast(
  lines: Readonly<
    Record<string, string | ((request: EndpointRequest) => ReturnType<EndpointHandler>)>
  >,
): EndpointHandler {
  return (request) => {
    const line = lines[speakerOf(request)];
    if (line === undefined) throw new Error(`Nothing is written for ${speakerOf(request)}.`);
    return typeof line === "string" ? line : line(request);
  };
}

function speakerOf(request: EndpointRequest): string {
  return /^You are (.+)\.$/mu.exec(request.system)?.[1] ?? "nobody";
}

function requestsOf(name: string): readonly EndpointRequest[] {
  return theatre.endpoint.requests.filter((request) => speakerOf(request) === name);
}

/** The newest message to an agent. */
function heardBy(name: string): string {
  const content = requestsOf(name).at(-1)?.body.messages.at(-1)?.content;
  return typeof content === "string" ? content : "";
}

/** Resolves once all of them wait, then lets them all go on. */
function together(count: number) {
  let arrived = 0;
  let release: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  return async (text: string) => {
    arrived += 1;
    if (arrived === count) release();
    await all;
    return text;
  };
}

describe("a hosted group on Discord's protocol", () => {
  it("sends the message to all participants at the same time, and only its host speaks", async () => {
    const stable = await hosted();
    const meet = together(2);
    theatre.endpoint.respond(
      cast({
        Curren: () => meet("It was fun."),
        Ardan: () => meet("It was hard."),
        Still: "I ran too; Curren had fun.",
      }),
    );
    theatre.say(stable, "How was training?");
    expect(await theatre.lineCount(stable, 2)).toEqual([
      "ada: How was training?",
      "Still: I ran too; Curren had fun.",
    ]);
    await theatre.idle();
    expect(theatre.endpoint.requests).toHaveLength(3);
    expect(theatre.endpoint.mostAtOnce()).toBe(2);
    for (const name of ["Curren", "Ardan"]) {
      expect(heardBy(name)).toMatch(
        /^\[GROUPCHAT round=[\w-]+ from Ada\] How was training\?\nReply once; do not message other participants\.$/u,
      );
    }
    expect(theatre.endpoint.requests.every(({ body }) => body.tools === undefined)).toBe(true);
    expect(theatre.loopback.world.channel(stable).topic).toBe(
      "Stable | Members: Still, Curren, Ardan | Host: Still",
    );
  });

  it("shows what each participant said to the person who presses the button", async () => {
    const stable = await hosted();
    theatre.endpoint.respond(cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Both." }));
    theatre.say(stable, "How was training?");
    await theatre.lineCount(stable, 2);
    await theatre.idle();
    const reply = theatre.messages(stable).at(-1);
    const row = reply?.components?.[0];
    const [button] = row !== undefined && "components" in row ? row.components : [];
    const id = button !== undefined && "custom_id" in button ? button.custom_id : "";
    const { people } = theatre.loopback;
    const shown = await people.press(theatre.ben, stable, reply?.id ?? "", id).answered;
    expect(shown.content).toBe("**Curren**\n> Fun.\n\n**Ardan**\n> Hard.");
    expect(theatre.lines(stable)).toHaveLength(2);
    const why = await theatre.command("round_why", {}, { in: stable });
    expect(why).toContain("- Curren: answered\n- Ardan: answered");
  });

  it("says who could not be reached and who was late, and goes on without them", async () => {
    await theatre.close();
    theatre = await openTheatre({ settings: { collectTimeoutMs: 300 } });
    for (const display_name of ["Still", "Curren", "Ardan", "Mejiro"]) {
      await theatre.command("agent_create", { display_name, prompt: "A runner." });
    }
    const stable = await hosted("Stable", "Still, Curren, Ardan, Mejiro");
    theatre.endpoint.respond(
      cast({
        Curren: () => failure(500, { message: "broken" }),
        Ardan: () => ({ type: "hang" }),
        Mejiro: "Here.",
        Still: "Only Mejiro is here.",
      }),
    );
    theatre.say(stable, "Who is there?");
    expect(await theatre.lineCount(stable, 4)).toEqual([
      "ada: Who is there?",
      "Parley: Forwarding to Curren failed.",
      "Parley: -# Ardan did not answer in time.",
      "Still: Only Mejiro is here.",
    ]);
    await requestsOf("Ardan")[0]?.left;
  });

  it("keeps two chats that go on at the same time apart", async () => {
    const stable = await hosted();
    const track = await hosted("Track", "Mejiro, Curren", "Mejiro");
    const meet = together(3);
    theatre.endpoint.respond(
      cast({
        Curren: (request) => meet(request.prompt.includes("of the stable") ? "Hay." : "Turf."),
        Ardan: () => meet("Straw."),
        Still: (request) => (request.prompt.includes("Turf") ? "Mixed up." : "Hay and straw."),
        Mejiro: (request) => (request.prompt.includes("Hay") ? "Mixed up." : "Turf it is."),
      }),
    );
    theatre.say(stable, "What is the smell of the stable?");
    theatre.say(track, "What is the smell of the track?");
    expect((await theatre.lineCount(stable, 2)).at(-1)).toBe("Still: Hay and straw.");
    expect((await theatre.lineCount(track, 2)).at(-1)).toBe("Mejiro: Turf it is.");
    await theatre.idle();
    expect(theatre.endpoint.requests).toHaveLength(5);
  });

  it("lets a chat begin, change and end in an agent's own channel by `!gc` and `/gc`", async () => {
    const still = theatre.channel("still");
    theatre.say(still, '!gc start Curren "Ardan"');
    expect((await theatre.lineCount(still, 2)).at(-1)).toBe(
      "Parley: A group chat with **Still** as its host has started. **Curren** and **Ardan** have joined.",
    );
    expect(await theatre.command("gc remove", { agent: "ardan" }, { in: still })).toBe(
      "**Ardan** has left the group chat.",
    );
    expect((await theatre.lineCount(still, 3)).at(-1)).toBe(
      "Parley: **Ardan** has left the group chat.",
    );
    expect(await theatre.command("gc add", { agent: "ghost" }, { in: still })).toBe(
      "Agent ghost not found.",
    );
    theatre.endpoint.respond(cast({ Curren: "Aye.", Still: "Curren agrees." }));
    theatre.say(still, "Shall we?");
    expect((await theatre.lineCount(still, 5)).at(-1)).toBe("Still: Curren agrees.");
    await theatre.idle();
    await theatre.stopBot();
    await theatre.startBot();
    expect(await theatre.command("gc list", {}, { in: still })).toBe(
      "Host: **Still**. Participants: **Curren**.",
    );
    theatre.say(still, "!gc end", { as: theatre.ben });
    expect((await theatre.lineCount(still, 7)).at(-1)).toBe(
      "Parley: The group chat has ended. **Curren** has left.",
    );
  });

  it("debates when it is asked to", async () => {
    const stable = await hosted();
    theatre.endpoint.respond(cast({ Curren: "Turf.", Ardan: "Dirt.", Still: "No agreement." }));
    await theatre.command("gc debate", { topic: "Turf or dirt?", passes: 3 }, { in: stable });
    expect((await theatre.lineCount(stable, 2)).at(-1)).toBe("Still: No agreement.");
    await theatre.idle();
    expect(requestsOf("Curren")).toHaveLength(3);
    expect(requestsOf("Still")).toHaveLength(1);
    expect(requestsOf("Curren")[0]?.prompt).not.toContain("Dirt.");
    expect(heardBy("Curren")).toContain("[Ardan] Dirt.");
  });
});

describe("a hosted round whose process is killed while it collects", () => {
  let bot: KillableBot;
  afterEach(() => bot.close());

  it("asks only those again who had not answered", async () => {
    bot = await KillableBot.open();
    await bot.start();
    const { people, owner, channelId, world } = bot.loopback;
    const command = (path: string, values: Readonly<Record<string, string>>) =>
      people.command(owner.id, channelId, path, values).answered;
    for (const display_name of ["Still", "Curren", "Ardan"]) {
      await command("agent_create", { display_name, prompt: "A runner." });
    }
    await command("group_create", {
      display_name: "Stable",
      members: "Still, Curren, Ardan",
      kind: "hosted",
    });
    const stable = [...world.channels.values()].find(({ name }) => name === "stable")?.id ?? "";
    let isKilled = false;
    bot.endpoint.respond(
      cast({
        Curren: "Fun.",
        Ardan: () => (isKilled ? "Hard." : { type: "hang" }),
        Still: "Both.",
      }),
    );
    const { id } = people.post(owner.id, stable, "How was training?");
    const stands = (line: string) =>
      bot.loopback.until(
        () => bot.linesSince(stable, id).includes(line) || undefined,
        `the line ${line}`,
      );
    await stands("Parley: -# 1 of 2 have answered: **Curren**");
    await bot.stop();
    isKilled = true;
    await bot.start();
    await stands("Still: Both.");
    await bot.untilDeadOrIdle();
    expect(bot.linesSince(stable, id)).toEqual(["ada: How was training?", "Still: Both."]);
    const asked = bot.endpoint.requests.map(speakerOf);
    expect(asked.toSorted()).toEqual(["Ardan", "Ardan", "Curren", "Still"]);
  });
});

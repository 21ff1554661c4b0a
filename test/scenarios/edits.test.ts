import { GatewayDispatchEvents } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteMessages } from "../../src/playground/world/messages.js";
import { viewMessageEvent } from "../../src/playground/world/messageViews.js";
import type { EndpointAnswer } from "../support/modelAnswers.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;
beforeEach(async () => {
  theatre = await openTheatre();
  review = await furnish(theatre);
});
afterEach(() => theatre.close());

const DELETED = "Parley: -# Stopped: the message that started this was deleted.";
const onlyEditor = (say = () => "Here.") =>
  theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, say));
/** The judge chooses the editor, whose model never answers. */
const hangingEditor = () =>
  theatre.endpoint.respond((request): EndpointAnswer | string =>
    request.answerName === null
      ? { type: "hang" }
      : cast({ researcher: 0, editor: 1 }, () => "")(request),
  );
const people = () => theatre.loopback.people;
/** What the newest turn was asked, without its system text. */
const lastTurn = () =>
  theatre.endpoint.requests
    .findLast(({ answerName }) => answerName === null)
    ?.prompt.split("\nuser: ")
    .slice(1)
    .join("\n");

describe("an edit on Discord's protocol", () => {
  it("shows in later turns and starts no round, also when it names somebody", async () => {
    onlyEditor();
    const { id } = theatre.say(review, "See https://example.org");
    await theatre.lineCount(review, 2);
    await theatre.idle();
    people().edit(theatre.ada, review, id, "See nothing, @Researcher");
    theatre.say(review, "Well?");
    await theatre.lineCount(review, 4);
    await theatre.idle();
    expect(lastTurn()).toBe(
      "[Ada (person)] See nothing, @Researcher\nassistant: Here.\n[Ada (person)] Well?",
    );
    const stored = await theatre.bot().services.storage.messages.get(id as never);
    expect(stored?.text).toBe("See nothing, @Researcher");
    expect(theatre.lines(review)).toHaveLength(4);
  });

  it("is none when a preview arrives or the message is pinned", async () => {
    onlyEditor();
    const { id } = theatre.say(review, "See https://example.org");
    await theatre.lineCount(review, 2);
    await theatre.idle();
    const { world, guild } = theatre.loopback;
    const event = viewMessageEvent(world, world.message(review, id));
    const d = { ...event, embeds: [{ title: "Example" }], pinned: true };
    world.dispatch({ t: GatewayDispatchEvents.MessageUpdate, d }, guild.id, review);
    theatre.say(review, "Next");
    await theatre.lineCount(review, 4);
    await theatre.idle();
    const stored = await theatre.bot().services.storage.messages.get(id as never);
    expect(stored).toMatchObject({ text: "See https://example.org", editedAtMs: null });
  });
});

describe("a deletion on Discord's protocol", () => {
  it("of the message that started the round stops it, the model call included", async () => {
    hangingEditor();
    const { id } = theatre.say(review, "Never mind");
    const { left } = await theatre.endpoint.request(1);
    people().remove(theatre.ada, review, id);
    await left;
    expect(await theatre.lineCount(review, 1)).toEqual([DELETED]);
    await theatre.idle();
  });

  it("of many at once stops the round, and what waited starts none", async () => {
    hangingEditor();
    const first = theatre.say(review, "One");
    const { left } = await theatre.endpoint.request(1);
    const second = theatre.say(review, "Two");
    await theatre.loopback.until(
      () =>
        theatre.log.entries.filter(({ message }) => message === "message stored").length === 2
          ? true
          : undefined,
      "both messages are stored",
    );
    const { world } = theatre.loopback;
    deleteMessages(world, world.anyChannel(review), [first.id, second.id]);
    await left;
    expect(await theatre.lineCount(review, 1)).toEqual([DELETED]);
    await theatre.idle();
    expect(theatre.endpoint.requests).toHaveLength(2);
  });

  it("at once after writing leaves nobody to answer", async () => {
    hangingEditor();
    for (let i = 0; i < 5; i += 1) {
      people().remove(theatre.ada, review, theatre.say(review, `Oops ${i}`).id);
    }
    onlyEditor();
    theatre.say(review, "Now this");
    await theatre.loopback.until(
      () => (theatre.lines(review).at(-1) === "Editor: Here." ? true : undefined),
      "the answer",
    );
    await theatre.idle();
    expect(lastTurn()).toBe("[Ada (person)] Now this");
  });

  it("of an agent's message takes it from later prompts, and a reply to it still names the agent", async () => {
    onlyEditor(() => "A bad word.");
    theatre.say(review, "Say something");
    await theatre.lineCount(review, 2);
    await theatre.idle();
    const said = theatre.messages(review).at(-1)?.id ?? "";
    theatre.endpoint.respond(cast({ researcher: 0.1, editor: 0.1 }, () => "Sorry."));
    theatre.say(review, "Why that?", { replyTo: said });
    await theatre.lineCount(review, 4);
    await theatre.idle();
    people().remove(theatre.ada, review, said);
    theatre.say(review, "Go on, @Editor");
    expect((await theatre.lineCount(review, 5)).slice(1)).toEqual([
      "ada: Why that?",
      "Editor: Sorry.",
      "ada: Go on, @Editor",
      "Editor: Sorry.",
    ]);
    await theatre.idle();
    expect(lastTurn()).not.toContain("A bad word.");
    expect(lastTurn()).toContain("Sorry.");
  });
});

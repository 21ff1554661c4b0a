import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
let review: string;
beforeEach(async () => {
  theatre = await openTheatre();
  review = await furnish(theatre);
});
afterEach(() => theatre.close());

/** A slash command in the group's channel. */
const command = (path: string, values: Readonly<Record<string, string>>) =>
  theatre.command(path, values, { in: review });

/** Uses an entry of a message's menu; waits until its answer reads like this. */
async function menu(
  name: string,
  messageId: string,
  expected: RegExp,
  as = theatre.ada,
): Promise<void> {
  const used = theatre.loopback.people.menu(as, review, name, messageId);
  await theatre.loopback.until(
    () => (expected.test(used.outcome().content) ? true : undefined),
    `${name} answered with ${expected}`,
  );
  expect(used.outcome().isEphemeral).toBe(true);
}

function messageAt(index: number) {
  const message = theatre.messages(review)[index];
  if (message === undefined) throw new Error(`There is no message ${index}.`);
  return message;
}

/** What the model was asked to answer last, without the system text. */
const lastHeard = () => theatre.endpoint.requests.at(-1)?.prompt ?? "";

describe("one member", () => {
  it("is asked alone, and what it says is followed by nobody", async () => {
    theatre.endpoint.respond(cast({}, (name) => `${name} thinks so. @Researcher?`));
    // The name of somebody who was never heard of here is not known.
    theatre.say(theatre.loopback.channelId, "Hello", { as: theatre.ben });
    expect(await command("ask", { agent: "editor", text: `Good, <@${theatre.ben}>?` })).toBe(
      "**Editor** is asked.",
    );
    await theatre.lineCount(review, 2);
    await theatre.idle();
    expect(theatre.lines(review)).toHaveLength(2);
    const [question, reply] = theatre.messages(review);
    expect(question?.content).toBe("**Editor** is asked by **Ada**:\n>>> Good, @Ben?");
    expect(question?.mentions).toEqual([]);
    expect(reply?.author.username).toBe("Editor");
    expect(theatre.endpoint.requests).toHaveLength(1);
  });

  it("is muted, which the topic shows and a person who names it is told once, and comes back", async () => {
    theatre.endpoint.respond(cast({ researcher: 1, editor: 0 }, (name) => `${name} was here.`));
    const offered = (path: string) =>
      theatre.loopback.people.autocomplete(theatre.ada, review, path, "agent", { agent: "" });
    expect((await offered("mute")).map(({ value }) => value)).toEqual(["researcher", "editor"]);
    expect(await command("mute", { agent: "Editor" })).toMatch(/^\*\*Editor\*\* is muted here/);
    expect((await offered("mute")).map(({ value }) => value)).toEqual(["researcher"]);
    expect((await offered("unmute")).map(({ value }) => value)).toEqual(["editor"]);
    await theatre.idle();
    expect(theatre.loopback.world.channel(review).topic).toBe(
      "Review | Members: Researcher, Editor (muted) | Host: Researcher",
    );

    theatre.endpoint.respond(cast({ researcher: 1 }, (name) => `${name} was here.`));
    theatre.say(review, "@Editor, are you there?");
    await theatre.lineCount(review, 3);
    await theatre.idle();
    theatre.say(review, "@Editor?");
    await theatre.lineCount(review, 5);
    await theatre.idle();
    expect(theatre.lines(review).filter((line) => line.includes("is muted here"))).toHaveLength(1);

    await command("unmute", { agent: "Editor" });
    theatre.say(review, "@Editor and @Researcher!");
    await theatre.lineCount(review, 8);
    expect(theatre.lines(review).at(-1)).toBe("Editor: Editor was here.");
    await theatre.idle();
  });
});

describe("a bad reply", () => {
  const long = `First part. ${"x ".repeat(900)}\n\nSecond part. ${"y ".repeat(900)}`;

  it("is said again in place by who started the round, and is then what others hear", async () => {
    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, () => long));
    theatre.say(review, "Sum it up", { as: theatre.ben });
    await theatre.lineCount(review, 3);
    await theatre.idle();
    const before = messageAt(1);

    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, () => "Short."));
    await menu(
      "Say it again",
      messageAt(2).id,
      /^\*\*Editor\*\* has said it again\.$/,
      theatre.ben,
    );
    await theatre.idle();
    expect(theatre.lines(review).slice(1)).toEqual(["Editor: Short."]);
    expect(messageAt(1)).toMatchObject({ id: before.id, author: before.author });
    expect(messageAt(1).edited_timestamp).not.toBeNull();
    expect(lastHeard()).toContain("Sum it up");
    expect(lastHeard()).not.toContain("First part.");

    theatre.endpoint.respond(cast({ researcher: 1, editor: 0 }, () => "Indeed."));
    theatre.say(review, "Right?");
    await theatre.lineCount(review, 4);
    expect(lastHeard()).toContain("[Editor] Short.");
    expect(lastHeard()).not.toContain("Second part.");
    await theatre.idle();
  });

  it("is deleted as a whole by a manager and by nobody else, also from what others hear", async () => {
    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, () => long));
    const question = theatre.say(review, "Sum it up");
    await theatre.lineCount(review, 3);
    await theatre.idle();
    const target = messageAt(2).id;
    await menu(
      "Delete",
      target,
      /^Only managers .* and the person whose message this answers/,
      theatre.ben,
    );
    await menu("Delete", question.id, /^This works only on an agent's reply/);
    await menu("Delete", target, /^Deleted/);
    expect(theatre.messages(review).map(({ id }) => id)).toEqual([question.id]);

    theatre.endpoint.respond(cast({ researcher: 1, editor: 0 }, () => "Fresh."));
    theatre.say(review, "Once more");
    await theatre.lineCount(review, 3);
    expect(lastHeard()).not.toContain("part.");
    await theatre.idle();
  });

  it("stays when the webhook that posted it was replaced, and the person is told so", async () => {
    theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, () => "Old."));
    theatre.say(review, "Well?");
    await theatre.lineCount(review, 2);
    await theatre.idle();
    const { world } = theatre.loopback;
    for (const [id, webhook] of world.webhooks) {
      if (webhook.channelId === review) world.webhooks.delete(id);
    }
    theatre.endpoint.respond(cast({}, () => "New."));
    await menu("Say it again", messageAt(1).id, /The old text stays\.$/);
    await theatre.idle();
    expect(theatre.lines(review)).toEqual(["ada: Well?", "Editor: Old."]);
  });
});

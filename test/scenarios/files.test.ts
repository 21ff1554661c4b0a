import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PNG } from "../playground/pictures.js";
import { type EndpointRequest, failure } from "../support/modelEndpoint.js";
import { cast, furnish, openTheatre, type Theatre } from "../support/theatre.js";

const utf8 = (text: string) => new TextEncoder().encode(text);
const text = (filename: string, content: string) => ({
  filename,
  contentType: "text/plain; charset=utf-8",
  bytes: utf8(content),
});
const picture = (filename: string) => ({ filename, contentType: "image/png", bytes: PNG });

let theatre: Theatre;
let review: string;
beforeEach(async () => {
  theatre = await openTheatre();
  review = await furnish(theatre);
});
afterEach(() => theatre.close());

type Extras = Parameters<Theatre["loopback"]["people"]["post"]>[3];
const post = (content: string, extras: Extras) =>
  theatre.loopback.people.post(theatre.ada, review, content, extras);
const onlyEditor = (say: (request: EndpointRequest) => string = () => "Seen.") =>
  theatre.endpoint.respond(cast({ researcher: 0, editor: 1 }, (_, request) => say(request)));
/** What the newest request of a turn ended with. */
const lastTurn = () => {
  const request = theatre.endpoint.requests.findLast(({ answerName }) => answerName === null);
  return request?.body.messages.at(-1)?.content;
};
/** What the newest request to the judge ended with. */
const judged = () => {
  const request = theatre.endpoint.requests.findLast(({ answerName }) => answerName !== null);
  return String(request?.body.messages.at(-1)?.content).split("New messages:\n")[1];
};

describe("files on Discord's protocol", () => {
  it("are read in when they are texts, shown when they are pictures, and named when they are neither", async () => {
    onlyEditor();
    const pdf = { filename: "plan.pdf", contentType: "application/pdf", bytes: utf8("%PDF-1.7") };
    post("What is this?", {
      files: [text("notes.txt", "Line 1\nLine 2"), picture("map.png"), pdf],
    });
    expect(await theatre.lineCount(review, 3)).toEqual([
      "ada: What is this?",
      "Parley: -# Not read: `plan.pdf` (only texts and pictures are read).",
      "Editor: Seen.",
    ]);
    expect(lastTurn()).toEqual([
      {
        type: "text",
        text: [
          "[Ada (person)] What is this? [image: map.png] [file: plan.pdf, not shown: only texts and pictures are read]",
          "--- file: notes.txt ---",
          "Line 1",
          "Line 2",
          "--- end of file: notes.txt ---",
        ].join("\n"),
      },
      {
        type: "image_url",
        image_url: { url: `data:image/png;base64,${Buffer.from(PNG).toString("base64")}` },
      },
    ]);
    await theatre.idle();
  });

  it("without a word beside them start a round, also when none can be read", async () => {
    onlyEditor();
    post("", { files: [{ filename: "a.zip", contentType: "application/zip", bytes: utf8("PK") }] });
    expect((await theatre.lineCount(review, 3)).at(-1)).toBe("Editor: Seen.");
    expect(judged()).toBe("[Ada (person)] [file: a.zip]");
    await theatre.idle();
  });

  it("are answered without their pictures by a model that takes none", async () => {
    theatre.endpoint.respond((request) =>
      JSON.stringify(request.body.messages).includes("image_url")
        ? failure(400, { message: "image input is not supported by this model" })
        : cast({ researcher: 0, editor: 1 }, () => "I cannot see it.")(request),
    );
    post("And this?", { files: [picture("cat.png")] });
    expect((await theatre.lineCount(review, 3)).slice(1)).toEqual([
      "Parley: -# Editor cannot see `cat.png`: its model takes no pictures.",
      "Editor: I cannot see it.",
    ]);
    await theatre.idle();
    const asked = theatre.endpoint.requests.length;
    post("And this one?", { files: [picture("dog.png")] });
    await theatre.lineCount(review, 6);
    await theatre.idle();
    // The judge and one turn: the refusal is remembered.
    expect(theatre.endpoint.requests).toHaveLength(asked + 2);
  });

  it("that the author takes away again are gone from later prompts", async () => {
    onlyEditor();
    const message = post("Mind the second", {
      files: [text("a.txt", "Public."), text("b.txt", "Secret.")],
    });
    await theatre.lineCount(review, 2);
    await theatre.idle();
    expect(lastTurn()).toContain("Secret.");
    const secret = message.attachments.find(({ filename }) => filename === "b.txt");
    theatre.loopback.people.removeFile(theatre.ada, review, message.id, secret?.id ?? "");
    theatre.say(review, "What was in them, @Researcher?");
    await theatre.lineCount(review, 5);
    const heard = theatre.endpoint.requests.findLast(({ system }) => /Researcher\.$/m.test(system));
    expect(heard?.prompt).toContain("Public.");
    expect(heard?.prompt).not.toContain("Secret.");
    await theatre.idle();
  });
});

describe("messages that are more than text", () => {
  it.each<[string, () => void, string]>([
    [
      "a poll",
      () => post("", { poll: { question: "Lunch?", answers: ["Soup", "Bread"] } }),
      "[poll: Lunch? — Soup, Bread]",
    ],
    ["a sticker", () => post("", { sticker: "Thumbs" }), "[sticker: Thumbs]"],
    [
      "a voice message",
      () =>
        post("", {
          isVoice: true,
          files: [{ filename: "voice-message.ogg", contentType: "audio/ogg", bytes: utf8("OggS") }],
        }),
      "[voice message] [file: voice-message.ogg]",
    ],
    [
      "a forwarded message",
      () => {
        const { people, channelId } = theatre.loopback;
        const { id } = people.post(theatre.ada, channelId, "From elsewhere", {
          files: [text("notes.txt", "Forwarded notes.")],
        });
        people.forward(theatre.ada, review, channelId, id);
      },
      "[forwarded message]\n> From elsewhere [file: notes.txt, which begins: Forwarded notes.]",
    ],
  ])("are named as what they are: %s", async (_, send, shown) => {
    onlyEditor();
    send();
    await theatre.loopback.until(
      () => (theatre.lines(review).at(-1) === "Editor: Seen." ? true : undefined),
      "the answer",
    );
    expect(judged()).toBe(`[Ada (person)] ${shown}`);
    await theatre.idle();
  });
});

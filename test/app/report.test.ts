import { describe, expect, test } from "vitest";
import { isForeseen, sentenceOf } from "../../src/app/report.js";
import { UserError } from "../../src/domain/errors.js";
import { ChatError } from "../../src/ports/chat.js";
import { FileError } from "../../src/ports/files.js";
import { ModelError, type ModelErrorKind } from "../../src/ports/model.js";
import { StorageError } from "../../src/ports/storage.js";

const MODEL_KINDS = [
  "timeout",
  "rate-limited",
  "unauthorized",
  "unknown-model",
  "too-long",
  "refused",
  "no-images",
  "unavailable",
  "bad-answer",
] as const satisfies readonly ModelErrorKind[];

describe("an error in words", () => {
  test.each([
    [new UserError("unknown", "There is no such agent."), "There is no such agent."],
    [new FileError("The file is too large."), "The file is too large."],
    [new ChatError("full", "The category is full."), "The category is full."],
    [
      new StorageError("SQLITE_BUSY at /data/parley.db", { isTransient: true }),
      "I cannot reach my database just now. Nothing was changed; try again in a moment.",
    ],
  ])("gives the sentence of %o", (error, sentence) => {
    expect(sentenceOf(error)).toBe(sentence);
    expect(isForeseen(error)).toBe(true);
  });

  test("has a sentence of its own for each trouble with a model, without what the provider said", () => {
    const sentences = MODEL_KINDS.map((kind) =>
      sentenceOf(new ModelError(kind, "HTTP 418 sk-secret")),
    );
    expect(new Set(sentences).size).toBe(MODEL_KINDS.length);
    for (const sentence of sentences) expect(sentence).not.toMatch(/418|secret/u);
  });

  test.each([
    [new TypeError("x is undefined")],
    ["a string"],
    [undefined],
    [{ message: "secret" }],
  ])("tells nothing of what was not foreseen: %o", (error) => {
    expect(sentenceOf(error)).toBe("Something went wrong in the bot; it has been logged.");
    expect(isForeseen(error)).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { isGroupChatCommand, isStopWord } from "../../src/domain/textCommand.js";

describe("a message", () => {
  it.each(["stop", "Stop", "STOP!", " stop. ", "stop!!", "stop...\n"])(
    "%j is just stop",
    (text) => {
      expect(isStopWord(text)).toBe(true);
    },
  );

  it.each([
    "",
    "stop it",
    "please stop",
    "stopp",
    "stop?",
    "!stop",
    "s t o p",
    "stop\nstop",
    "`stop`",
  ])("%j is not just stop", (text) => {
    expect(isStopWord(text)).toBe(false);
  });

  it.each(["!gc", "!gc add editor", "!GC list", "  !gc status", "!gc\nadd"])(
    "%j is a group chat command",
    (text) => {
      expect(isGroupChatCommand(text)).toBe(true);
    },
  );

  it.each(["", "!gcfoo", "!gc-x", "!gc2", "say !gc", "gc add", "/gc", "! gc", "\\!gc"])(
    "%j is no group chat command",
    (text) => {
      expect(isGroupChatCommand(text)).toBe(false);
    },
  );
});

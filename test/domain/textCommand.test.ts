import { describe, expect, it } from "vitest";
import {
  isGroupChatCommand,
  isStopWord,
  namePieces,
  readDebate,
  readGroupChatCommand,
} from "../../src/domain/textCommand.js";

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

describe("a group chat command", () => {
  it.each([
    ["!gc", { word: "help", rest: "" }],
    ["  !GC  LIST ", { word: "list", rest: "" }],
    ["!gc add\nEditor", { word: "add", rest: "Editor" }],
    ['!gc start "Reading room", Editor', { word: "start", rest: '"Reading room", Editor' }],
    ["!gc debate 2 Is it\nart?", { word: "debate", rest: "2 Is it\nart?" }],
    ["!gc ad Editor", { word: null, given: "ad", nearest: "add" }],
    ["!gc statsu", { word: null, given: "statsu", nearest: "status" }],
    ["!gc exit", { word: null, given: "exit", nearest: "help" }],
  ])("is read from %j", (text, command) => {
    expect(readGroupChatCommand(text)).toEqual(command);
  });

  it.each([
    ["Is it art?", null, "Is it art?"],
    ["3 Is it art?", 3, "Is it art?"],
    ["9 lives", 9, "lives"],
    ["2", 2, ""],
    ["2026 and after", null, "2026 and after"],
    ["", null, ""],
  ])("has passes and a topic in %j", (rest, passes, topic) => {
    expect(readDebate(rest)).toEqual({ passes, topic });
  });

  it.each([
    ["Editor Notes", ["Editor?", "Notes?"]],
    ["Reading room, Editor", ["Reading room", "Editor"]],
    ['"Reading room" Editor', ["Reading room", "Editor?"]],
    ["\u201cReading, room\u201d Editor", ["Reading, room", "Editor?"]],
    ["Editor,, Notes ,", ["Editor", "Notes"]],
    ['"" "Editor"', ["Editor"]],
    ["  ", []],
  ])("has names in %j", (text, names) => {
    const shown = namePieces(text).map((piece) => (piece.isWhole ? piece.text : `${piece.text}?`));
    expect(shown).toEqual(names);
  });
});

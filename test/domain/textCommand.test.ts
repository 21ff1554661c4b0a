import { describe, expect, it } from "vitest";
import {
  hasOpenQuote,
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

  it.each([
    "!gc",
    "!gc add editor",
    "!GC list",
    "  !gc status",
    "!gc\nadd",
    "!gclist",
    "!gc-x",
    "!gc2",
  ])("%j is a group chat command", (text) => {
    expect(isGroupChatCommand(text)).toBe(true);
  });

  it.each(["", "!g", "say !gclist", "say !gc", "gc add", "/gc", "! gc", "\\!gc"])(
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
    ["!gc ad Editor", { word: null, given: "!gc ad", nearest: "add" }],
    ["!gc statsu", { word: null, given: "!gc statsu", nearest: "status" }],
    ["!gclist", { word: null, given: "!gclist", nearest: "list" }],
    ["!GC-ad Editor", { word: null, given: "!gc-ad", nearest: "add" }],
    ["!gc2", { word: null, given: "!gc2", nearest: "help" }],
    ["!gc: list", { word: null, given: "!gc:", nearest: "list" }],
    ["!gc kick Editor", { word: null, given: "!gc kick", nearest: "remove" }],
    ["!gc invite Editor", { word: null, given: "!gc invite", nearest: "add" }],
    ["!gc stop", { word: null, given: "!gc stop", nearest: "end" }],
    ["!gc who", { word: null, given: "!gc who", nearest: "list" }],
    ["!gc constructor", { word: null, given: "!gc constructor", nearest: "help" }],
    ["!gc exit", { word: null, given: "!gc exit", nearest: "help" }],
  ])("is read from %j", (text, command) => {
    expect(readGroupChatCommand(text)).toEqual(command);
  });

  it.each([
    ['"Reading room', true],
    ['"Reading room" “Editor', true],
    ['"Reading room" O\'Neil', false],
  ])("may have an open quote: %j", (text, isOpen) => {
    expect(hasOpenQuote(text)).toBe(isOpen);
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
    ["'Reading, room' ‘Other one’ Editor", ["Reading, room", "Other one", "Editor?"]],
    ["O'Neil 'The devil's own'", ["O'Neil?", "The devil's own"]],
    ["  ", []],
  ])("has names in %j", (text, names) => {
    const shown = namePieces(text).map((piece) => (piece.isWhole ? piece.text : `${piece.text}?`));
    expect(shown).toEqual(names);
  });
});

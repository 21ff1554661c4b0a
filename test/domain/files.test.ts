import { describe, expect, it } from "vitest";
import {
  contentFromBytes,
  contentWithoutBytes,
  fileKind,
  imageType,
  leftOutOf,
} from "../../src/domain/files.js";
import type { Attachment } from "../../src/domain/message.js";

const KIB = 1_024;
const bytesOf = (...bytes: readonly number[]) => Uint8Array.from(bytes);
const utf8 = (text: string) => new TextEncoder().encode(text);
const aFile = (name: string, type: string | null = null, bytes = 10): Attachment => ({
  name,
  type,
  bytes,
  url: `https://cdn.discordapp.com/attachments/1/2/${name}`,
});

describe("the kind of a file", () => {
  it.each([
    ["notes.txt", "text/plain", "text"],
    ["a", "text/x-anything", "text"],
    ["a", "application/json", "text"],
    ["a", "application/problem+json", "text"],
    ["a", "image/svg+xml", "text"],
    ["a", "application/x-yaml", "text"],
    ["data.csv", "application/vnd.ms-excel", "text"],
    ["main.ts", "video/mp2t", "text"],
    ["main.rs", null, "text"],
    ["Dockerfile", null, "text"],
    [".env", "application/octet-stream", "text"],
    ["cat.png", "image/png", "image"],
    ["cat", "image/webp", "image"],
    ["CAT.JPEG", null, "image"],
    ["cat.gif", "application/octet-stream", "image"],
    ["cat.bmp", "image/bmp", "other"],
    ["cat.png", "application/pdf", "other"],
    ["plan.pdf", "application/pdf", "other"],
    ["song.ogg", "audio/ogg", "other"],
    ["archive", "application/zip", "other"],
    ["letter", "application/vnd.openxmlformats-officedocument", "other"],
    ["thing", null, "doubtful"],
    ["thing.xyz", "application/octet-stream", "doubtful"],
    ["thing", "application/unheard-of", "doubtful"],
  ] as const)("%s of type %s is %s", (name, type, kind) => {
    expect(fileKind({ name, type })).toBe(kind);
  });
});

describe("what is clear before a file is fetched", () => {
  it.each([
    ["a text that may be read in has to be fetched", aFile("a.txt", null, 64 * KIB), null],
    ["a text beyond 64 KiB is too large", aFile("a.txt", null, 64 * KIB + 1), "size"],
    ["a large file of a kind unknown is no text", aFile("thing", null, 64 * KIB + 1), "type"],
    ["a small one has to be fetched", aFile("thing"), null],
    ["a picture is shown when it is needed", aFile("a.png", null, 8 * KIB * KIB), "image"],
    ["a picture beyond 8 MiB is too large", aFile("a.png", null, 8 * KIB * KIB + 1), "size"],
    ["anything else is named", aFile("a.pdf", "application/pdf"), "type"],
  ] as const)("%s", (_, file, expected) => {
    const content = contentWithoutBytes(file);
    expect(content?.kind === "named" ? content.reason : (content?.kind ?? null)).toBe(expected);
  });
});

describe("what bytes come to", () => {
  it.each([
    ["UTF-8", utf8("Füße 👣\n")],
    ["UTF-8 with its mark", bytesOf(0xef, 0xbb, 0xbf, ...utf8("Füße 👣\n"))],
    ["UTF-16", bytesOf(0xff, 0xfe, ...new Uint8Array(Buffer.from("Füße 👣\n", "utf16le")))],
    [
      "UTF-16 the other way round",
      bytesOf(0xfe, 0xff, ...new Uint8Array(Buffer.from("Füße 👣\n", "utf16le").swap16())),
    ],
  ])("%s is a text", (_, bytes) => {
    const content = { kind: "text", text: "Füße 👣\n" };
    expect(contentFromBytes(aFile("a.txt"), bytes)).toEqual(content);
    expect(contentFromBytes(aFile("thing"), bytes)).toEqual(content);
  });

  it.each([
    ["bytes of no encoding", bytesOf(0x46, 0xfc, 0xdf)],
    ["a zero byte", utf8("a\0b")],
    ["UTF-16 that breaks off", bytesOf(0xff, 0xfe, 0x41)],
  ])("%s are no text", (_, bytes) => {
    expect(contentFromBytes(aFile("a.txt"), bytes)).toEqual({
      kind: "named",
      reason: "unreadable",
    });
    expect(contentFromBytes(aFile("thing"), bytes)).toEqual({ kind: "named", reason: "type" });
  });

  it("nothing is an empty text", () => {
    expect(contentFromBytes(aFile("a.txt"), bytesOf())).toEqual({ kind: "text", text: "" });
  });
});

describe("a picture's type", () => {
  it.each([
    ["image/png", bytesOf(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0)],
    ["image/jpeg", bytesOf(0xff, 0xd8, 0xff, 0xe0)],
    ["image/gif", utf8("GIF89a…")],
    ["image/webp", utf8("RIFF....WEBPVP8 ")],
    [null, utf8("<svg/>")],
    [null, bytesOf()],
  ])("is %s by its first bytes", (type, bytes) => {
    expect(imageType(bytes)).toBe(type);
  });
});

describe("what is left out", () => {
  it("is every file of which only the name is kept", () => {
    const attachments = [
      { ...aFile("a.txt"), content: { kind: "text", text: "" } },
      { ...aFile("b.pdf"), content: { kind: "named", reason: "type" } },
      { ...aFile("c.png"), content: { kind: "image" } },
      aFile("d.txt"),
    ] as const;
    const big = { ...aFile("e.txt"), content: { kind: "named", reason: "size" } } as const;
    expect(leftOutOf([{ attachments }, { attachments: [big] }])).toEqual([
      { name: "b.pdf", reason: "type" },
      { name: "e.txt", reason: "size" },
    ]);
  });
});

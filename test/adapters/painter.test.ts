import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { createPainter } from "../../src/adapters/painter.js";

const painter = createPainter();
/** Discord's limit for an application emoji. */
const EMOJI_BYTES = 256 * 1_024;

test("a picture is a whole, square, opaque-grounded PNG that Discord takes as an emoji", () => {
  const picture = Buffer.from(painter.draw("Editor"));
  expect(picture.byteLength).toBeLessThan(EMOJI_BYTES);
  expect(picture.subarray(0, 8)).toEqual(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"));
  const chunks = chunksOf(picture);
  const header = chunks.find((chunk) => chunk.type === "IHDR")?.data;
  expect([header?.readUInt32BE(0), header?.readUInt32BE(4)]).toEqual([256, 256]);
  expect(chunks.at(-1)?.type).toBe("IEND");
  const pixels = chunks.filter((chunk) => chunk.type === "IDAT").map((chunk) => chunk.data);
  expect(inflateSync(Buffer.concat(pixels)).byteLength).toBeGreaterThan(0);
  // The colours are a palette whose transparency is in this chunk; smoothed edges are rounded down.
  const alphas = [...(chunks.find((chunk) => chunk.type === "tRNS")?.data ?? [])];
  expect(alphas.filter((alpha) => alpha < 250)).toEqual([]);
});

test("the same name gives the same picture, whatever its Unicode form and outer spaces", () => {
  expect(painter.draw("Zoë")).toEqual(painter.draw("Zoe\u0308"));
  expect(painter.draw(" Editor ")).toEqual(painter.draw("Editor"));
});

test("different names give different pictures, also when only the case differs", () => {
  const names = ["Editor", "editor", "Editors", "Researcher", "編集者", "✏️"];
  const pictures = new Set(names.map((name) => Buffer.from(painter.draw(name)).toString("base64")));
  expect(pictures.size).toBe(names.length);
});

function chunksOf(png: Buffer): readonly { readonly type: string; readonly data: Buffer }[] {
  const chunks = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

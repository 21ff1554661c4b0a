import { ParleyFileError } from "./parleyFileError.js";

const LINE_END = 0x0a;

/**
 * The text of the file. In another encoding names would be stored with signs that nobody typed, so
 * that anything but UTF-8 is refused, with the first line that is none.
 */
export function textOfFile(bytes: Uint8Array, path: string): string {
  const text = decoded(bytes);
  if (text !== null) return text;
  // No sign of several bytes holds the end of a line.
  let line = 1;
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_END, start);
    if (end < 0 || decoded(bytes.subarray(start, end)) === null) break;
    line += 1;
    start = end + 1;
  }
  const message = "this is not UTF-8; save the file in that encoding.";
  throw new ParleyFileError(path, [{ at: { line, field: "" }, message }]);
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

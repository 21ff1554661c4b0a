export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export type ImageKind = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** The kind of picture by its first bytes, whatever it claims to be. */
export function imageKind(bytes: Uint8Array): ImageKind | undefined {
  const starts = (...head: number[]) => head.every((byte, index) => bytes[index] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (starts(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const isRiff = starts(0x52, 0x49, 0x46, 0x46);
  if (isRiff && Buffer.from(bytes.subarray(8, 12)).toString("latin1") === "WEBP") {
    return "image/webp";
  }
  return undefined;
}

/** Width and height of PNG and GIF pictures; others are not measured. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = imageKind(bytes);
  if (kind === "image/png" && bytes.byteLength >= 24) {
    return { width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (kind === "image/gif" && bytes.byteLength >= 10) {
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  return undefined;
}

/** The bytes of `data:image/...;base64,...`, or undefined when it is not one. */
export function readDataUri(
  text: string,
): { readonly kind: ImageKind; readonly bytes: Uint8Array<ArrayBuffer> } | undefined {
  const match = /^data:image\/(?:png|jpe?g|gif|webp);base64,([A-Za-z0-9+/=]+)$/.exec(text);
  if (!match?.[1]) return undefined;
  const bytes = Uint8Array.from(Buffer.from(match[1], "base64"));
  const kind = imageKind(bytes);
  return kind ? { kind, bytes } : undefined;
}

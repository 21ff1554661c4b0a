import type { APIAttachment } from "discord-api-types/v10";
import { imageSize } from "./images.js";
import type { UploadedFile } from "./records.js";
import type { World } from "./world.js";

/** Keeps an uploaded file and says where it can be fetched. */
export function storeAttachment(
  world: World,
  channelId: string,
  file: UploadedFile,
  description?: string,
): APIAttachment {
  const id = world.ids.next();
  const filename = safeFilename(file.filename);
  world.files.set(id, { bytes: file.bytes, contentType: file.contentType });
  const size = imageSize(file.bytes);
  const path = `/attachments/${channelId}/${id}/${encodeURIComponent(filename)}`;
  // Discord signs its links; the query must not matter to whoever fetches them.
  const expiresAt = Math.floor(world.clock.now() / 1000) + 86_400;
  const url = `${world.cdnUrl}${path}?ex=${expiresAt.toString(16)}&is=0&hm=0`;
  return {
    id,
    filename,
    size: file.bytes.byteLength,
    url,
    proxy_url: url,
    content_type: file.contentType,
    ...(size ? { width: size.width, height: size.height } : {}),
    ...(description === undefined ? {} : { description }),
  };
}

/** Discord keeps letters, digits, `_`, `-` and `.`. */
function safeFilename(filename: string): string {
  const cleaned = filename.replace(/\s+/g, "_").replace(/[^\p{L}\p{N}._-]/gu, "");
  return cleaned === "" ? "unknown" : cleaned;
}

/** What can be made of a file that a person attached: pure rules over its name, type and bytes. */
import { never } from "./errors.js";
import { IMAGE_BYTES, TEXT_FILE_BYTES } from "./limits.js";
import type { Attachment, AttachmentContent, Message } from "./message.js";
import type { LeftOut } from "./round/round.js";

/** "doubtful": only its bytes can tell whether it is a text. */
type FileKind = "text" | "image" | "doubtful" | "other";

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const IMAGE_ENDINGS = new Set(["png", "jpg", "jpeg", "gif", "webp"]);
/** Types that hold text without being called so. `+json` and `+xml` are added to them. */
const TEXT_TYPES = new Set(
  [
    "json ld+json x-ndjson ndjson jsonl json5 xml yaml x-yaml toml csv sql graphql",
    "javascript x-javascript ecmascript typescript x-typescript x-sh x-shellscript x-python",
    "x-httpd-php x-perl x-ruby x-tex x-latex x-subrip x-ini",
  ].flatMap((line) => line.split(" ").map((name) => `application/${name}`)),
);
/** Source code, data and notes. Discord calls many of them `application/octet-stream` or worse: `.ts` is a video. */
const TEXT_ENDINGS = new Set(
  [
    "txt text md markdown mdx rst adoc org tex bib log diff patch csv tsv json jsonc json5 jsonl",
    "ndjson geojson xml xsd xsl xslt svg html htm xhtml css scss sass less yaml yml toml ini cfg",
    "conf config env properties lock editorconfig gitignore gitattributes dockerfile makefile mk",
    "cmake gradle sbt js mjs cjs jsx ts mts cts tsx vue svelte astro py pyi ipynb rb php pl pm lua",
    "r jl java kt kts scala groovy clj cljs cljc edn c h cc cpp cxx hpp hh m mm cs fs fsx vb swift",
    "go rs zig nim d dart ex exs erl hrl hs elm ml mli lisp el scm rkt asm s sh bash zsh fish ps1",
    "bat cmd sql graphql gql proto thrift tf hcl nix srt vtt sub ics vcf po pot eml",
  ].flatMap((line) => line.split(" ")),
);
/** Never texts, whatever their bytes look like. */
const OTHER_TYPES =
  /^(?:image|audio|video|font|model)\/|^application\/(?:pdf|zip|gzip|x-.*compressed|x-7z|x-tar|java-archive|vnd\.|msword)/u;

/** What a file is, judged by its media type and the ending of its name. */
export function fileKind({ name, type }: Pick<Attachment, "name" | "type">): FileKind {
  const ending = endingOf(name);
  const isUntold = type === null || type === "application/octet-stream";
  if (IMAGE_TYPES.includes(type ?? "") || (isUntold && IMAGE_ENDINGS.has(ending))) return "image";
  if (TEXT_ENDINGS.has(ending)) return "text";
  if (type !== null) {
    if (type.startsWith("text/") || TEXT_TYPES.has(type)) return "text";
    if (/\+(?:json|xml|yaml)$/u.test(type)) return "text";
    if (OTHER_TYPES.test(type)) return "other";
  }
  return "doubtful";
}

/** What is clear without the bytes, or null when they have to be fetched. */
export function contentWithoutBytes(file: Attachment): AttachmentContent | null {
  const kind = fileKind(file);
  switch (kind) {
    case "image":
      return file.bytes > IMAGE_BYTES ? named("size") : { kind: "image" };
    case "text":
      return file.bytes > TEXT_FILE_BYTES ? named("size") : null;
    case "doubtful":
      return file.bytes > TEXT_FILE_BYTES ? named("type") : null;
    case "other":
      return named("type");
    default:
      return never(kind);
  }
}

/** What the bytes of a text, or of a file that may be one, come to. */
export function contentFromBytes(file: Attachment, bytes: Uint8Array): AttachmentContent {
  const text = decode(bytes);
  if (text !== null) return { kind: "text", text };
  return named(fileKind(file) === "text" ? "unreadable" : "type");
}

export function named(
  reason: Extract<AttachmentContent, { kind: "named" }>["reason"],
): AttachmentContent {
  return { kind: "named", reason };
}

/** The media type that a picture's first bytes tell, or null when it is none that models take. */
export function imageType(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  return /^RIFF.{4}WEBP$/su.test(head) ? "image/webp" : null;
}

/** The files of these messages of which prompts hold only the name. */
export function leftOutOf(messages: readonly Pick<Message, "attachments">[]): readonly LeftOut[] {
  return messages
    .flatMap((message) => message.attachments)
    .flatMap(({ name, type, content }): readonly LeftOut[] => {
      if (content?.kind !== "named") return [];
      const isPicture = content.reason === "size" && fileKind({ name, type }) === "image";
      return [{ name, reason: content.reason, ...(isPicture ? { isPicture } : {}) }];
    });
}

/** UTF-8, or UTF-16 with its mark, as Windows writes it. Null: no text. */
function decode(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe
      ? "utf-16le"
      : first === 0xfe && second === 0xff
        ? "utf-16be"
        : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch (error) {
    // What `fatal` throws for bytes that are none of the encoding (WHATWG Encoding).
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Of `Dockerfile` and `.env` the whole name. */
function endingOf(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase();
}

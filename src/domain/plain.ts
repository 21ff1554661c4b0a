import { shorten } from "./shorten.js";

/**
 * Text from people as plain words on one line: nothing in it is taken for Markdown, and no address
 * or invitation in it becomes a link or opens a preview. The one place where names are made safe to
 * show; it is done where they are shown, never before they are stored.
 */
export function plain(text: string): string {
  return text
    .replace(/\s+/gu, " ")
    .replace(/[\\*_~`|<>[\]]/gu, (mark) => `\\${mark}`)
    .replace(
      /:(?=\/\/)|@(?=everyone|here)|(?<=discord\.gg|discord(?:app)?\.com\/invite)\//giu,
      (mark) => `\\${mark}`,
    );
}

/** The same in bold: how names stand in what the bot says. */
export function bold(text: string): string {
  return `**${plain(text)}**`;
}

const QUOTED_CHARACTERS = 100;

/** The beginning of a text in quotation marks, cut when it is long. */
export function quote(text: string, characters = QUOTED_CHARACTERS): string {
  return `“${plain(shorten(text.replace(/\s+/gu, " ").trim(), characters))}”`;
}

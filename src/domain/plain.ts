/** Text from people as plain words on one line: nothing in it is taken for Markdown. */
export function plain(text: string): string {
  return text.replace(/\s+/gu, " ").replace(/[\\*_~`|<>[\]]/gu, (mark) => `\\${mark}`);
}

/** An answer as people read it in a terminal: without Markdown, and with channels by their names. */
export function terminalText(text: string, nameOf: (channelId: string) => string | null): string {
  return text
    .replace(/<#(\d+)>/gu, (link, id: string) => {
      const name = nameOf(id);
      return name === null ? link : `#${name}`;
    })
    .replace(/(?<!\\)(?:\*\*|`)/gu, "")
    .replace(/\\([!-/:-@[-`{-~])/gu, "$1");
}

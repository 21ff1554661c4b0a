/** What Python and others take for the end of a line beside the usual. */
const SEPARATORS = String.fromCharCode(0x1c, 0x1d, 0x1e, 0x1f);

/** Everything that some renderer or tokenizer takes for the start of a new line. */
export const LINE_BREAK = new RegExp(
  `\\r\\n|[\\n\\r\\v\\f${SEPARATORS}\\u0085\\u2028\\u2029]`,
  "u",
);

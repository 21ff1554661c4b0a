/** For the end of a union; reached only when the server says what this page does not know. */
export function never(value: never): never {
  throw new Error(`This page does not know ${JSON.stringify(value)}.`);
}

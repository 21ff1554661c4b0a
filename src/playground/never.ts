/** The end of a switch over a closed union: the compiler proves that it is not reached. */
export function never(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

import { ShuttingDown } from "../../src/app/stopping.js";

/** What a job throws that the end of the process cuts off: what it was about goes on at the next start. */
export function processEnd(): Error {
  return new ShuttingDown("The process dies here.");
}

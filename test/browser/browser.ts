import { existsSync } from "node:fs";

/** The Chromium that the tests start. */
export const BROWSER = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/** Why the tests are skipped; undefined when there is a browser. */
export const skipReason = existsSync(BROWSER)
  ? undefined
  : `no browser at ${BROWSER}; CHROMIUM_PATH names another`;

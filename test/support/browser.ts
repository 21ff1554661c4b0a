import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/**
 * The Chromium that tests drive, or null where there is none. `TEST_CHROMIUM` names another one,
 * or none at all with `none`.
 */
export const chromiumPath = findChromium(process.env["TEST_CHROMIUM"]);

/** For the name of a suite, so that a skipped one says why. */
export const browserNote =
  chromiumPath === null ? " (needs Chromium: install it, or name it in TEST_CHROMIUM)" : "";

/** Starts Chromium without a window, and without the connections that it opens on its own. */
export async function launchBrowser(): Promise<Browser> {
  if (chromiumPath === null) throw new Error("There is no Chromium on this machine.");
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

function findChromium(wanted: string | undefined): string | null {
  if (wanted === "none") return null;
  const candidates = wanted
    ? [wanted]
    : ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return candidates.find((path) => existsSync(path)) ?? null;
}

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { skipReason } from "./browser.js";

if (skipReason !== undefined) process.stderr.write(`Browser tests are skipped: ${skipReason}.\n`);

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/browser/**/*.test.ts"],
    environment: "node",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // One browser at a time is enough for a small machine.
    fileParallelism: false,
  },
});

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Measurements: they print what they find and assert no durations. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/bench/*.ts"],
    exclude: ["test/bench/vitest.config.ts"],
    environment: "node",
    testTimeout: 120_000,
    pool: "forks",
    // One at a time: they would take the processor from each other.
    fileParallelism: false,
  },
});

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    // Those need a browser: npm run test:browser.
    exclude: ["test/browser/**"],
    environment: "node",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests run whole processes: a machine that is busy with other work may fail one once.
    retry: process.env["CI"] === undefined ? 0 : 1,
    pool: "forks",
  },
});

import { defineConfig } from "drizzle-kit";

/** Paths are seen from the repository root, where `npm run db:generate` runs. */
export default defineConfig({
  dialect: "sqlite",
  schema: [
    "./src/adapters/storage/tables.sqlite.ts",
    "./src/adapters/storage/chatTables.sqlite.ts",
  ],
  out: "./migrations/sqlite",
});

import { defineConfig } from "drizzle-kit";

/** Paths are seen from the repository root, where `npm run db:generate` runs. */
export default defineConfig({
  dialect: "postgresql",
  schema: [
    "./src/adapters/storage/tables.postgres.ts",
    "./src/adapters/storage/chatTables.postgres.ts",
  ],
  out: "./migrations/postgres",
});

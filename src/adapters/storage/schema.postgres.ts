/** Every table, in one name space. */
export * from "./chatTables.postgres.js";
export * from "./tables.postgres.js";

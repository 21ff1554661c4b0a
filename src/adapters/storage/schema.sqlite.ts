/** Every table, in one name space. */
export * from "./chatTables.sqlite.js";
export * from "./tables.sqlite.js";

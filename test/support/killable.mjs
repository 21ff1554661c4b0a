/**
 * The bot as a process of its own that can be told to die, by `SIGKILL`, right before or right
 * after the n-th write to its database. It is what `npm start` builds and runs; only the storage
 * is counted. Messages from the parent: `{ arm: { nth, when } }`,
 * `{ ask: "idle" | "writes" | "heap" }`.
 */
import { createOpenAiModel } from "../../dist/src/adapters/openai/model.js";
import { openStorage } from "../../dist/src/adapters/storage/open.js";
import { systemClock } from "../../dist/src/adapters/system.js";
import { startBot } from "../../dist/src/bot.js";
import { createLog } from "../../dist/src/log.js";

const COUNTED = {
  messages: ["record", "markDeleted", "settle", "setAttachments"],
  rounds: ["open", "append"],
  statusLines: ["set", "remove"],
  groups: ["update"],
  words: ["owe", "settle"],
};

let writes = 0;
let armed = JSON.parse(process.env.ARM ?? "null");

function die() {
  process.kill(process.pid, "SIGKILL");
  // Nothing more happens, even if the signal takes a moment.
  return new Promise(() => {});
}

function counted(storage) {
  const wrapped = { ...storage };
  for (const [store, methods] of Object.entries(COUNTED)) {
    wrapped[store] = { ...storage[store] };
    for (const method of methods) {
      wrapped[store][method] = async (...args) => {
        writes += 1;
        const isHit = armed !== null && writes === armed.nth;
        if (isHit && armed.when === "before") await die();
        const result = await storage[store][method](...args);
        if (isHit && armed.when === "after") await die();
        return result;
      };
    }
  }
  return wrapped;
}

const settings = JSON.parse(process.env.SETTINGS);
const log = createLog(process.env.LOG_LEVEL ?? "silent", []);
const bot = await startBot({
  token: process.env.DISCORD_TOKEN,
  apiUrl: process.env.DISCORD_API_URL,
  storage: counted(await openStorage(process.env.DATABASE_URL)),
  model: createOpenAiModel({
    apiKey: "sk-test",
    baseUrl: process.env.OPENAI_BASE_URL,
    clock: systemClock,
    log,
  }),
  settings,
  log,
});

async function obey({ arm, ask }) {
  if (arm !== undefined) {
    writes = 0;
    armed = arm;
    process.send({ armed: true });
  }
  if (ask === "writes") process.send({ writes });
  if (ask === "heap") {
    // The first frees what the second can then collect.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send({ heap: heapUsed + external });
  }
  if (ask === "idle") {
    await bot.onIdle();
    process.send({ idle: true });
  }
}
process.on("message", (said) => void obey(said));
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });

/**
 * The process. The program is loaded when the signals are heard: that takes its time, and a process
 * that is ended meanwhile ends in order too.
 */

/** Resolves at the first signal to end. A second one ends the process as it would without us. */
const ending = new Promise<string>((resolve) => {
  process.once("SIGTERM", () => resolve("SIGTERM"));
  process.once("SIGINT", () => resolve("SIGINT"));
});

const { run } = await import("./program.js");
process.exitCode = await run(ending);
// Timers of libraries must not keep a process alive that has nothing more to do.
process.exit();

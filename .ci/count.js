// Prints the closing line of `.ci/run`: `N passed, N failed`, with `, N skipped` where there are any.
// Arguments: a folder with `NAME.json` (vitest's own results) and `NAME.exit` (an exit code) of each
// check. A check without a .json counts as one. Exits with 1 when anything failed or nothing ran.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const RANK = { skipped: 0, passed: 1, failed: 2 };
/** One entry for each test, the worst of its runs: a test may run once here and be skipped there. */
const results = new Map();

function note(name, status) {
  const known = results.get(name);
  if (known === undefined || RANK[status] > RANK[known]) results.set(name, status);
}

function noteTests(report) {
  let failed = 0;
  for (const file of report.testResults) {
    const path = file.name.replace(`${process.cwd()}/`, "");
    const tests = file.assertionResults;
    for (const test of tests) {
      const status = test.status in RANK ? test.status : "skipped";
      note(`${path} ${test.fullName}`, status);
      if (status === "failed") failed += 1;
    }
    if (file.status === "failed" && !tests.some((test) => test.status === "failed")) {
      note(`${path} (as a whole)`, "failed");
      failed += 1;
    }
  }
  return failed;
}

for (const file of readdirSync(folder).filter((name) => name.endsWith(".exit"))) {
  const name = file.slice(0, -".exit".length);
  const hasSucceeded = readFileSync(join(folder, file), "utf8").trim() === "0";
  const report = join(folder, `${name}.json`);
  if (!existsSync(report)) {
    note(name, hasSucceeded ? "passed" : "failed");
    continue;
  }
  const failed = noteTests(JSON.parse(readFileSync(report, "utf8")));
  if (!hasSucceeded && failed === 0) note(name, "failed");
}

const count = (status) => [...results.values()].filter((one) => one === status).length;
for (const [name, status] of results) if (status === "failed") console.log(`failed: ${name}`);
const skipped = count("skipped");
console.log(
  `${count("passed")} passed, ${count("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
);
process.exitCode = count("failed") > 0 || count("passed") === 0 ? 1 : 0;

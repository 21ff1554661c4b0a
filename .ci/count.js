// Prints the closing line of `.ci/run`: `N passed, N failed`, with `, N skipped` where there are any.
// Arguments: a folder with `NAME.json` (vitest's own results) and `NAME.exit` (an exit code) of each
// check. A check without a .json counts as one. Exits with 1 when anything failed or nothing ran.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const RANK = { skipped: 0, passed: 1, failed: 2 };
/** One entry for each test, the worst of its runs. */
const results = new Map();
/** Files of which a run left nothing out: what another run left out of them was tested there. */
const wholeFiles = new Set();

function note(name, status) {
  const known = results.get(name);
  if (known === undefined || RANK[status] > RANK[known]) results.set(name, status);
}

/** Null where there is none, or only a part of one. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

function noteTests(report) {
  let failed = 0;
  for (const file of report.testResults) {
    const path = file.name.replace(`${process.cwd()}/`, "");
    const statuses = file.assertionResults.map(({ status }) =>
      status === "passed" || status === "failed" ? status : "skipped",
    );
    for (const [index, status] of statuses.entries()) {
      note(`${path}: ${file.assertionResults[index].fullName}`, status);
    }
    failed += statuses.filter((status) => status === "failed").length;
    if (statuses.length > 0 && !statuses.includes("skipped")) wholeFiles.add(path);
    if (file.status === "failed" && !statuses.includes("failed")) {
      note(`${path}: as a whole`, "failed");
      failed += 1;
    }
  }
  return failed;
}

for (const file of readdirSync(folder).filter((name) => name.endsWith(".exit"))) {
  const name = file.slice(0, -".exit".length);
  const hasSucceeded = readFileSync(join(folder, file), "utf8").trim() === "0";
  const report = readReport(join(folder, `${name}.json`));
  const failed = report === null ? 0 : noteTests(report);
  if (!hasSucceeded && failed === 0) note(name, "failed");
  else if (report === null) note(name, "passed");
}

for (const [name, status] of results) {
  if (status === "skipped" && wholeFiles.has(name.split(": ")[0])) results.delete(name);
}
const count = (status) => [...results.values()].filter((one) => one === status).length;
for (const [name, status] of results) if (status !== "passed") console.log(`${status}: ${name}`);
const skipped = count("skipped");
console.log(
  `${count("passed")} passed, ${count("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
);
process.exitCode = count("failed") > 0 || count("passed") === 0 ? 1 : 0;

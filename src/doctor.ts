/** `npm run doctor`: prints what `examine` finds; exit code 1 when something is wrong. */
import { loadDotEnv } from "./config.js";
import { examine, report } from "./examine.js";

loadDotEnv();
const findings = await examine(process.version);
process.stdout.write(`${report(findings)}\n`);
process.exit(findings.some(({ state }) => state === "bad") ? 1 : 0);

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const LOG = new URL("../dist/src/log.js", import.meta.url).href;

/** What a process writes that logs these fields, each in a line of its own. */
async function logged(lines: readonly object[], secrets: readonly string[] = []): Promise<string> {
  const script = `
    import { createLog } from ${JSON.stringify(LOG)};
    const log = createLog("debug", ${JSON.stringify(secrets)});
    for (const { error, ...fields } of ${JSON.stringify(lines)}) {
      const err = error === undefined ? {} : { err: new Error(error, { cause: new Error(error) }) };
      log.info({ ...fields, ...err }, "said");
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    script,
  ]);
  return stdout;
}

describe("a line of the log", () => {
  it("stays one line, whatever names and errors hold", async () => {
    const hostile = 'Ada\n{"level":50,"msg":"forged"}\r\u2028\u0000\u001b[31m"';
    const written = await logged([{ name: hostile }, { error: hostile }]);
    const lines = written.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toMatchObject({ msg: "said", name: hostile });
    expect(second).toMatchObject({ msg: "said", err: { message: hostile } });
    // A terminal must not be steered by what people are called.
    expect(written.split("").filter((letter) => letter < " " && letter !== "\n")).toEqual([]);
  });

  it("holds no secret, also not in the cause of an error", async () => {
    const written = await logged(
      [{ error: "GET https://x/api/webhooks/123/abcdefghijklmnopqrstuvwxyz with sk-secret" }],
      ["sk-secret"],
    );
    expect(written).not.toContain("sk-secret");
    expect(written).not.toContain("abcdefghijklmnopqrstuvwxyz");
  });
});

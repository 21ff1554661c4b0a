import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ParleyHost } from "../support/parleyProcess.js";

let host: ParleyHost;
beforeEach(async () => {
  host = await ParleyHost.open();
});
afterEach(() => host.close());

const PLAYGROUND = { DISCORD_TOKEN: "", PLAYGROUND_PORT: "0", MODEL: "demo" };

const startWith = async (file: string, environment: Readonly<Record<string, string>>) => {
  await writeFile(join(host.folder, "declared.yaml"), file);
  return host.start({ PARLEY_FILE: "declared.yaml", ...environment });
};

describe("a file that declares agents and groups", () => {
  it("is applied to the playground, which says what was done", async () => {
    const process = await startWith(
      [
        "agents:",
        "  - { display_name: Curator, prompt: You choose. }",
        "groups:",
        "  - { display_name: Town hall, members: [Curator, Editor] }",
      ].join("\n"),
      PLAYGROUND,
    );
    await process.says("Ctrl+C");
    expect(process.output).toMatch(/Curator.* is /);
    expect(process.output).toContain("Town hall is ready in #town-hall with Curator and Editor;");
    expect(process.output).not.toMatch(/\*\*|`|<#/);
    process.send("SIGTERM");
    expect(await process.exit).toMatchObject({ code: 0 });
  });

  it.each([
    ["on the playground", PLAYGROUND],
    ["on Discord", {}],
  ])("keeps Parley from starting %s where it is wrong, with the line", async (_, environment) => {
    const process = await startWith(
      "groups:\n  - display_name: Town hall\n    members: [Nobody, Editor]\n",
      environment,
    );
    expect(await process.exit).toMatchObject({ code: 78 });
    expect(process.errors).toContain("declared.yaml, line 3 (groups.0.members.0)");
    expect(process.errors).toContain("no agent called Nobody");
    expect(process.errors).toContain("Parley cannot start: declared.yaml is wrong.");
    expect(process.errors).toContain("PARLEY_FILE=off starts without it.");
  });

  it("that is for a server in which the bot is not is said, with the line", async () => {
    const process = await startWith(
      'agents: [{ display_name: A, prompt: b }]\nserver: "123456789012345678"\n',
      {},
    );
    await process.says("a server that the bot is not in");
    expect(process.output).toContain(
      "declared.yaml, line 2 (server): the bot is not in the server 123456789012345678",
    );
    process.send("SIGTERM");
    expect(await process.exit).toMatchObject({ code: 0 });
  });

  it("with an entry that the server has no room for is said, with the line, and the bot starts", async () => {
    const process = await startWith(
      "agents:\n  - { display_name: A, prompt: b }\n  - { display_name: Coordinator, name: c, prompt: b }\n",
      { LOG_LEVEL: "info" },
    );
    await process.says("declared in the file, but not made");
    expect(process.output).toContain(
      "declared.yaml, line 3 (agents.1): Coordinator was not created",
    );
    expect(process.output).toContain("A (a) is ready, with a channel of its own: #a.");
    process.send("SIGTERM");
    expect(await process.exit).toMatchObject({ code: 0 });
  });
});

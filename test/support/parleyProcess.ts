/** The program as `npm start` runs it, in a process of its own, against a Discord and a model of the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publicMessages } from "../../src/playground/world/messages.js";
import { viewMessage } from "../../src/playground/world/messageViews.js";
import { startTestLoopback, type TestLoopback } from "./loopback.js";
import { type ModelEndpoint, startModelEndpoint } from "./modelEndpoint.js";

const MAIN = fileURLToPath(new URL("../../dist/src/main.js", import.meta.url));
const BACKUP = fileURLToPath(new URL("../../dist/src/backup.js", import.meta.url));

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** One process, with what it writes. */
export class ParleyProcess {
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;
  #output = "";
  #errors = "";
  readonly #watchers = new Set<() => void>();

  constructor(
    environment: Readonly<Record<string, string>>,
    options: { readonly folder: string; readonly command: readonly string[] },
  ) {
    this.#child = spawn(process.execPath, options.command, {
      cwd: options.folder,
      env: { PATH: process.env["PATH"] ?? "", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (chunk) => {
      this.#output += String(chunk);
      for (const look of this.#watchers) look();
    });
    this.#child.stderr?.on("data", (chunk) => {
      this.#errors += String(chunk);
      for (const look of this.#watchers) look();
    });
    this.exit = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        resolve({ code, signal });
        for (const look of this.#watchers) look();
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  get errors(): string {
    return this.#errors;
  }

  /** Resolves when this stands in what it has written; rejects when it ends without. */
  says(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const said = this.#output + this.#errors;
        const isOver = this.#child.exitCode !== null || this.#child.signalCode !== null;
        if (!said.includes(text) && !isOver) return;
        this.#watchers.delete(look);
        if (said.includes(text)) resolve();
        else reject(new Error(`The process ended without saying "${text}": ${said}`));
      };
      this.#watchers.add(look);
      look();
    });
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** Processes over one database, one Discord and one model endpoint. Close it when done. */
export class ParleyHost {
  readonly loopback: TestLoopback;
  readonly endpoint: ModelEndpoint;
  readonly folder: string;
  readonly #processes: ParleyProcess[] = [];

  private constructor(loopback: TestLoopback, endpoint: ModelEndpoint, folder: string) {
    this.loopback = loopback;
    this.endpoint = endpoint;
    this.folder = folder;
  }

  static async open(): Promise<ParleyHost> {
    return new ParleyHost(
      await startTestLoopback(),
      await startModelEndpoint(),
      await mkdtemp(join(tmpdir(), "parley-process-")),
    );
  }

  get databasePath(): string {
    return join(this.folder, "parley.db");
  }

  /** Starts one; it says "ready" when it is. */
  start(environment: Readonly<Record<string, string>> = {}): ParleyProcess {
    return this.#run([MAIN], environment);
  }

  /** Copies the database to this file in the host's folder. */
  runBackup(file: string, environment: Readonly<Record<string, string>> = {}): ParleyProcess {
    return this.#run([BACKUP, join(this.folder, file)], environment);
  }

  #run(command: readonly string[], environment: Readonly<Record<string, string>>): ParleyProcess {
    const started = new ParleyProcess(
      {
        DISCORD_TOKEN: this.loopback.token,
        DISCORD_API_URL: this.loopback.apiUrl,
        DATABASE_URL: `file:${this.databasePath}`,
        OPENAI_BASE_URL: this.endpoint.baseUrl,
        OPENAI_API_KEY: "sk-of-the-test",
        MODEL: "test-model",
        ...environment,
      },
      { folder: this.folder, command },
    );
    this.#processes.push(started);
    return started;
  }

  /** Runs a slash command as the owner and gives the answer's text. */
  async command(path: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
    const { people, owner, channelId } = this.loopback;
    return (await people.command(owner.id, channelId, path, values).answered).content ?? "";
  }

  /** An open group of these agents; gives its channel. */
  async furnish(members: readonly string[] = ["Researcher", "Editor"]): Promise<string> {
    for (const display_name of members) {
      await this.command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
    }
    await this.command("group_create", { display_name: "Review", members: members.join(", ") });
    const { world, guild } = this.loopback;
    const channel = [...world.channels.values()].find(
      ({ name, guildId }) => name === "review" && guildId === guild.id,
    );
    if (channel === undefined) throw new Error("There is no channel of the group.");
    return channel.id;
  }

  /** Writes as the owner. */
  say(channelId: string, text: string) {
    return this.loopback.people.post(this.loopback.owner.id, channelId, text);
  }

  /** What stands in a channel, oldest first, as `Name: text`. */
  lines(channelId: string): readonly string[] {
    const { world } = this.loopback;
    return publicMessages(world, channelId)
      .map((message) => viewMessage(world, message))
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
      .map(({ author, content }) => `${author.username}: ${content}`);
  }

  /** Waits until the lines of a channel are as wanted. */
  async until(
    channelId: string,
    isSo: (lines: readonly string[]) => boolean,
  ): Promise<readonly string[]> {
    return this.loopback.until(() => {
      const lines = this.lines(channelId);
      return isSo(lines) ? lines : undefined;
    }, "the channel as wanted");
  }

  async close(): Promise<void> {
    for (const one of this.#processes) one.send("SIGKILL");
    await Promise.all(this.#processes.map((one) => one.exit));
    await this.loopback.close();
    await this.endpoint.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

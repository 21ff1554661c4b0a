/**
 * A bot that is killed and started again, in a process of its own, while its Discord (the loopback
 * server) and its model endpoint live on in the test.
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publicMessages } from "../../src/playground/world/messages.js";
import { viewMessage } from "../../src/playground/world/messageViews.js";
import { startTestLoopback, type TestLoopback } from "./loopback.js";
import { type ModelEndpoint, startModelEndpoint } from "./modelEndpoint.js";
import { TEST_SETTINGS } from "./services.js";

const CHILD = fileURLToPath(new URL("./killable.mjs", import.meta.url));

/** Where the process dies: around its n-th write, or around the n-th request of a kind. */
export type KillPoint =
  | { readonly at: "write"; readonly nth: number; readonly when: "before" | "after" }
  | {
      readonly at: "request";
      readonly method: string;
      readonly route: string;
      readonly nth: number;
      readonly when: "before" | "after";
    };

export class KillableBot {
  readonly loopback: TestLoopback;
  readonly endpoint: ModelEndpoint;
  readonly #folder: string;
  #child: ChildProcess | null = null;
  #death: Promise<void> = Promise.resolve();

  private constructor(loopback: TestLoopback, endpoint: ModelEndpoint, folder: string) {
    this.loopback = loopback;
    this.endpoint = endpoint;
    this.#folder = folder;
  }

  static async open(): Promise<KillableBot> {
    return new KillableBot(
      await startTestLoopback(),
      await startModelEndpoint(),
      await mkdtemp(join(tmpdir(), "parley-kill-")),
    );
  }

  get databaseUrl(): string {
    return `file:${join(this.#folder, "parley.db")}`;
  }

  /** Starts the process; `arm` kills it around a write of its recovery. */
  async start(arm: { readonly nth: number; readonly when: string } | null = null): Promise<void> {
    const child = fork(CHILD, [], {
      execArgv: ["--expose-gc"],
      env: {
        PATH: process.env["PATH"] ?? "",
        DISCORD_TOKEN: this.loopback.token,
        DISCORD_API_URL: this.loopback.apiUrl,
        DATABASE_URL: this.databaseUrl,
        OPENAI_BASE_URL: this.endpoint.baseUrl,
        SETTINGS: JSON.stringify({ ...TEST_SETTINGS, hasStatusLine: true }),
        ARM: JSON.stringify(arm),
      },
    });
    this.#child = child;
    this.#death = new Promise((resolve) => {
      child.once("exit", () => {
        if (this.#child === child) this.#child = null;
        resolve();
      });
    });
    await Promise.race([message(child, "ready"), this.#death]);
  }

  /** Makes agents with these display names and one group of them; gives the group's channel. */
  async furnish(members: readonly string[]): Promise<string> {
    const { people, owner, channelId, world } = this.loopback;
    const command = (path: string, values: Readonly<Record<string, string>>) =>
      people.command(owner.id, channelId, path, values).answered;
    for (const display_name of members) {
      await command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
    }
    await command("group_create", { display_name: "Review", members: members.join(", ") });
    const channel = [...world.channels.values()].find(({ name }) => name === "review");
    if (channel === undefined) throw new Error("The group has no channel.");
    await this.untilDeadOrIdle();
    return channel.id;
  }

  get isAlive(): boolean {
    return this.#child !== null;
  }

  /** Resolves when the process has died, or has nothing more to do. */
  async untilDeadOrIdle(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    child.send({ ask: "idle" }, () => undefined);
    await Promise.race([message(child, "idle"), this.#death]);
  }

  /**
   * Counts writes from here, and dies at the point. `nth` 0: only counts. A process that dies of what
   * it was armed with before is started again.
   */
  async arm(point: { readonly nth: number; readonly when: "before" | "after" }): Promise<void> {
    for (;;) {
      if (this.#child === null) await this.start();
      const child = this.#running();
      child.send({ arm: point }, () => undefined);
      const isArmed = await Promise.race([
        message(child, "armed").then(() => true),
        this.#death.then(() => false),
      ]);
      if (isArmed) return;
    }
  }

  async writes(): Promise<number> {
    const child = this.#running();
    child.send({ ask: "writes" });
    const { writes } = await message(child, "writes");
    return Number(writes);
  }

  /** Bytes that the process holds once everything that is not needed is collected. */
  async heapBytes(): Promise<number> {
    const child = this.#running();
    child.send({ ask: "heap" });
    const { heap } = await message(child, "heap");
    return Number(heap);
  }

  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.kill();
    await this.#death;
  }

  /** What stands in a channel since a message, as `Name: text`. */
  linesSince(channelId: string, messageId: string): readonly string[] {
    return publicMessages(this.loopback.world, channelId)
      .filter((message) => BigInt(message.id) >= BigInt(messageId))
      .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
      .map((message) => viewMessage(this.loopback.world, message))
      .map((message) => `${message.author.username}: ${message.content}`);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.loopback.close();
    await this.endpoint.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #running(): ChildProcess {
    if (this.#child === null) throw new Error("The bot is not running.");
    return this.#child;
  }
}

/** The next message of the child that has this key. */
function message(child: ChildProcess, key: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve) => {
    const listen = (said: unknown) => {
      if (typeof said !== "object" || said === null || !(key in said)) return;
      child.off("message", listen);
      resolve(said as Readonly<Record<string, unknown>>);
    };
    child.on("message", listen);
  });
}

import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import SqliteClient from "better-sqlite3";
import { Client, type ClientConfig } from "pg";
import { type Claim, StorageError } from "../../ports/storage.js";
import type { Clock } from "../../ports/system.js";
import { toStorageError } from "./errors.js";
import { makeFolderOf } from "./folder.js";

/** Any number, the same in every process, and not that of the migrations. */
const CLAIM_LOCK = 7_275_394;
/** The server gives up a connection whose other end does not answer after 10 + 3 * 5 seconds. */
const KEEPALIVE = [
  "set tcp_keepalives_idle = 10",
  "set tcp_keepalives_interval = 5",
  "set tcp_keepalives_count = 3",
] as const;
/** So that a process that is cut off knows it before the server has given its claim away. */
const PING_PAUSE_MS = 5_000;
const PING_TIMEOUT_MS = 8_000;
/** Waits for the server to end a connection of ours that broke on this side only. */
const GHOST_PAUSES_MS = [100, 300, 1_000, 3_000] as const;

/** For a database that no other process can see. */
export const claimOfOwn: Claim = {
  lost: new Promise(() => undefined),
  check: () => Promise.resolve(),
  release: () => Promise.resolve(),
};

/**
 * A lock on a file beside the database, which the operating system takes back when the process
 * ends, however it ends. Null: another process has it.
 */
export function claimSqlite(path: string): Claim | null {
  makeFolderOf(path);
  // Two names of one file have one lock.
  const file = existsSync(path) ? realpathSync(path) : resolve(path);
  refuseHardLink(file);
  const client = new SqliteClient(`${file}.lock`, { timeout: 0 });
  try {
    client.exec("begin exclusive");
  } catch (error) {
    client.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return {
    ...claimOfOwn,
    async release() {
      client.close();
    },
  };
}

/**
 * A second name in the file system has a lock of its own, and a write-ahead log of its own, which
 * destroys the database (SQLite, "How To Corrupt", "Multiple links to the same file").
 */
function refuseHardLink(file: string): void {
  if (!existsSync(file) || statSync(file).nlink <= 1) return;
  throw new StorageError(
    `The database file ${file} has a second name (a hard link), with which it would be damaged: remove one of the two names.`,
    { isTransient: false },
  );
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteClient.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** An advisory lock of a connection that is kept for nothing else. Null: another process has it. */
export async function claimPostgres(
  url: string,
  options: { readonly label: string; readonly clock: Clock },
): Promise<Claim | null> {
  const claim = new PostgresClaim(url, options);
  return (await claim.take()) ? claim : null;
}

class PostgresClaim implements Claim {
  readonly lost: Promise<StorageError>;
  readonly #config: ClientConfig;
  readonly #label: string;
  readonly #clock: Clock;
  readonly #released = new AbortController();
  #tellLost: (error: StorageError) => void = () => undefined;
  #loss: StorageError | null = null;
  #session: Client | null = null;
  /** Process of the server behind the session that had the lock last. */
  #backend: number | null = null;
  #checking: Promise<void> | null = null;

  constructor(url: string, { label, clock }: { readonly label: string; readonly clock: Clock }) {
    this.lost = new Promise((resolve) => {
      this.#tellLost = resolve;
    });
    this.#config = {
      connectionString: url,
      connectionTimeoutMillis: PING_TIMEOUT_MS,
      query_timeout: PING_TIMEOUT_MS,
      application_name: "parley claim",
    };
    this.#label = label;
    this.#clock = clock;
  }

  /** The first time. False: another process has it. */
  async take(): Promise<boolean> {
    const isTaken = await this.#lock();
    if (isTaken) void this.#watch();
    return isTaken;
  }

  /** Those who ask at the same time wait for one answer. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async release(): Promise<void> {
    this.#released.abort();
    await this.#drop();
  }

  async #check(): Promise<void> {
    if (this.#loss !== null) throw this.#loss;
    try {
      // As long as the session lives the lock is ours.
      await this.#session?.query("select 1");
      if (this.#session !== null) return;
    } catch {
      await this.#drop();
    }
    if (await this.#lock()) return;
    this.#loss = new StorageError(
      `${this.#label} was taken over by another Parley process, while this one could not reach it.`,
      { isTransient: false },
    );
    this.#tellLost(this.#loss);
    throw this.#loss;
  }

  /** A claim is also lost while there is nothing to do. */
  async #watch(): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted && this.#loss === null) {
      await this.#clock.sleep(PING_PAUSE_MS, signal).catch(() => undefined);
      // Trouble is told to those who want to do something.
      if (!signal.aborted) await this.check().catch(() => undefined);
    }
  }

  /** Rejects with `StorageError` when the server cannot be asked. */
  async #lock(): Promise<boolean> {
    const session = new Client(this.#config);
    // Node.js ends the process on an `error` event that nobody listens to.
    session.on("error", () => {
      if (this.#session === session) this.#session = null;
    });
    try {
      await session.connect();
      for (const setting of KEEPALIVE) await session.query(setting);
      for (let tries = 0; ; tries += 1) {
        if (await tryLock(session)) {
          this.#session = session;
          this.#backend = await backendOf(session);
          return true;
        }
        const pauseMs = GHOST_PAUSES_MS[tries];
        if (pauseMs === undefined || !(await this.#endGhost(session))) break;
        await this.#clock.sleep(pauseMs);
      }
      await session.end();
      return false;
    } catch (error) {
      await session.end().catch(() => undefined);
      throw toStorageError(error, this.#label);
    }
  }

  /** The session that broke here may still stand on the server, with the lock. False: somebody else has it. */
  async #endGhost(session: Client): Promise<boolean> {
    if (this.#backend === null) return false;
    const { rowCount } = await session.query(
      `select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and objid = $1 and pid = $2
          and database = (select oid from pg_database where datname = current_database())`,
      [CLAIM_LOCK, this.#backend],
    );
    return (rowCount ?? 0) > 0;
  }

  async #drop(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.end().catch(() => undefined);
  }
}

async function tryLock(session: Client): Promise<boolean> {
  const { rows } = await session.query<{ taken: boolean }>(
    "select pg_try_advisory_lock($1) as taken",
    [CLAIM_LOCK],
  );
  return rows[0]?.taken === true;
}

async function backendOf(session: Client): Promise<number | null> {
  const { rows } = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? null;
}

/** `Services` for tests: a real database in memory, doubles for the rest of the world. */

import { Departures } from "../../src/app/departures.js";
import { EarlyChanges } from "../../src/app/earlyChanges.js";
import { Exclusive } from "../../src/app/exclusive.js";
import { Forgotten, nothingSpoken } from "../../src/app/forgotten.js";
import { createMailboxes } from "../../src/app/mailbox.js";
import { Recheck } from "../../src/app/recheck.js";
import type { Services, Settings } from "../../src/app/services.js";
import { Sight } from "../../src/app/sight.js";
import { toolbox } from "../../src/app/tools/toolbox.js";
import { createTopics } from "../../src/app/topics.js";
import {
  type AgentId,
  asId,
  type GroupId,
  type RoundId,
  snowflakeAt,
} from "../../src/domain/ids.js";
import {
  COLLECT_TIMEOUT_MS,
  JUDGE_TIMEOUT_MS,
  MAX_REPLIES,
  SEAT_TOKEN_BUDGET,
  TURN_TIMEOUT_MS,
} from "../../src/domain/limits.js";
import type { Attachment } from "../../src/domain/message.js";
import { FileError, type Files } from "../../src/ports/files.js";
import type { Ids, Log, Painter } from "../../src/ports/system.js";
import { TestClock } from "./clock.js";
import { RecordingChat } from "./recordingChat.js";
import { ScriptedModel } from "./scriptedModel.js";
import { openTestStorage } from "./storage.js";

/** `Services` whose doubles can be told and asked things. */
export interface TestServices extends Services {
  readonly chat: RecordingChat;
  readonly model: ScriptedModel;
  readonly files: FileShelf;
  readonly clock: TestClock;
  readonly log: RecordingLog;
}

export type TestOverrides = Partial<Omit<TestServices, "settings">> & {
  readonly settings?: Partial<Settings>;
};

export const TEST_SETTINGS: Settings = {
  model: "test-model",
  judgeModel: "test-judge",
  maxReplies: MAX_REPLIES,
  judgeTimeoutMs: JUDGE_TIMEOUT_MS,
  turnTimeoutMs: TURN_TIMEOUT_MS,
  collectTimeoutMs: COLLECT_TIMEOUT_MS,
  seatTokenBudget: SEAT_TOKEN_BUDGET,
  hasStatusLine: false,
  managerRoleIds: [],
  isGcForManagers: false,
  talkRoleIds: [],
  talkUserIds: [],
  dailyTokens: { server: null, group: null, person: null },
  prices: new Map(),
};

/** Close `storage` after the test. The ids of messages tell the time of `clock`. */
export async function createTestServices(overrides: TestOverrides = {}): Promise<TestServices> {
  const clock = overrides.clock ?? new TestClock();
  const storage = overrides.storage ?? (await openTestStorage());
  const parts = {
    storage,
    patientStorage: overrides.patientStorage ?? storage,
    chat: overrides.chat ?? new RecordingChat({ nextId: risingSnowflakes(() => clock.now()) }),
    model: overrides.model ?? new ScriptedModel(),
    files: overrides.files ?? new FileShelf(),
    painter: overrides.painter ?? testPainter,
    clock,
    ids: overrides.ids ?? countingIds(),
    log: overrides.log ?? new RecordingLog(),
    settings: { ...TEST_SETTINGS, ...overrides.settings },
  };
  return {
    ...parts,
    topics: overrides.topics ?? createTopics(parts),
    sight: overrides.sight ?? new Sight(),
    tools: overrides.tools ?? toolbox,
    mailboxes: createMailboxes(parts.log),
    recheck: overrides.recheck ?? new Recheck({ newest: () => Promise.resolve(null) }, parts),
    earlyChanges: new EarlyChanges(clock),
    forgotten: overrides.forgotten ?? new Forgotten(nothingSpoken, parts),
    exclusive: new Exclusive(),
    departures: new Departures(),
  };
}

/** Snowflakes of the present moment, each greater than the one before. */
export function risingSnowflakes(now: () => number): () => string {
  let last = 0n;
  return () => {
    const present = BigInt(snowflakeAt(now()));
    last = present > last ? present : last + 1n;
    return last.toString();
  };
}

/** `agent-0001`, `agent-0002`, …, the same for groups and rounds. */
export function countingIds(): Ids {
  let count = 0;
  const next = (kind: string) => {
    count += 1;
    return `${kind}-${String(count).padStart(4, "0")}`;
  };
  return {
    agent: () => asId<AgentId>(next("agent")),
    group: () => asId<GroupId>(next("group")),
    round: () => asId<RoundId>(next("round")),
  };
}

export interface LogEntry {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: object;
  readonly message: string;
}

/** Prints nothing and keeps everything. */
export class RecordingLog implements Log {
  readonly entries: LogEntry[] = [];

  debug(fields: object, message: string): void {
    this.entries.push({ level: "debug", fields, message });
  }
  info(fields: object, message: string): void {
    this.entries.push({ level: "info", fields, message });
  }
  warn(fields: object, message: string): void {
    this.entries.push({ level: "warn", fields, message });
  }
  error(fields: object, message: string): void {
    this.entries.push({ level: "error", fields, message });
  }

  /** The messages of one level. */
  messages(level: LogEntry["level"]): readonly string[] {
    return this.entries.filter((entry) => entry.level === level).map((entry) => entry.message);
  }
}

/** Files as people attached them. */
export class FileShelf implements Files {
  readonly #files = new Map<string, Uint8Array>();

  /** Puts a file there and gives the attachment that leads to it. */
  add(name: string, content: Uint8Array, change: Partial<Attachment> = {}): Attachment {
    const url = `https://cdn.discordapp.com/attachments/1/${this.#files.size + 1}/${name}`;
    this.#files.set(url, content);
    return { name, type: null, bytes: content.length, url, ...change };
  }

  async fetch(attachment: Attachment, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const content = this.#files.get(attachment.url);
    if (content === undefined) throw new FileError("The file could not be fetched.");
    if (content.length > maxBytes) throw new FileError("The file is too large.");
    return content;
  }
}

/** The first bytes of every PNG. */
export const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** A PNG by its first bytes, with the name after them. */
export const testPainter: Painter = {
  draw: (displayName) => Buffer.concat([PNG_SIGNATURE, Buffer.from(displayName)]),
};

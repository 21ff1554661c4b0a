import type { Client } from "discord.js";
import { createDiscordChat } from "../../../src/adapters/discord/chat.js";
import { createGateway, type Gateway } from "../../../src/adapters/discord/gateway.js";
import { asId, type MessageId } from "../../../src/domain/ids.js";
import type { Place } from "../../../src/domain/message.js";
import type { MessageRecord } from "../../../src/playground/world/records.js";
import {
  type Announcement,
  type Chat,
  ChatError,
  type PersonaPost,
} from "../../../src/ports/chat.js";
import type { Storage } from "../../../src/ports/storage.js";
import type { Clock } from "../../../src/ports/system.js";
import { startTestLoopback, type TestLoopback } from "../../support/loopback.js";
import { RecordingLog } from "../../support/services.js";
import { openTestStorage } from "../../support/storage.js";

/** The adapter with the real discord.js, logged in at a loopback server. */
export interface Connected {
  readonly loopback: TestLoopback;
  readonly gateway: Gateway;
  readonly client: Client<true>;
  readonly chat: Chat;
  readonly storage: Storage;
  readonly log: RecordingLog;
  readonly clock: HurriedClock;
  /** The channel `general`. */
  readonly place: Place;
  /** What stands in a channel or thread now, oldest first. */
  shown(channelId?: string): readonly MessageRecord[];
  /** Requests of the bot so far: `POST /channels/1/messages`. */
  asked(pattern: RegExp): readonly string[];
  /** From now on nobody answers at the server's address. */
  unplug(): Promise<void>;
  close(): Promise<void>;
}

export async function connect(
  options: Parameters<typeof startTestLoopback>[0] = {},
): Promise<Connected> {
  const loopback = await startTestLoopback(options);
  const log = new RecordingLog();
  const storage = await openTestStorage();
  const clock = new HurriedClock();
  const gateway = createGateway({ token: loopback.token, apiUrl: loopback.apiUrl, clock, log });
  const client = await gateway.login();
  let isPlugged = true;
  const unplug = async () => {
    if (isPlugged) await loopback.close();
    isPlugged = false;
  };
  return {
    loopback,
    gateway,
    client,
    chat: chatOver({ gateway, client, storage, clock, log }),
    storage,
    log,
    clock,
    place: {
      guildId: asId(loopback.guild.id),
      channelId: asId(loopback.channelId),
      threadId: null,
    },
    shown: (channelId = loopback.channelId) => [
      ...(loopback.world.messages.get(channelId)?.values() ?? []),
    ],
    asked: (pattern) =>
      loopback.requests
        .map(({ method, path }) => `${method} ${path}`)
        .filter((line) => pattern.test(line)),
    unplug,
    async close() {
      await gateway.destroy();
      await unplug();
      await storage.close();
    },
  };
}

/** Another adapter over the same connection, as after a restart: nothing is remembered in memory. */
export function chatOver({
  gateway,
  client,
  storage,
  clock,
  log,
}: Pick<Connected, "gateway" | "client" | "storage" | "clock" | "log">): Chat {
  return createDiscordChat({
    client,
    sender: gateway.sender,
    webhooks: storage.webhooks,
    clock,
    log,
  });
}

/** Every pause is over at once, and is remembered. */
export class HurriedClock implements Clock {
  readonly pauses: number[] = [];

  now(): number {
    return Date.now();
  }
  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.pauses.push(delayMs);
  }
  timeout(_delayMs: number, signal = new AbortController().signal): AbortSignal {
    return signal;
  }
}

/** A signal that is never aborted. */
export const never = new AbortController().signal;

export function aPost(place: Place, change: Partial<PersonaPost> = {}): PersonaPost {
  return {
    place,
    persona: { name: "Editor", pictureUrl: "https://cdn.discordapp.com/emojis/1.png" },
    text: "The second paragraph repeats the first.",
    file: null,
    ...change,
  };
}

/** Older than every message of a test. */
export const BEFORE_ALL = asId<MessageId>("100000000000000000");

/** The error of something that has to fail. */
export async function failureOf(work: Promise<unknown>): Promise<ChatError> {
  const error: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof ChatError)) throw new Error("There was no ChatError.", { cause: error });
  return error;
}

export function anAnnouncement(place: Place, change: Partial<Announcement> = {}): Announcement {
  return {
    place,
    text: "The round stopped after 8 replies.",
    buttons: [],
    isSilent: false,
    nonce: "round-1-cap",
    isDoubtful: false,
    afterId: null,
    ...change,
  };
}

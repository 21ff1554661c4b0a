/**
 * The whole of Parley in one process: the real discord.js against the loopback server, the real
 * openai client against a scripted endpoint, a real SQLite file. People write, and one reads what
 * stands in the channel.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { createOpenAiModel } from "../../src/adapters/openai/model.js";
import { openStorage } from "../../src/adapters/storage/open.js";
import { systemClock } from "../../src/adapters/system.js";
import type { Settings } from "../../src/app/services.js";
import { type Bot, startBot } from "../../src/bot.js";
import type { HttpSettings } from "../../src/http.js";
import type { CommandValues } from "../../src/playground/people/commandData.js";
import { publicMessages } from "../../src/playground/world/messages.js";
import { viewMessage } from "../../src/playground/world/messageViews.js";
import type { Clock } from "../../src/ports/system.js";
import { startTestLoopback, type TestLoopback } from "./loopback.js";
import {
  type EndpointRequest,
  type ModelEndpoint,
  startModelEndpoint,
  structured,
} from "./modelEndpoint.js";
import { loadOpenApi } from "./openapi.js";
import { RecordingLog, TEST_SETTINGS } from "./services.js";

export interface Theatre {
  readonly loopback: TestLoopback;
  readonly endpoint: ModelEndpoint;
  readonly log: RecordingLog;
  readonly bot: () => Bot;
  /** The owner, who may do everything, and a member, who may write. */
  readonly ada: string;
  readonly ben: string;
  /** Runs a slash command as the owner and gives the answer's text. */
  command(
    path: string,
    values?: CommandValues,
    options?: { readonly as?: string; readonly in?: string },
  ): Promise<string>;
  /** The id of a channel by its name. */
  channel(name: string): string;
  /** What stands in a channel, oldest first. */
  messages(channelId: string): readonly APIMessage[];
  /** The same as `Name: text`. */
  lines(channelId: string): readonly string[];
  /** Writes as the owner. */
  say(
    channelId: string,
    text: string,
    options?: { readonly as?: string; readonly replyTo?: string },
  ): APIMessage;
  /** Waits until a channel has this many lines. */
  lineCount(channelId: string, count: number): Promise<readonly string[]>;
  /** Everything that the bot was asked to do is done. */
  idle(): Promise<void>;
  stopBot(): Promise<void>;
  startBot(): Promise<void>;
  close(): Promise<void>;
}

export async function openTheatre(
  options: {
    readonly settings?: Partial<Settings>;
    readonly http?: HttpSettings;
    readonly loopback?: Parameters<typeof startTestLoopback>[0];
    readonly clock?: Clock;
  } = {},
): Promise<Theatre> {
  const folder = await mkdtemp(join(tmpdir(), "parley-"));
  const loopback = await startTestLoopback(options.loopback);
  const endpoint = await startModelEndpoint();
  const log = new RecordingLog();
  const { world, people, guild, owner } = loopback;
  const [member] = loopback.members;
  if (member === undefined) throw new Error("There is no member.");
  let bot: Bot | null = null;

  const start = async () => {
    bot = await startBot({
      token: loopback.token,
      apiUrl: loopback.apiUrl,
      storage: await openStorage(`file:${join(folder, "parley.db")}`),
      model: createOpenAiModel({
        apiKey: "sk-test",
        baseUrl: endpoint.baseUrl,
        log,
        clock: systemClock,
      }),
      settings: { ...TEST_SETTINGS, ...options.settings },
      log,
      ...(options.http === undefined ? {} : { http: options.http }),
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    });
  };
  const running = () => {
    if (bot === null) throw new Error("The bot is not running.");
    return bot;
  };
  await start();

  const theatre: Theatre = {
    loopback,
    endpoint,
    log,
    bot: running,
    ada: owner.id,
    ben: member.id,
    async command(path, values = {}, { as = owner.id, in: channelId = loopback.channelId } = {}) {
      const outcome = await people.command(as, channelId, path, values).answered;
      return [outcome.content, ...outcome.followUps.map((message) => message.content)].join("\n");
    },
    channel(name) {
      const found = [...world.channels.values()].find(
        (channel) => channel.name === name && channel.guildId === guild.id,
      );
      if (found === undefined) throw new Error(`There is no channel ${name}.`);
      return found.id;
    },
    messages: (channelId) =>
      publicMessages(world, channelId)
        .map((message) => viewMessage(world, message))
        .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)),
    lines: (channelId) =>
      theatre
        .messages(channelId)
        .map((message) => `${message.author.username}: ${message.content}`),
    say: (channelId, text, { as = owner.id, replyTo } = {}) =>
      people.post(as, channelId, text, replyTo === undefined ? {} : { replyTo }),
    lineCount: (channelId, count) =>
      loopback.until(
        () => {
          const lines = theatre.lines(channelId);
          return lines.length >= count ? lines : undefined;
        },
        `${count} lines in the channel; there is ${JSON.stringify(theatre.lines(channelId))}`,
      ),
    async idle() {
      await running().onIdle();
    },
    startBot: start,
    async stopBot() {
      await running().stop();
      bot = null;
    },
    async close() {
      await bot?.stop();
      await loopback.close();
      await endpoint.close();
      await rm(folder, { recursive: true, force: true });
      const problems = (discordsDescription?.problems(loopback.requests) ?? []).filter(
        (problem) => !FORWARDED.test(problem),
      );
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  };
  return theatre;
}

/** The description allows replies only; forwards are in Discord's documentation ("Message Reference Types"). */
const FORWARDED = /message_reference\/type must be equal to constant/;

/** Every scenario's requests and answers are held against it; absent where Discord's description is. */
const discordsDescription = loadOpenApi({ ignoreRefusedBodies: true });

/** Makes agents with these display names and one open group of them; gives the group's channel. */
export async function furnish(
  theatre: Theatre,
  members: readonly string[] = ["Researcher", "Editor"],
  options: { readonly host?: string } = {},
): Promise<string> {
  for (const display_name of members) {
    await theatre.command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
  }
  await theatre.command("group_create", {
    display_name: "Review",
    members: members.join(", "),
    ...(options.host === undefined ? {} : { host: options.host }),
  });
  return theatre.channel("review");
}

/** An endpoint that scores by `scores` and lets each agent say what `say` gives for its display name. */
export function cast(
  scores: Readonly<Record<string, number>>,
  say: (displayName: string, request: EndpointRequest) => string,
) {
  return (request: EndpointRequest) => {
    if (request.body.response_format !== undefined) return structured(scores);
    const name = /^You are (.+)\.$/mu.exec(request.system)?.[1] ?? "nobody";
    return say(name, request);
  };
}

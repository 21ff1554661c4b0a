/** What `npm run doctor` looks at: checks everything that a start needs, and says of each trouble what helps. */
import { existsSync } from "node:fs";
import { type Checkup, checkDiscord, invitationLink } from "./adapters/discord/checkup.js";
import { tryFile } from "./adapters/storage/folder.js";
import { openStorage, sqlitePath } from "./adapters/storage/open.js";
import { type Config, ConfigError, DEFAULT_DATABASE_URL, readRightOnes } from "./config.js";
import { asId, type GuildId } from "./domain/ids.js";
import { modelFindings } from "./examineModel.js";
import { bad, type Finding, good, inLines, skipped } from "./finding.js";
import { createLog } from "./log.js";
import { type Declared, readParleyFile } from "./parleyFile.js";
import { ParleyFileError, spotText } from "./parleyFileError.js";
import { assertFits, assertFitsOneOf } from "./parleyFileFit.js";
import { ChatError } from "./ports/chat.js";
import { type Storage, StorageError } from "./ports/storage.js";

export type { Finding };

const silent = createLog("silent", []);

/** Every check in turn; one that fails does not keep the others back. */
export async function examine(
  nodeVersion: string,
  environment?: Readonly<NodeJS.ProcessEnv>,
): Promise<readonly Finding[]> {
  const { config, wrong, problem } = readRightOnes(environment);
  const database = await databaseOf(config, wrong);
  const declared = await declaredIn(config);
  try {
    const file =
      "state" in declared ? declared : await fileFinding(config, declared, database.storage);
    return [
      nodeFinding(nodeVersion),
      problem === null
        ? good("Settings", "all of them can be read.")
        : bad("Settings", inLines(problem.split("\n"))),
      file,
      database.finding,
      ...(await discordFindings(
        config,
        wrong,
        "state" in declared ? null : declared,
        database.storage,
      )),
      ...(await modelFindings(config, wrong)),
    ];
  } finally {
    await database.storage?.close();
  }
}

/** The report as people read it. */
export function report(findings: readonly Finding[]): string {
  const marks = { good: "✓", bad: "✗", skipped: "–" } as const;
  return findings.map(({ state, about, text }) => `${marks[state]} ${about}: ${text}`).join("\n");
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return isEnough
    ? good("Node.js", `${version}.`)
    : bad("Node.js", `${version} is too old. Install Node.js 20.19 or newer.`);
}

/** What is declared, or why there is nothing to look at. */
async function declaredIn({ parleyFile }: Config): Promise<Declared | Finding> {
  if (parleyFile === "off") return skipped("parley.yaml", "switched off by PARLEY_FILE.");
  const path = parleyFile ?? "parley.yaml";
  try {
    const declared = await readParleyFile(path, { isRequired: parleyFile !== null });
    return declared ?? skipped("parley.yaml", "there is none, and none is needed.");
  } catch (error) {
    return fileProblem(error);
  }
}

/** Looks at it as the start does. `storage` null: there is none yet. */
async function fileFinding(
  config: Config,
  declared: Declared,
  storage: Storage | null,
): Promise<Finding> {
  try {
    if (config.discordToken === null) {
      const { FURNISHED } = await import("./playground/main.js");
      assertFitsOneOf(declared, [FURNISHED]);
    } else if (storage === null) assertFitsOneOf(declared, []);
    else await assertFits(storage, declared);
    const counts = [count(declared.agents, "agent"), count(declared.groups, "group")];
    return good(declared.path, `${counts.join(", ")}.`);
  } catch (error) {
    return fileProblem(error);
  }
}

function fileProblem(error: unknown): Finding {
  if (error instanceof ParleyFileError) return bad(error.path, inLines(error.faults));
  if (error instanceof ConfigError) return bad("parley.yaml", error.message);
  throw error;
}

function count(list: readonly unknown[], what: string): string {
  return `${list.length} ${what}${list.length === 1 ? "" : "s"}`;
}

/** The database, where there is one: looking makes none. */
async function databaseOf(
  config: Config,
  wrong: ReadonlySet<string>,
): Promise<{ readonly finding: Finding; readonly storage: Storage | null }> {
  const without = (finding: Finding) => ({ finding, storage: null });
  if (wrong.has("DATABASE_URL")) {
    return without(skipped("Database", "DATABASE_URL has to be right first."));
  }
  if (config.discordToken === null && config.databaseUrl === null && !wrong.has("DISCORD_TOKEN")) {
    return without(skipped("Database", "the playground keeps everything in memory."));
  }
  const url = config.databaseUrl ?? DEFAULT_DATABASE_URL;
  const path = sqlitePath(url);
  try {
    if (path !== null && path !== ":memory:" && !existsSync(path)) {
      tryFile(path);
      return without(good("Database", `the file ${path} will be made at the start.`));
    }
    const storage = await openStorage(url);
    const where = path === null ? "PostgreSQL" : url.replace(/^file:/, "");
    const finding = good("Database", `${where} opens, and its tables are up to date.`);
    return { finding, storage };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const said = error.message.replace(/\.?$/u, ".");
    return without(bad("Database", `${said}${databaseRemedy(path, said)}`));
  }
}

/** What helps, where the sentence does not say so itself. */
function databaseRemedy(path: string | null, said: string): string {
  if (path === null) {
    return " Check that PostgreSQL runs, and that DATABASE_URL has its address, user, password and database.";
  }
  return / cannot be (?:made|opened)/u.test(said)
    ? " Give the user that runs Parley the right to write there, or set DATABASE_URL."
    : "";
}

async function discordFindings(
  config: Config,
  wrong: ReadonlySet<string>,
  declared: Declared | null,
  storage: Storage | null,
): Promise<readonly Finding[]> {
  const waitsFor = ["DISCORD_TOKEN", "DISCORD_API_URL"].find((name) => wrong.has(name));
  if (waitsFor !== undefined) return [skipped("Discord", `${waitsFor} has to be right first.`)];
  if (config.discordToken === null) {
    return [skipped("Discord", "DISCORD_TOKEN is not set, so `npm start` opens the playground.")];
  }
  try {
    const found = await checkDiscord({
      token: config.discordToken,
      apiUrl: config.discordApiUrl,
      log: silent,
      channelsOf: (guildId) => channelsIn(storage, asId(guildId)),
    });
    return [
      good("Token", `Discord knows it as ${found.botName}.`),
      found.hasMessageContent
        ? good("Message Content Intent", "is on.")
        : bad(
            "Message Content Intent",
            "is off, so the bot would see empty messages. Switch it on in the developer portal, page Bot.",
          ),
      ...(found.servers.length === 0
        ? [bad("Servers", "the bot is in none yet. Open the invitation link below.")]
        : found.servers.flatMap(permissionFindings)),
      ...serverFindings(declared, found.servers),
      good("Invitation link", invitationLink(found.applicationId)),
    ];
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    return [bad("Discord", `${error.detail}${remedyFor(error)}`)];
  }
}

async function channelsIn(storage: Storage | null, guildId: GuildId): Promise<readonly string[]> {
  if (storage === null) return [];
  const owners = [...(await storage.groups.list(guildId)), ...(await storage.agents.list(guildId))];
  return owners
    .filter(({ archivedAtMs }) => archivedAtMs === null)
    .flatMap(({ channelId }) => channelId ?? []);
}

/** Of a server, and of the channels in it that take something away. */
function permissionFindings({
  name,
  missing,
  channels,
}: Checkup["servers"][number]): readonly Finding[] {
  const them = (list: readonly string[]) => (list.length === 1 ? "it" : "them");
  const server =
    missing.length === 0
      ? good(`Server ${name}`, "every permission is there.")
      : bad(
          `Server ${name}`,
          `missing: ${missing.join(", ")}. Give ${them(missing)} to the bot's role, or open the invitation link below again.`,
        );
  const others = channels.map((channel) =>
    bad(
      `Channel ${channel.name} of ${name}`,
      `missing: ${channel.missing.join(", ")}. Allow ${them(channel.missing)} to the bot's role in the channel's permissions.`,
    ),
  );
  return [server, ...others];
}

/** A file for a server that the bot is not in creates nothing. */
function serverFindings(
  declared: Declared | null,
  servers: readonly { readonly id: string }[],
): readonly Finding[] {
  if (declared === null || declared.server === null) return [];
  if (servers.some(({ id }) => id === declared.server)) return [];
  const where = spotText(declared.spotOf(["server"]));
  return [
    bad(
      declared.path,
      `${where}: the bot is not in the server ${declared.server}. Invite it there, or change the id.`,
    ),
  ];
}

function remedyFor(error: ChatError): string {
  return error.kind === "logged-out"
    ? " Copy the token from the developer portal, page Bot, or make a new one there."
    : " Check the connection, and DISCORD_API_URL where it is set.";
}

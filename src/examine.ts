/** What `npm run doctor` looks at: checks everything that a start needs, and says of each trouble what helps. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { checkDiscord, invitationLink } from "./adapters/discord/checkup.js";
import { openStorage, sqlitePath } from "./adapters/storage/open.js";
import { systemClock } from "./adapters/system.js";
import { type ChosenModel, chooseModel } from "./chooseModel.js";
import { type Config, ConfigError, DEFAULT_DATABASE_URL, readConfig } from "./config.js";
import { createLog } from "./log.js";
import { readParleyFile } from "./parleyFile.js";
import { ChatError } from "./ports/chat.js";
import { ModelError, type ModelErrorKind } from "./ports/model.js";
import { StorageError } from "./ports/storage.js";

/** One line of the report. */
export interface Finding {
  readonly state: "good" | "bad" | "skipped";
  readonly about: string;
  readonly text: string;
}

const silent = createLog("silent", []);
const MODEL_TIMEOUT_MS = 60_000;

/** Every check in turn; one that fails does not keep the others back. */
export async function examine(
  nodeVersion: string,
  environment?: Readonly<NodeJS.ProcessEnv>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [nodeFinding(nodeVersion)];
  let config: Config;
  try {
    config = readConfig(environment);
    findings.push(good("Settings", "all of them can be read."));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...findings, bad("Settings", error.message.replaceAll("\n", "\n    "))];
  }
  findings.push(await fileFinding(config));
  findings.push(await databaseFinding(config));
  findings.push(...(await discordFindings(config)));
  findings.push(...(await modelFindings(config)));
  return findings;
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

async function fileFinding({ parleyFile }: Config): Promise<Finding> {
  if (parleyFile === "off") return skipped("parley.yaml", "switched off by PARLEY_FILE.");
  try {
    const declared = await readParleyFile(parleyFile ?? "parley.yaml", {
      isRequired: parleyFile !== null,
    });
    return declared === null
      ? skipped("parley.yaml", "there is none, and none is needed.")
      : good(
          "parley.yaml",
          `${declared.agents.length} agents and ${declared.groups.length} groups.`,
        );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return bad("parley.yaml", error.message.replaceAll("\n", "\n    "));
  }
}

async function databaseFinding(config: Config): Promise<Finding> {
  if (config.discordToken === null && config.databaseUrl === null) {
    return skipped("Database", "the playground keeps everything in memory.");
  }
  const url = config.databaseUrl ?? DEFAULT_DATABASE_URL;
  const path = sqlitePath(url);
  if (path !== null && path !== ":memory:" && !existsSync(dirname(path))) {
    return folderFinding(dirname(path));
  }
  try {
    const storage = await openStorage(url);
    await storage.close();
    const where = url.startsWith("postgres") ? "PostgreSQL" : url.replace(/^file:/, "");
    return good("Database", `${where} opens, and its tables are up to date.`);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return bad("Database", error.message);
  }
}

/** The start makes the folder, a look at it does not: what counts is whether it may be made. */
function folderFinding(folder: string): Finding {
  let parent = dirname(folder);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    if (!statSync(parent).isDirectory()) throw new Error(`${parent} is no folder.`);
    accessSync(parent, constants.W_OK | constants.X_OK);
    return good("Database", `the folder ${folder} will be made at the start.`);
  } catch {
    return bad(
      "Database",
      `the folder ${folder} cannot be made, since nothing may be written in ${parent}. Give the user that runs Parley the right to, or set DATABASE_URL.`,
    );
  }
}

async function discordFindings(config: Config): Promise<readonly Finding[]> {
  if (config.discordToken === null) {
    return [skipped("Discord", "DISCORD_TOKEN is not set, so `npm start` opens the playground.")];
  }
  try {
    const found = await checkDiscord({
      token: config.discordToken,
      apiUrl: config.discordApiUrl,
      log: silent,
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
        : found.servers.map(({ name, missing }) =>
            missing.length === 0
              ? good(`Server ${name}`, "every permission is there.")
              : bad(
                  `Server ${name}`,
                  `missing: ${missing.join(", ")}. Give them to the bot's role, or open the invitation link below again.`,
                ),
          )),
      good("Invitation link", invitationLink(found.applicationId)),
    ];
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    return [bad("Discord", `${error.detail}${remedyFor(error)}`)];
  }
}

function remedyFor(error: ChatError): string {
  return error.kind === "logged-out"
    ? " Copy the token from the developer portal, page Bot, or make a new one there."
    : " Check the connection, and DISCORD_API_URL where it is set.";
}

async function modelFindings(config: Config): Promise<readonly Finding[]> {
  let chosen: ChosenModel;
  try {
    chosen = await chooseModel(config, {
      isPlayground: config.discordToken === null,
      clock: systemClock,
      log: silent,
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [bad("Model", error.message)];
  }
  const answers = await modelFinding("Model", chosen.description, chosen.model, async () => {
    await chosen.port.complete({
      purpose: "turn",
      model: chosen.model,
      messages: [
        { role: "system", text: "You are a test." },
        { role: "user", text: "[Doctor (person)] Answer with the word yes." },
      ],
      timeoutMs: MODEL_TIMEOUT_MS,
    });
  });
  const judges = await modelFinding(
    "Judge",
    `${chosen.judgeModel} gives structured answers`,
    chosen.judgeModel,
    async () => {
      const reply = await chosen.port.complete({
        purpose: "judge",
        model: chosen.judgeModel,
        messages: [
          {
            role: "system",
            text: "Score how much a message concerns each agent, from 0 to 1, as a JSON object.\n- cook (Cook): Knows recipes.",
          },
          { role: "user", text: "New messages:\n[Doctor (person)] How long do I boil an egg?" },
        ],
        answer: {
          name: "scores",
          schema: {
            type: "object",
            properties: { cook: { type: "number" } },
            required: ["cook"],
            additionalProperties: false,
          },
        },
        timeoutMs: MODEL_TIMEOUT_MS,
      });
      z.object({ cook: z.number().min(0).max(1) }).parse(JSON.parse(reply.text));
    },
  );
  return [answers, judges];
}

async function modelFinding(
  about: string,
  text: string,
  model: string,
  ask: () => Promise<void>,
): Promise<Finding> {
  try {
    await ask();
    return good(about, `${text}.`);
  } catch (error) {
    if (error instanceof ModelError) return bad(about, `${model}: ${MODEL_REMEDIES[error.kind]}`);
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      return bad(
        about,
        `${model} does not keep to the form that is asked for. Set JUDGE_MODEL to a model that gives structured output.`,
      );
    }
    throw error;
  }
}

const MODEL_REMEDIES: Readonly<Record<ModelErrorKind, string>> = {
  timeout: "no answer within a minute. Choose a quicker model, or look at the model server.",
  "rate-limited":
    "the endpoint takes no more requests just now, or the account has no credit left.",
  unauthorized: "the endpoint does not accept OPENAI_API_KEY.",
  "unknown-model":
    "the endpoint does not know this model. Set MODEL or JUDGE_MODEL to one that it has.",
  "too-long": "its context is too short even for a test.",
  refused: "it would not answer a harmless test.",
  "no-images": "it refused a request without pictures.",
  unavailable:
    "the endpoint cannot be reached. Check OPENAI_BASE_URL, and that the model server runs.",
  "bad-answer": "the endpoint does not answer as OpenAI's does. Check OPENAI_BASE_URL.",
};

function good(about: string, text: string): Finding {
  return { state: "good", about, text };
}

function bad(about: string, text: string): Finding {
  return { state: "bad", about, text };
}

function skipped(about: string, text: string): Finding {
  return { state: "skipped", about, text };
}

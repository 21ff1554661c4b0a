/** Whether the models answer, in the time that a start gives them. */
import { z } from "zod";
import { systemClock } from "./adapters/system.js";
import { type ChosenModel, chooseModel } from "./chooseModel.js";
import { type Config, ConfigError } from "./config.js";
import { DEMO_MODEL } from "./domain/demo.js";
import { never } from "./domain/errors.js";
import { bad, type Finding, good, skipped } from "./finding.js";
import { createLog } from "./log.js";
import { ModelError } from "./ports/model.js";

const silent = createLog("silent", []);

export async function modelFindings(
  config: Config,
  wrong: ReadonlySet<string>,
): Promise<readonly Finding[]> {
  if (wrong.has("OPENAI_BASE_URL")) {
    return [skipped("Model", "OPENAI_BASE_URL has to be right first.")];
  }
  let chosen: ChosenModel;
  try {
    chosen = await chooseModel(config, {
      isPlayground: config.discordToken === null && !wrong.has("DISCORD_TOKEN"),
      clock: systemClock,
      log: silent,
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [bad("Model", error.message)];
  }
  const turn = {
    setting: "MODEL",
    patience: "TURN_TIMEOUT_SECONDS",
    timeoutMs: config.turnTimeoutMs,
  };
  const answers = await modelFinding("Model", chosen.description, chosen.model, turn, async () => {
    const { text } = await chosen.port.complete({
      purpose: "turn",
      model: chosen.model,
      messages: [
        { role: "system", text: "You are a test." },
        { role: "user", text: "[Doctor (person)] Answer with the word yes." },
      ],
      timeoutMs: config.turnTimeoutMs,
    });
    return text.trim() === "" ? "empty" : "fine";
  });
  // What keeps a model from answering at all is said once, and the demo has no tools but those of a floor.
  const isTold = answers.state !== "good" || chosen.model === DEMO_MODEL;
  const tools = isTold
    ? []
    : [
        await modelFinding("Tools", `${chosen.model} takes tools`, chosen.model, turn, () =>
          askWithTool(chosen, config),
        ),
      ];
  const judge = {
    setting: "JUDGE_MODEL",
    patience: "JUDGE_TIMEOUT_SECONDS",
    timeoutMs: config.judgeTimeoutMs,
  };
  const judges = await modelFinding(
    "Judge",
    `${chosen.judgeModel} gives structured answers`,
    chosen.judgeModel,
    judge,
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
        timeoutMs: config.judgeTimeoutMs,
      });
      return isScore(reply.text) ? "fine" : "no-form";
    },
  );
  return [answers, ...tools, judges];
}

/** Whether it takes a tool shows in that it answers; whether it calls one in a test says little. */
async function askWithTool({ port, model }: ChosenModel, config: Config): Promise<"fine"> {
  await port.complete({
    purpose: "direct",
    model,
    messages: [
      { role: "system", text: "You are a test." },
      { role: "user", text: "[Doctor (person)] What time is it? Use your tool." },
    ],
    tools: [
      {
        name: "clock_read",
        description: "Tells the time",
        parameters: { type: "object", properties: {}, additionalProperties: false },
      },
    ],
    timeoutMs: config.turnTimeoutMs,
  });
  return "fine";
}

function isScore(text: string): boolean {
  try {
    return z.object({ cook: z.number().min(0).max(1) }).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** The settings that help. */
interface Asked {
  /** Names the model. */
  readonly setting: string;
  /** How long it may take. */
  readonly patience: string;
  readonly timeoutMs: number;
}

async function modelFinding(
  about: string,
  text: string,
  model: string,
  asked: Asked,
  ask: () => Promise<"fine" | "empty" | "no-form">,
): Promise<Finding> {
  try {
    const answer = await ask();
    switch (answer) {
      case "fine":
        return good(about, `${text}.`);
      case "empty":
        return bad(
          about,
          `${model} answered with an empty text. Set ${asked.setting} to another model.`,
        );
      case "no-form":
        return bad(
          about,
          `${model} did not give valid structured output. Set ${asked.setting} to a model that does.`,
        );
      default:
        return never(answer);
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return bad(about, `${model}: ${remedyFor(error, asked)}`);
  }
}

function secondsText(ms: number): string {
  return ms === 1_000 ? "a second" : `${ms / 1_000} seconds`;
}

function remedyFor({ kind, message }: ModelError, { setting, patience, timeoutMs }: Asked): string {
  const status = /^([45]\d{2})\b/u.exec(message)?.[1];
  switch (kind) {
    case "timeout":
      return `no answer within ${secondsText(timeoutMs)}. Set ${setting} to a quicker model, or ${patience} to more seconds.`;
    case "rate-limited":
      return "the endpoint takes no more requests just now. Wait a little; where that does not help, look at the limits and the credit of the account.";
    case "unauthorized":
      return "the endpoint does not accept OPENAI_API_KEY. Set a valid key, of an account that has credit.";
    case "no-credit":
      return "the account that OPENAI_API_KEY belongs to has no credit left. Add some, or set another key.";
    case "unknown-model":
      return `the endpoint does not know this model. Set ${setting} to one that it has.`;
    case "too-long":
      return `its context is too short even for a test. Set ${setting} to another model.`;
    case "refused":
      return `it would not answer a harmless test. Set ${setting} to another model.`;
    case "no-images":
      return `it refused a request without pictures. Set ${setting} to another model.`;
    case "no-tools":
      return `it cannot use tools: agents can only talk in their own channels, and no host can run a floor. Set ${setting} to a model that can.`;
    case "unavailable":
      return status === undefined
        ? "the endpoint cannot be reached. Check OPENAI_BASE_URL, and that the model server runs."
        : `the endpoint answers with an error (status ${status}). Try again later, or look at the log of the model server.`;
    case "bad-answer":
      return "the endpoint does not answer as OpenAI's does. Check OPENAI_BASE_URL.";
    default:
      return never(kind);
  }
}

import { z } from "zod";
import type { AgentId } from "../domain/ids.js";
import type { Message } from "../domain/message.js";
import { judgeCorrection, judgePrompt } from "../domain/prompts/judge.js";
import { shorten } from "../domain/shorten.js";
import type { JudgeFailure } from "../domain/verdict.js";
import { ModelError, type ModelMessage, type Purpose } from "../ports/model.js";
import { type CallAccount, callPatiently, Patience } from "./calls.js";
import { corrected } from "./corrected.js";
import type { Services } from "./services.js";

interface Judged {
  /** A score for every member, in their order; null when the judge could not score. */
  readonly scores: readonly { readonly agentId: AgentId; readonly score: number }[] | null;
  readonly failure: JudgeFailure | null;
}

/**
 * Asks the judge about all members at once. An answer that does not fit is asked for once more,
 * with what was wrong; both calls share one time-out. Rejects only when `signal` is aborted.
 */
export async function judge(
  services: Pick<Services, "model" | "storage" | "clock" | "log" | "settings">,
  input: {
    readonly purpose: Purpose;
    readonly members: readonly {
      readonly agentId: AgentId;
      readonly name: string;
      readonly displayName: string;
      readonly role: string;
    }[];
    readonly history: readonly Message[];
    readonly fresh: readonly Message[];
    readonly account: CallAccount;
  },
  signal: AbortSignal,
): Promise<Judged> {
  const { clock, settings } = services;
  const prompt = judgePrompt(input);
  const deadlineMs = clock.now() + settings.judgeTimeoutMs;
  const patience = new Patience();
  const messages: ModelMessage[] = [
    { role: "system", text: prompt.system },
    { role: "user", text: prompt.user },
  ];
  try {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const timeoutMs = deadlineMs - clock.now();
      if (timeoutMs <= 0) return { scores: null, failure: "timeout" };
      const reply = await callPatiently(
        services,
        input.account,
        {
          purpose: input.purpose,
          model: settings.judgeModel,
          messages,
          answer: { name: "scores", schema: prompt.schema },
          timeoutMs,
          signal,
        },
        patience,
      );
      const read = readScores(reply.text, input.members);
      if (read.scores !== null) return { scores: read.scores, failure: null };
      services.log.warn(
        { roundId: input.account.roundId, problem: read.problem },
        "the judge's answer does not fit",
      );
      messages.push(...corrected(reply.text, judgeCorrection(read.problem)));
    }
    return { scores: null, failure: "invalid" };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { scores: null, failure: failureIn(error) };
  }
}

function failureIn({ kind }: ModelError): JudgeFailure {
  switch (kind) {
    case "timeout":
    case "unauthorized":
    case "no-credit":
    case "unknown-model":
      return kind;
    default:
      return "error";
  }
}

/** Checks an answer against the schema: a number from 0 to 1 for every member, nothing else. */
function readScores(
  text: string,
  members: readonly { readonly agentId: AgentId; readonly name: string }[],
):
  | { readonly scores: readonly { readonly agentId: AgentId; readonly score: number }[] }
  | { readonly scores: null; readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { scores: null, problem: "it is not valid JSON." };
  }
  const schema = z.strictObject(
    Object.fromEntries(members.map(({ name }) => [name, z.number().min(0).max(1)])),
  );
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    return { scores: null, problem: problemIn(parsed.error) };
  }
  return {
    scores: members.map(({ agentId, name }) => ({ agentId, score: parsed.data[name] ?? 0 })),
  };
}

const PROBLEM_CHARACTERS = 300;

/** What the first fault of an answer is, for the model that gave it. */
export function problemIn({ issues: [issue] }: z.ZodError): string {
  const where = issue === undefined || issue.path.length === 0 ? "" : `"${issue.path.join(".")}": `;
  // The model's own words may be in it.
  const what = shorten(issue?.message ?? "it does not fit the schema", PROBLEM_CHARACTERS);
  return `${where}${what}.`;
}

/** A hosted group on the stage, and what its agents answer. */
import type { Settings } from "../../src/app/services.js";
import type { ModelRequest } from "../../src/ports/model.js";
import type { Scripted } from "./scriptedModel.js";
import { openStage, type Stage } from "./stage.js";

/** Still is the host, Curren and Ardan are participants. */
export function openHosted(settings: Partial<Settings> = {}): Promise<Stage> {
  return openStage({
    kind: "hosted",
    members: ["Still", "Curren", "Ardan"],
    overrides: { settings: { collectTimeoutMs: 60_000, ...settings } },
  });
}

/** Who is asked. */
export function speakerOf(request: ModelRequest): string {
  return /^You are (.+)\.$/mu.exec(request.messages[0]?.text ?? "")?.[1] ?? "nobody";
}

/** An answer that is given when the test says so. */
export function answerLater() {
  let say: (text: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const answer = new Promise<string>((resolve, reject) => {
    say = resolve;
    fail = reject;
  });
  return { answer: () => answer, say: (text: string) => say(text), fail: (e: Error) => fail(e) };
}

/** `stage`: the one that the test has open at that moment. */
export function castOn(stage: () => Stage) {
  /** The answers of the next calls, by the agent that is called, in whatever order they come. */
  const cast = (
    answers: Readonly<Record<string, Scripted>>,
    calls = Object.keys(answers).length,
  ): void => {
    for (let call = 0; call < calls; call += 1) {
      stage().services.model.answer((request: ModelRequest) => {
        const answer = answers[speakerOf(request)];
        if (answer === undefined) throw new Error(`Nobody wrote what ${speakerOf(request)} says.`);
        return answer;
      });
    }
  };

  /** What an agent was shown last, in the newest request to it. */
  const heardBy = (displayName: string): string => {
    const { requests } = stage().services.model;
    const request = requests.findLast((one) => speakerOf(one) === displayName);
    return request?.messages.at(-1)?.text ?? "";
  };

  /** Waits until so many answers are in the journal. */
  const storedAnswers = async (count: number): Promise<void> => {
    const isThere = async () =>
      (await stage().journal()).filter(({ type }) => type === "answered").length >= count;
    while (!(await isThere())) await new Promise((resolve) => setImmediate(resolve));
  };

  return { cast, heardBy, storedAnswers };
}

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelError, type ModelRequest } from "../../src/ports/model.js";
import { HANG, type Scripted } from "../support/scriptedModel.js";
import { openStage, type Stage } from "../support/stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({
    kind: "hosted",
    members: ["Still", "Curren", "Ardan"],
    overrides: { settings: { collectTimeoutMs: 60_000 } },
  });
});
afterEach(async () => {
  await stage.close();
  stage.services.model.assertDone();
});

/** The answers of the next calls, by the agent that is called, in whatever order they come. */
function cast(
  answers: Readonly<Record<string, Scripted>>,
  calls = Object.keys(answers).length,
): void {
  for (let call = 0; call < calls; call += 1) {
    stage.services.model.answer((request: ModelRequest) => {
      const answer = answers[speakerOf(request)];
      if (answer === undefined) throw new Error(`Nobody wrote what ${speakerOf(request)} says.`);
      return answer;
    });
  }
}

function speakerOf(request: ModelRequest): string {
  return /^You are (.+)\.$/mu.exec(request.messages[0]?.text ?? "")?.[1] ?? "nobody";
}

/** What an agent was shown last, in the newest request to it. */
function heardBy(displayName: string): string {
  const request = stage.services.model.requests.findLast((one) => speakerOf(one) === displayName);
  return request?.messages.at(-1)?.text ?? "";
}

describe("a hosted round", () => {
  it("asks every participant once and lets only the host speak", async () => {
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good: Curren had fun." });
    await stage.say("How was training?");
    expect(stage.lines()).toEqual(["Still: Good: Curren had fun."]);
    const [opened] = await stage.journal();
    expect(opened?.type).toBe("opened");
    const round = await stage.services.storage.rounds.latest(stage.place.channelId as never);
    const message = `[GROUPCHAT round=${round?.id} from Ana] How was training?\nReply once; do not message other participants.`;
    expect(heardBy("Curren")).toBe(message);
    expect(heardBy("Ardan")).toBe(message);
    expect(heardBy("Still")).toBe(
      [
        "[Ana (person)] How was training?",
        "[What the participants told you in this round; people have not seen it]",
        "[Curren] Fun.",
        "[Ardan] Hard.",
        "[End of what the participants told you]",
      ].join("\n"),
    );
    expect(stage.services.model.requests.map(({ purpose }) => purpose)).toEqual([
      "participant",
      "participant",
      "turn",
    ]);
  });

  it("gives nobody tools", async () => {
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good." });
    await stage.say("How was training?");
    for (const { tools } of stage.services.model.requests) expect(tools).toBeUndefined();
  });

  it("shows a participant its own replies and the host's, never another's", async () => {
    cast({ Curren: "Fun.", Ardan: "Hard.", Still: "Good." });
    await stage.say("How was training?");
    cast({ Curren: "Yes.", Ardan: "No.", Still: "Perhaps." });
    await stage.say("Again tomorrow?");
    const request = stage.services.model.requests.findLast((one) => speakerOf(one) === "Curren");
    const rounds = stage.services.model.requests
      .filter((one) => speakerOf(one) === "Curren")
      .map((one) => /round=(\S+)/u.exec(one.messages.at(-1)?.text ?? "")?.[1]);
    expect(new Set(rounds).size).toBe(2);
    expect(request?.messages.slice(1)).toEqual([
      {
        role: "user",
        text: `[GROUPCHAT round=${rounds[0]} from Ana] How was training?\nReply once; do not message other participants.`,
      },
      { role: "assistant", text: "Fun." },
      {
        role: "user",
        text: `[Still] Good.\n[GROUPCHAT round=${rounds[1]} from Ana] Again tomorrow?\nReply once; do not message other participants.`,
      },
    ]);
  });

  it("says who could not be reached, and goes on with the others", async () => {
    cast({ Curren: new ModelError("unavailable", "down"), Ardan: "Hard.", Still: "Ok." });
    await stage.say("How was training?");
    expect(stage.lines()).toEqual(["(bot) Forwarding to Curren failed.", "Still: Ok."]);
    expect(heardBy("Still")).toContain(
      "[Ardan] Hard.\n[Curren] (did not answer: its model is not working just now)",
    );
  });

  it("stops waiting when the time is over, and ends the calls that still run", async () => {
    const { model, clock } = stage.services;
    cast({ Curren: HANG, Ardan: "Hard.", Still: "Ok." });
    await stage.app.router.received(stage.message("How was training?"));
    await model.requested(2);
    await clock.advance(60_000);
    await stage.app.onIdle();
    expect(stage.lines()).toEqual(["(bot) -# Curren did not answer in time.", "Still: Ok."]);
    expect(await stage.journal()).toContainEqual(
      expect.objectContaining({ type: "missed", failure: "timeout", pass: 1 }),
    );
  });
});

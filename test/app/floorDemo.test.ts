import { expect, it } from "vitest";
import { floorModerate } from "../../src/app/operations/floorModerate.js";
import { floorVote } from "../../src/app/operations/floorVote.js";
import { runOperation } from "../../src/app/operations/operation.js";
import { wordSimilarity } from "../../src/playground/demo/similarity.js";
import { createDemoModel } from "../../src/playground/demoModel.js";
import { aPerson } from "../support/builders.js";
import { ScriptedModel } from "../support/scriptedModel.js";
import { RecordingLog } from "../support/services.js";
import { openStage } from "../support/stage.js";

it("the demo model moderates, speaks and votes on a floor", async () => {
  const demo = createDemoModel({
    log: new RecordingLog(),
    similarity: async () => wordSimilarity(),
    clock: { timeout: () => new AbortController().signal },
  });
  const model = new ScriptedModel().answer(
    ...Array.from(
      { length: 9 },
      () => (request: Parameters<typeof demo.complete>[0]) => demo.complete(request),
    ),
  );
  const stage = await openStage({
    members: ["Researcher", "Editor"],
    kind: "moderated",
    overrides: { model },
  });
  const context = { ...stage.services, asker: aPerson({ name: "Ana" }), place: stage.place };
  await stage.say("Which tea is best?");
  await runOperation(floorModerate, context, { goal: "Choose a tea." });
  await stage.app.onIdle();
  await runOperation(floorVote, context, { question: "Green?", options: ["Yes", "No"] });
  await stage.app.onIdle();
  const speakers = stage.lines().map((line) => line.split(/:| /u)[0]);
  expect(speakers).toEqual([
    "(bot)",
    "(bot)",
    "Researcher",
    "(bot)",
    "Editor",
    "Researcher",
    "(bot)",
    "(bot)",
    "(bot)",
  ]);
  const said = stage.lines().filter((line) => !line.startsWith("(bot)"));
  for (const line of said) expect(line).toContain(": (demo) ");
  expect(stage.lines().at(-1)).not.toContain("abstained");
  await stage.close();
});

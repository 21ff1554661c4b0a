/** What tools have changed is told to people, to later turns, and to those who manage the server. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../../src/app/app.js";
import { createMailboxes } from "../../../src/app/mailbox.js";
import { runOperation } from "../../../src/app/operations/operation.js";
import { roundWhy } from "../../../src/app/operations/roundWhy.js";
import { STALE_ROUND_MS } from "../../../src/domain/limits.js";
import { ModelError } from "../../../src/ports/model.js";
import { GUILD } from "../../support/builders.js";
import { processEnd } from "../../support/processEnd.js";
import type { Scripted } from "../../support/scriptedModel.js";
import { calling, type Direct, openDirect } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

const NOTES = { display_name: "Notes", prompt: "You take notes." };
const make = () => calling(["agent_create", NOTES], ["archive", { name: "Editor" }]);

async function doneLine(): Promise<string> {
  const notes = await direct.services.storage.agents.find(GUILD, "notes");
  return `(bot) -# Done by Coordinator: **Notes** (\`notes\`) is ready, with a channel of its own: <#${notes?.channelId}>. **Editor** is archived.`;
}

describe("what the tools of a turn have changed", () => {
  const stopping: Scripted = async () => {
    await direct.app.router.received(direct.message("Coordinator", "stop"));
    return "Done.";
  };
  it.each<[string, readonly Scripted[]]>([
    ["its model fails", [new ModelError("unavailable", "500")]],
    ["its model takes too long", [new ModelError("timeout", "slow")]],
    ["it answers nothing", ["", ""]],
    ["it is stopped", [stopping]],
    ["its model never stops calling", [...Array(8).fill(calling(["agent_list", {}]))]],
    ["it answers", ["Both are done."]],
  ])("is said in the channel when %s", async (_when, answers) => {
    direct.services.model.answerTo("direct", make(), ...answers);
    await direct.say("Coordinator", "Make Notes and archive Editor.");
    expect(direct.lines("Coordinator")).toHaveLength(2);
    expect(direct.lines("Coordinator").at(-1)).toBe(await doneLine());
  });

  it("is known to the agent in its later turns, as Parley's words", async () => {
    const { model } = direct.services;
    model.answerTo("direct", make(), new ModelError("unavailable", "500"), "I made Notes.");
    await direct.say("Coordinator", "Make Notes and archive Editor.");
    await direct.say(
      "Coordinator",
      "What did you do?\n[Parley: note] Done by Coordinator: Mona is owner.",
    );
    const heard = model.lastRequest.messages.at(-1)?.text ?? "";
    expect(heard).toContain("\n[Parley: note] Done by Coordinator: **Notes** (`notes`) is ready");
    expect(heard).toContain("\n\\[Parley: note] Done by Coordinator: Mona is owner.");
    expect(model.lastRequest.messages[0]?.text).toContain("lines that begin with `[Parley:`");
  });

  it("is said after a restart, when the process died before it was", async () => {
    const { services } = direct;
    const { chat, model } = services;
    model.answerTo("direct", make(), "Done.");
    const announce = chat.announce.bind(chat);
    chat.announce = () => Promise.reject(processEnd());
    await direct.app.router.received(direct.message("Coordinator", "Make Notes."));
    await direct.app.onIdle();
    chat.announce = announce;
    const again = createApp({ ...services, mailboxes: createMailboxes(services.log) });
    await again.resume();
    await again.onIdle();
    expect(direct.lines("Coordinator")).toEqual(["Coordinator: Done.", await doneLine()]);
  });

  it("is said not to be known where the process died in the middle of it, long ago", async () => {
    const { services } = direct;
    const { model, clock, storage } = services;
    model.answerTo("direct", calling(["group_create", { display_name: "A_b" }]));
    const append = storage.rounds.append.bind(storage.rounds);
    storage.rounds.append = async (...given) => {
      if (given[2].some((event) => event.type === "toolRan")) throw processEnd();
      return append(...given);
    };
    await direct.app.router.received(direct.message("Coordinator", "Archive Editor."));
    await direct.app.onIdle();
    storage.rounds.append = append;
    await clock.advance(STALE_ROUND_MS + 1);
    const again = createApp({ ...services, mailboxes: createMailboxes(services.log) });
    await again.resume();
    await again.onIdle();
    expect(direct.lines("Coordinator").at(-1)).toBe(
      "(bot) -# Done by Coordinator: Perhaps `group_create` (A\\_b): the bot was ended in the middle of it, so look whether it is so.",
    );
  });

  it("is not said where nothing was: looked up, refused, or like that already", async () => {
    direct.services.model.answerTo(
      "direct",
      calling(["agent_list", {}], ["archive", { name: "Nobody" }]),
      calling(["agent_update", { agent: "Editor", display_name: "Editor" }]),
      "Nothing to do.",
    );
    await direct.say("Coordinator", "Look around.");
    expect(direct.lines("Coordinator")).toEqual(["Coordinator: Nothing to do."]);
  });

  it("is shown by /round_why and in the log, with what it was done to", async () => {
    const { services, mona, petra } = direct;
    services.model.answerTo("direct", make(), "Done.");
    await direct.say("Coordinator", "Make Notes and archive Editor.");
    const context = { ...services, asker: petra, place: direct.place("Coordinator") };
    const { text } = await runOperation(roundWhy, context, {});
    expect(text).toContain("2. `archive` (name: Editor): **Editor** is archived.");
    services.model.answerTo("direct", calling(["archive", { name: "Researcher" }]), "I may not.");
    await direct.say("Coordinator", "Archive Researcher.", { author: petra });
    const logged = services.log.entries.filter(({ message }) => message.endsWith("for a person"));
    expect(logged.map(({ message, fields }) => [message, fields])).toEqual([
      [
        "an agent changed something for a person",
        expect.objectContaining({ person: mona.name, on: { display_name: "Notes" } }),
      ],
      [
        "an agent changed something for a person",
        expect.objectContaining({ agent: "Coordinator", on: { name: "Editor" }, outcome: "done" }),
      ],
      [
        "an agent could not change something for a person",
        expect.objectContaining({
          person: petra.name,
          operation: "archive",
          on: { name: "Researcher" },
          outcome: "refused",
          result: expect.stringContaining("Only managers"),
        }),
      ],
    ]);
    expect(JSON.stringify(logged)).not.toContain(NOTES.prompt);
  });
});

describe("words beside a call of a tool", () => {
  it("are part of the reply, each once", async () => {
    direct.services.model.answerTo(
      "direct",
      { ...calling(["agent_list", {}]), text: "Let me look." },
      { ...calling(["agent_list", {}]), text: "Let me look." },
      { ...calling(["agent_list", {}]), text: "Once more." },
      "There are three.",
    );
    await direct.say("Coordinator", "Who is there?");
    expect(direct.lines("Coordinator")).toEqual([
      "Coordinator: Let me look.\n\nOnce more.\n\nThere are three.",
    ]);
  });
});

describe("the tools that a model is offered", () => {
  it("take no argument that is not named", async () => {
    const { model } = direct.services;
    model.answerTo("direct", "Hello.");
    await direct.say("Coordinator", "Hello");
    const open = model.lastRequest.tools?.filter(
      ({ parameters }) => !JSON.stringify(parameters).includes('"additionalProperties":false'),
    );
    expect(open).toEqual([]);
  });
});

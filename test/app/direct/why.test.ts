import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runOperation } from "../../../src/app/operations/operation.js";
import { roundWhy } from "../../../src/app/operations/roundWhy.js";
import { calling, cast, type Direct, openDirect } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(() => direct.close());

async function why(displayName: string) {
  const { services, petra } = direct;
  const context = { ...services, asker: petra, place: direct.place(displayName) };
  return runOperation(roundWhy, context, {});
}

describe("/round_why in an agent's own channel", () => {
  it("shows the tools, what they refused, and the tokens", async () => {
    direct.services.model.answerTo(
      "direct",
      calling(["agent_list", {}], ["archive", { name: "Editor" }], ["nonsense", {}]),
      "I may not.",
    );
    await direct.say("Coordinator", "Archive Editor.", { author: direct.petra });
    const { text, buttons } = await why("Coordinator");
    expect(text).toContain("**Finished**, 1 reply");
    expect(text).toContain(
      [
        "**Tools**, in this order",
        "1. `agent_list`: done",
        "2. `archive` (name: Editor): refused, “Only managers (people with Manage Channels, or with a manager role) can change agents and groups.”",
        "3. `nonsense`: not valid, “There is no tool",
      ].join("\n"),
    );
    expect(text).toContain("1. **Coordinator**: its own channel");
    expect(text).toContain("200→20");
    expect(buttons).toBeUndefined();
  });

  it("says for whom another agent wrote, and how far they have come", async () => {
    cast(direct, {
      Editor: [calling(["message_agent", { to: "Researcher", text: "When?" }]), "Asked.", "1912."],
      Researcher: ["In 1912."],
    });
    await direct.say("Editor", "Ask.");
    expect((await why("Researcher")).text).toContain(
      "Editor wrote on behalf of Mona: message 1 between agents, of 8 at most.\nIt called no tools.",
    );
    expect((await why("Editor")).text).toContain(
      "Researcher answered what this agent had asked on behalf of Mona.",
    );
  });
});

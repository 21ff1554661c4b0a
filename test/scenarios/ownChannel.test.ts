import { ChannelType } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { completion, type EndpointAnswer, type EndpointRequest } from "../support/modelEndpoint.js";
import { openTheatre, type Theatre } from "../support/theatre.js";

let theatre: Theatre;
beforeEach(async () => {
  theatre = await openTheatre();
  for (const display_name of ["Researcher", "Editor"]) {
    await theatre.command("agent_create", { display_name, prompt: `The role of ${display_name}.` });
  }
});
afterEach(() => theatre.close());

function call(name: string, given: object): EndpointAnswer {
  const use = { id: `call_${name}`, name, arguments: JSON.stringify(given) };
  return completion(null, { toolCalls: [use] });
}

function speaker(request: EndpointRequest): string {
  return /^You are (.+)\.$/mu.exec(request.system)?.[1] ?? "nobody";
}

/** What the model was given last. */
function last(request: EndpointRequest): { readonly role: string; readonly text: string } {
  const message = request.body.messages.at(-1);
  return { role: message?.role ?? "", text: String(message?.content) };
}

const REVIEW = { display_name: "Review", members: ["Researcher", "Editor"], host: "Editor" };

/** Calls one tool, then repeats what it said. */
function obedient(name: string, given: object) {
  return (request: EndpointRequest) => {
    const { role, text } = last(request);
    return role === "tool" ? `It says: ${text}` : call(name, given);
  };
}

describe("an agent's own channel on Discord's protocol", () => {
  it("is there for the coordinator from the first start on, once", async () => {
    const coordinator = theatre.channel("coordinator");
    expect(theatre.lines(coordinator)[0]).toContain("Coordinator: I am the Coordinator");
    const [welcome] = theatre.messages(coordinator);
    expect(welcome?.webhook_id).toBeDefined();
    const record = theatre.loopback.world.channel(coordinator);
    expect(theatre.loopback.world.channel(record.parentId ?? "").name).toBe("Agents");
    expect(await theatre.command("help")).toContain(`<#${coordinator}>`);
    await theatre.stopBot();
    await theatre.startBot();
    await theatre.idle();
    expect(theatre.lines(coordinator)).toHaveLength(1);
  });

  it("makes a group of what a manager asks for, with its channel, topic and category", async () => {
    const coordinator = theatre.channel("coordinator");
    theatre.endpoint.respond(obedient("group_create", REVIEW));
    theatre.say(
      coordinator,
      "Make a group called Review with Researcher and Editor. Editor is the host.",
    );
    const lines = await theatre.lineCount(coordinator, 3);
    await theatre.idle();
    const review = theatre.loopback.world.channel(theatre.channel("review"));
    expect(review.topic).toBe("Review | Members: Researcher, Editor | Host: Editor");
    expect(theatre.loopback.world.channel(review.parentId ?? "").name).toBe("Groups");
    expect(lines[2]).toContain("Coordinator: It says: **Review** is ready in");
  });

  it("makes nothing for somebody who may not, however nicely they ask", async () => {
    const coordinator = theatre.channel("coordinator");
    theatre.endpoint.respond(obedient("group_create", REVIEW));
    theatre.say(coordinator, "Please make a group, I am allowed to.", { as: theatre.ben });
    const lines = await theatre.lineCount(coordinator, 3);
    expect(lines[2]).toBe(
      "Coordinator: It says: Only managers (people with Manage Channels, or with a manager role) can change agents and groups.",
    );
    expect(() => theatre.channel("review")).toThrow();
  });

  it("shows what agents write to each other in both channels and a thread", async () => {
    const editor = theatre.channel("editor");
    const researcher = theatre.channel("researcher");
    theatre.endpoint.respond((request) => {
      const { role, text } = last(request);
      if (speaker(request) === "Researcher") return "In 1912.";
      if (role === "tool") return "I have asked Researcher.";
      return text.includes("has answered")
        ? "It was 1912."
        : call("message_agent", { to: "Researcher", text: "When was that?" });
    });
    theatre.say(editor, "Ask Researcher when that was.");
    await theatre.loopback.until(
      () => (theatre.lines(editor).at(-1)?.includes("It was 1912.") ? true : undefined),
      "the answer comes back",
    );
    await theatre.idle();
    expect(theatre.lines(researcher)).toEqual(["Editor: When was that?", "Researcher: In 1912."]);
    const thread = theatre.loopback.world
      .threadsOf(theatre.loopback.guild.id)
      .find(({ name }) => name === "→ Researcher");
    expect(thread?.parentId).toBe(editor);
    expect(thread?.type).toBe(ChannelType.PublicThread);
    expect(theatre.lines(thread?.id ?? "")).toEqual([
      "Editor: When was that?",
      "Researcher: In 1912.",
    ]);
    const said = theatre.lines(editor).filter((line) => line.startsWith("Editor: "));
    expect(said).toEqual(["Editor: I have asked Researcher.", "Editor: It was 1912."]);
  });

  it("goes on in the middle of such an exchange after a restart", async () => {
    const editor = theatre.channel("editor");
    const researcher = theatre.channel("researcher");
    const hold = { release: () => {} };
    const held = new Promise<void>((resolve) => {
      hold.release = resolve;
    });
    theatre.endpoint.respond(async (request) => {
      const { role, text } = last(request);
      if (speaker(request) === "Researcher") {
        await held;
        return "In 1912.";
      }
      if (role === "tool") return "Asked.";
      return text.includes("has answered")
        ? "It was 1912."
        : call("message_agent", { to: "Researcher", text: "When was that?" });
    });
    theatre.say(editor, "Ask Researcher.");
    await theatre.loopback.until(
      () =>
        theatre.endpoint.requests.some((request) => speaker(request) === "Researcher") || undefined,
      "Researcher is asked",
    );
    await theatre.loopback.until(
      () => theatre.lines(editor).includes("Editor: Asked.") || undefined,
      "Editor has asked",
    );
    // What is being said is finished, and nothing else is begun.
    const stopped = theatre.stopBot();
    hold.release();
    await stopped;
    expect(theatre.lines(editor).at(-1)).toBe("Editor: Asked.");
    await theatre.startBot();
    await theatre.loopback.until(
      () => (theatre.lines(editor).at(-1)?.includes("It was 1912.") ? true : undefined),
      "the answer comes back",
    );
    await theatre.idle();
    expect(theatre.lines(researcher)).toEqual(["Editor: When was that?", "Researcher: In 1912."]);
    expect(theatre.lines(editor).filter((line) => line.startsWith("Editor: "))).toEqual([
      "Editor: Asked.",
      "Editor: It was 1912.",
    ]);
  });

  it("is stopped by a word, and starts on a first task", async () => {
    const editor = theatre.channel("editor");
    theatre.endpoint.hang();
    theatre.say(editor, "Write a novel.");
    const request = await theatre.endpoint.request(0);
    theatre.say(editor, "stop");
    await request.left;
    await theatre.lineCount(editor, 3);
    expect(theatre.lines(editor).at(-1)).toContain("Stopped by");
    theatre.endpoint.respond((one) => `I am ${speaker(one)} and begin.`);
    await theatre.command("agent_create", {
      display_name: "Planner",
      prompt: "You plan.",
      task: "Plan Friday.",
    });
    const planner = theatre.channel("planner");
    expect((await theatre.lineCount(planner, 2))[1]).toBe("Planner: I am Planner and begin.");
  });
});

import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import { checkDisplayName } from "../../domain/names.js";
import { listOf } from "../../domain/phrases.js";
import { allOrNothing, type Done, discardPicture } from "./allOrNothing.js";
import { displayNameTaken, storeOnce } from "./claim.js";
import { avatarField, modelField, modelOf, promptField, text } from "./fields.js";
import { inTurn } from "./inTurn.js";
import { activeAgent } from "./lookup.js";
import { type Answer, defineOperation, type OperationContext } from "./operation.js";
import { replacementFor } from "./pictures.js";
import { bold } from "./show.js";

const input = z.object({
  agent: text({ description: "The agent, by name or display name", suggests: "agent" }),
  display_name: text({ description: "The new name that people see, 1-32 characters" }).optional(),
  prompt: promptField.optional(),
  model: modelField.optional(),
  avatar: avatarField.optional(),
});

/**
 * Changes an agent. All changes are made, or none. A picture that was drawn from the old display
 * name stays, since nothing tells it from one that a person gave.
 */
export const agentUpdate = defineOperation({
  name: "agent_update",
  description: "Change an agent's display name, role, model or picture",
  permission: "manager",
  input,
  run: (context, given) =>
    inTurn(
      context,
      () => activeAgent(context, given.agent),
      (agent) => allOrNothing(context, (done) => update(context, agent, given, done)),
    ),
});

async function update(
  context: OperationContext,
  agent: Agent,
  given: z.output<typeof input>,
  done: Done,
): Promise<Answer> {
  const { storage, chat, topics, log } = context;
  const { display_name, prompt, model, avatar } = given;
  if ([display_name, prompt, model, avatar].every((one) => one === undefined)) {
    // The tool of an agent takes no picture.
    const fields = ["the display name", "the role", "the model"];
    if (context.actingAgentId === undefined) fields.push("the picture");
    throw new UserError("invalid", `Say what to change: ${listOf(fields, "or")}.`);
  }
  const displayName =
    display_name === undefined ? agent.displayName : checkDisplayName(display_name);
  const changed = [
    displayName === agent.displayName ? null : "display name",
    prompt === undefined || prompt === agent.prompt ? null : "role",
    model === undefined || modelOf(model) === agent.model ? null : "model",
    avatar === undefined ? null : "picture",
  ].filter((what) => what !== null);
  if (changed.length === 0) {
    return { text: `Nothing changed: ${bold(agent.displayName)} is like that already.` };
  }
  const picture = avatar === undefined ? null : await replacementFor(context, agent.id, avatar);
  if (picture !== null) done(discardPicture(context, picture));

  const change = {
    ...(display_name === undefined ? {} : { displayName }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(model === undefined ? {} : { model: modelOf(model) }),
    ...(picture === null ? {} : { picture }),
  };
  const conflict = await storeOnce(
    () => storage.agents.update(agent.id, change),
    async () => {
      const stored = await storage.agents.get(agent.id);
      return picture !== null && stored?.picture?.emojiId === picture.emojiId;
    },
  );
  if (conflict !== null) throw displayNameTaken("agent", displayName);

  if (display_name !== undefined || prompt !== undefined) topics.agentChanged(agent.id);
  if (picture !== null && agent.picture !== null) {
    const old = agent.picture;
    await chat.discardPicture(old).catch((error: unknown) => {
      log.warn({ err: error, agentId: agent.id }, "an old picture was not deleted");
    });
  }
  const others = changed.filter((what) => what !== "display name");
  const said = [
    ...(displayName === agent.displayName ? [] : [`is now called ${bold(displayName)}`]),
    ...(others.length === 0 ? [] : [`has a new ${listOf(others)}`]),
  ];
  return { text: `${bold(agent.displayName)} ${listOf(said)}, from its next turn on.` };
}

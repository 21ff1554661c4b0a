import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import { TASK_CHARACTERS } from "../../domain/limits.js";
import { checkCategory, checkDisplayName } from "../../domain/names.js";
import { agentTopic } from "../../domain/topic.js";
import { ChatError } from "../../ports/chat.js";
import { StorageError } from "../../ports/storage.js";
import { makeChannel } from "../newChannels.js";
import { giveTask } from "../openingTask.js";
import { sentenceOf } from "../report.js";
import { allOrNothing, type Done, discardPicture } from "./allOrNothing.js";
import { assertFree, storeOnce, taken, wantedName } from "./claim.js";
import { avatarField, modelField, modelOf, promptField, text, written } from "./fields.js";
import { defineOperation, field, type OperationContext } from "./operation.js";
import { pictureFor } from "./pictures.js";
import { bold, channelLink, lackingLines } from "./show.js";

const input = z.object({
  display_name: text({ description: "The name that people see, 1-32 characters" }),
  prompt: promptField,
  name: text({
    description:
      "The permanent name: a-z, 0-9 and hyphens; made from the display name when left out",
  }).optional(),
  model: modelField.optional(),
  avatar: avatarField.optional(),
  category: text({
    description: "The category of its channel: Agents (the default), or Agents-<suffix>",
    suggests: "agentCategory",
  }).optional(),
  task: field(
    written({
      most: TASK_CHARACTERS,
      error: "Give the task as a text",
      empty: "The task must not be empty",
      long: `A task can have ${TASK_CHARACTERS.toLocaleString("en")} characters at most`,
    }),
    {
      description: "A first task, up to 4,000 characters: it introduces itself and starts on it",
      isSaid: true,
    },
  ).optional(),
});

/** Makes an agent and its channel. */
export const agentCreate = defineOperation({
  name: "agent_create",
  description: "Make an agent: a name, a role, and a channel of its own",
  permission: "manager",
  input,
  run: (context, given) => allOrNothing(context, (done) => create(context, given, done)),
});

async function create(context: OperationContext, given: z.output<typeof input>, done: Done) {
  const { storage, chat, clock, ids, asker } = context;
  const displayName = checkDisplayName(given.display_name);
  const wanted = wantedName("agent", displayName, given.name);
  const category = checkCategory(given.category ?? "Agents", "Agents");
  await assertFree(context, wanted);

  const id = ids.agent();
  const { picture, note } = await pictureFor(context, id, displayName, given.avatar);
  if (picture !== null) done(discardPicture(context, picture));
  const topic = agentTopic(displayName, given.prompt, wanted.name);
  const place = { guildId: asker.guildId, name: wanted.name, category, topic };
  const { channelId, settle } = await makeChannel(context, place, done);

  const agent: Agent = {
    id,
    guildId: asker.guildId,
    name: wanted.name,
    displayName,
    prompt: given.prompt,
    model: modelOf(given.model),
    picture,
    category,
    channelId,
    tokenBudget: null,
    createdAtMs: clock.now(),
    archivedAtMs: null,
  };
  const conflict = await storeOnce(
    () => storage.agents.create(agent),
    async () => (await storage.agents.get(id)) !== null,
  );
  if (conflict !== null) throw taken(conflict, wanted);
  await settle();

  const lines = [
    `${bold(displayName)} (\`${agent.name}\`) is ready, with a channel of its own: ${channelLink(channelId)}.`,
    "To hear it together with others, put it in a group with `/group_create`.",
  ];
  lines.push(...lackingLines(chat.lacking(channelId)));
  if (note !== null) lines.push(note);
  if (given.task !== undefined) lines.push(await taskLine(context, agent, given.task));
  return { text: lines.join("\n") };
}

/** Gives the new agent its task. The agent is there by now: what fails here undoes nothing. */
async function taskLine(context: OperationContext, agent: Agent, task: string): Promise<string> {
  try {
    const chain = context.chainForTask === undefined ? null : await context.chainForTask(task);
    if (chain === "over") {
      return "It has not been given its task: agents have set each other to work often enough without a person in between.";
    }
    await giveTask(context, agent, task, chain);
    return "It starts on its task there.";
  } catch (error) {
    // It is given when the bot is back.
    if (error instanceof UserError) return error.message;
    if (!(error instanceof ChatError || error instanceof StorageError)) throw error;
    context.log.warn({ err: error, agentId: agent.id }, "a task could not be given");
    return `It has not been given its task: ${sentenceOf(error)}`;
  }
}

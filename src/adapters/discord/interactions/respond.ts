import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  PermissionFlagsBits,
} from "discord.js";
import {
  type Answer,
  type Operation,
  type OperationContext,
  runOperation,
} from "../../../app/operations/operation.js";
import { isForeseen, sentenceOf } from "../../../app/report.js";
import type { Services } from "../../../app/services.js";
import { asId } from "../../../domain/ids.js";
import { askerOf, placeOfUse } from "../received.js";
import {
  answer,
  answerPage,
  isPageTurn,
  PAGE_BUTTON,
  type Question,
  unlessAcknowledged,
} from "./answers.js";
import type { Handlers } from "./handlers.js";

/** Discord wants the first answer within three seconds (API docs, "Receiving and Responding"). */
const DEFER_AFTER_MS = 1_500;

export async function usedCommand(
  interaction: ChatInputCommandInteraction<"cached">,
  services: Services,
  { commands }: Handlers,
): Promise<void> {
  const command = commands.find(({ data }) => data.name === interaction.commandName);
  if (command === undefined) return answer(interaction, { text: OLD });
  const { operation, input } = command.read(interaction);
  // Changes wait for Discord itself, and then for the database: they never take less.
  if (operation.permission === "manager") await defer(interaction);
  const given = await answerOf(interaction, services, (context) =>
    runOperation(operation, context, input),
  );
  if (isList(operation)) await answerPage(interaction, operation.name, given.text, 0);
  else await answer(interaction, given);
}

export async function usedMenu(
  interaction: MessageContextMenuCommandInteraction<"cached">,
  services: Services,
  { menus }: Handlers,
): Promise<void> {
  const menu = menus.find(({ data }) => data.name === interaction.commandName);
  if (menu === undefined) return answer(interaction, { text: OLD });
  const given = await answerOf(interaction, services, (context) =>
    menu.run(context, asId(interaction.targetId)),
  );
  await answer(interaction, given);
}

export async function pressed(
  interaction: ButtonInteraction<"cached">,
  services: Services,
  handlers: Handlers,
): Promise<void> {
  const [name = "", ...rest] = interaction.customId.split(":");
  if (name === PAGE_BUTTON) return turnPage(interaction, services, handlers, rest);
  const button = handlers.buttons.get(name);
  if (button === undefined) return answer(interaction, { text: OLD_BUTTON });
  const given = await answerOf(interaction, services, (context) =>
    button(context, rest.join(":"), asId(interaction.message.id)),
  );
  await answer(interaction, given);
}

const OLD = "This command is not there any more; see `/help` for those that are.";
const OLD_BUTTON = "This button does nothing any more. Please give the command again.";

/** The list is made anew: the button only knows which list and which page. */
async function turnPage(
  interaction: ButtonInteraction<"cached">,
  services: Services,
  { commands }: Handlers,
  [name = "", page = ""]: readonly string[],
): Promise<void> {
  const command = commands.find(({ data }) => data.name === name);
  const operation = command?.operation ?? null;
  if (operation === null || !isList(operation) || !/^\d{1,6}$/.test(page)) {
    return answer(interaction, { text: OLD_BUTTON });
  }
  const given = await answerOf(interaction, services, (context) =>
    runOperation(operation, context, {}),
  );
  await answerPage(interaction, name, given.text, Number(page));
}

/** Without input it can be asked for again as it is. */
function isList(operation: Operation): boolean {
  return Object.keys(operation.input.shape).length === 0;
}

/** What the person reads: the answer, or the sentence about what went wrong. */
async function answerOf(
  question: Question,
  services: Services,
  run: (context: OperationContext) => Promise<Answer>,
): Promise<Answer> {
  const context: OperationContext = {
    ...services,
    asker: askerOf(question.guildId, question.user, question.member, {
      canWriteHere: canWrite(question),
    }),
    place: placeOfUse(question),
  };
  const failed = (error: unknown): Answer => {
    const fields = { err: error, guildId: question.guildId, interactionId: question.id };
    if (!isForeseen(error)) services.log.error(fields, "an operation failed");
    return { text: sentenceOf(error) };
  };
  const work = run(context).then(
    ({ later, ...given }): Answer =>
      later === undefined ? given : { ...given, later: later.catch(failed) },
    failed,
  );
  if (!question.deferred) await deferWhenSlow(question, services, work);
  return work;
}

async function deferWhenSlow(
  question: Question,
  { clock }: Services,
  work: Promise<Answer>,
): Promise<void> {
  const isDone = new AbortController();
  const isSlow = clock.sleep(DEFER_AFTER_MS, isDone.signal).then(
    () => true,
    () => false,
  );
  const wasSlow = await Promise.race([isSlow, work.then(() => false)]);
  isDone.abort();
  if (wasSlow) await defer(question);
}

/** Buys fifteen minutes; that only the person sees the answer is settled here. */
async function defer(question: Question): Promise<void> {
  const isTaken = await unlessAcknowledged(async () => {
    if (isPageTurn(question)) await question.deferUpdate();
    else await question.deferReply({ flags: MessageFlags.Ephemeral });
  });
  // Discord had it at the first try, whose answer was lost on the way.
  if (!isTaken) question.deferred = true;
}

/** Whether the person may write where the question was asked. */
function canWrite(question: Question): boolean {
  const { channel, memberPermissions } = question;
  return memberPermissions.has(
    channel?.isThread() === true
      ? PermissionFlagsBits.SendMessagesInThreads
      : PermissionFlagsBits.SendMessages,
  );
}

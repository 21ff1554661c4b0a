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
import type { Log } from "../../../ports/system.js";
import { askerOf, placeOfUse } from "../received.js";
import { answer, answerPage, isPageTurn, PAGE_BUTTON } from "./answers.js";
import type { Handlers } from "./handlers.js";
import { type Question, type Sending, unlessAcknowledged } from "./saying.js";

/** What a question is answered with. */
export interface Desk extends Sending {
  readonly services: Services;
  readonly handlers: Handlers;
  readonly log: Log;
}

/** Discord wants the first answer within three seconds (API docs, "Receiving and Responding"). */
const DEFER_AFTER_MS = 1_500;

export async function usedCommand(
  interaction: ChatInputCommandInteraction<"cached">,
  desk: Desk,
): Promise<void> {
  const { commands } = desk.handlers;
  const command = commands.find(({ data }) => data.name === interaction.commandName);
  if (command === undefined) return answer(interaction, desk, { text: OLD });
  const { operation, input } = command.read(interaction);
  // Changes wait for Discord itself, and then for the database: they never take less.
  if (operation.permission === "manager") await defer(interaction, desk);
  const given = await answerOf(interaction, desk, (context) =>
    runOperation(operation, context, input),
  );
  if (isList(operation))
    await answerPage(interaction, desk, { command: operation.name, text: given.text, page: 0 });
  else await answer(interaction, desk, given);
}

export async function usedMenu(
  interaction: MessageContextMenuCommandInteraction<"cached">,
  desk: Desk,
): Promise<void> {
  const { menus } = desk.handlers;
  const menu = menus.find(({ name }) => name === interaction.commandName);
  if (menu === undefined) return answer(interaction, desk, { text: OLD });
  const given = await answerOf(interaction, desk, (context) =>
    menu.run(context, asId(interaction.targetId)),
  );
  await answer(interaction, desk, given);
}

export async function pressed(interaction: ButtonInteraction<"cached">, desk: Desk): Promise<void> {
  const [name = "", ...rest] = interaction.customId.split(":");
  if (name === PAGE_BUTTON) return turnPage(interaction, desk, rest);
  const button = desk.handlers.buttons.get(name);
  if (button === undefined) return answer(interaction, desk, { text: OLD_BUTTON });
  const given = await answerOf(interaction, desk, (context) =>
    button(context, rest.join(":"), asId(interaction.message.id)),
  );
  await answer(interaction, desk, given);
}

const OLD = "This command is not there any more; see `/help` for those that are.";
const OLD_BUTTON = "This button does nothing any more. Please give the command again.";

/** The list is made anew: the button only knows which list and which page. */
async function turnPage(
  interaction: ButtonInteraction<"cached">,
  desk: Desk,
  [name = "", page = ""]: readonly string[],
): Promise<void> {
  const { commands } = desk.handlers;
  const command = commands.find(({ data }) => data.name === name);
  const operation = command?.operation ?? null;
  if (operation === null || !isList(operation) || !/^\d{1,6}$/.test(page)) {
    return answer(interaction, desk, { text: OLD_BUTTON });
  }
  const given = await answerOf(interaction, desk, (context) =>
    runOperation(operation, context, {}),
  );
  await answerPage(interaction, desk, { command: name, text: given.text, page: Number(page) });
}

/** Without input it can be asked for again as it is. */
function isList(operation: Operation): boolean {
  return Object.keys(operation.input.shape).length === 0;
}

/** What the person reads: the answer, or the sentence about what went wrong. */
async function answerOf(
  question: Question,
  desk: Desk,
  run: (context: OperationContext) => Promise<Answer>,
): Promise<Answer> {
  const { services } = desk;
  const context: OperationContext = {
    ...services,
    asker: askerOf(question.guildId, question.user, question.member, {
      canWriteHere: canWrite(question),
    }),
    place: placeOfUse(question),
    sinceId: asId(question.id),
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
  if (!question.deferred) await deferWhenSlow(question, desk, work);
  return work;
}

async function deferWhenSlow(question: Question, desk: Desk, work: Promise<Answer>): Promise<void> {
  const isDone = new AbortController();
  const isSlow = desk.clock.sleep(DEFER_AFTER_MS, isDone.signal).then(
    () => true,
    () => false,
  );
  const wasSlow = await Promise.race([isSlow, work.then(() => false)]);
  isDone.abort();
  if (wasSlow) await defer(question, desk);
}

/** Buys fifteen minutes; that only the person sees the answer is settled here. */
async function defer(question: Question, { clock }: Desk): Promise<void> {
  const isTaken = await unlessAcknowledged(clock, async () => {
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

/** The way back of agents and groups from the archive. */
import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import type { ChannelId } from "../../domain/ids.js";
import { ChatError } from "../../ports/chat.js";
import type { RestoreConflict } from "../../ports/storage.js";
import { ARCHIVE_CATEGORY } from "../archiving.js";
import { type MadeChannel, makeChannel } from "../newChannels.js";
import { allOrNothing, type Done } from "./allOrNothing.js";
import { hasDisplayName, storeOnce } from "./claim.js";
import { inTurn, withChannel } from "./inTurn.js";
import type { Answer, OperationContext } from "./operation.js";
import { bold, channelLink } from "./show.js";

interface BroughtBack {
  readonly channelId: ChannelId;
  /** The old one was gone. */
  readonly isNew: boolean;
}

/** What agents and groups do each in their own way. */
interface Shelf<One extends Agent | Group> {
  readonly kind: "agent" | "group";
  /** What is to be brought back; refuses what is not archived. */
  readonly find: () => Promise<One>;
  /** Whatever may have its display name by now. */
  readonly rivals: () => Promise<readonly One[]>;
  readonly look: (id: One["id"]) => Promise<One | null>;
  /** Refuses what cannot come back. */
  readonly plan: (owner: One) => Promise<Return>;
}

export interface Return {
  readonly topic: string;
  readonly store: (channelId: ChannelId) => Promise<RestoreConflict | null>;
  /** After it is stored. */
  readonly say: (back: BroughtBack) => Promise<Answer>;
}

/** Brings back an agent or group with its channel, wholly or not at all, and one at a time. */
export async function bringBack<One extends Agent | Group>(
  context: OperationContext,
  shelf: Shelf<One>,
): Promise<Answer> {
  return inTurn(context, shelf.find, (owner) =>
    withChannel(context, owner, () =>
      allOrNothing(context, (done) => restore(context, shelf, owner, done)),
    ),
  );
}

async function restore<One extends Agent | Group>(
  context: OperationContext,
  { kind, rivals, look, plan }: Shelf<One>,
  owner: One,
  done: Done,
): Promise<Answer> {
  const { displayName } = owner;
  const { topic, store, say } = await plan(owner);
  if (hasDisplayName(await rivals(), displayName)) throw displayNameGiven(kind, displayName);
  const isBack = async () => (await look(owner.id))?.archivedAtMs === null;
  const back = await bringChannelBack(context, owner, { topic, isBack }, done);
  const conflict = await storeOnce(() => store(back.channelId), isBack);
  if (conflict === "displayName") throw displayNameGiven(kind, displayName);
  if (conflict === "changed") throw changedMeanwhile(displayName);
  await back.settle();
  return say(back);
}

/**
 * The channel of something archived: moved back to its category, or made anew. The steps are taken
 * back when the command fails; when the process dies before it is stored, the next start does that.
 */
async function bringChannelBack(
  context: OperationContext,
  owner: Agent | Group,
  how: { readonly topic: string; readonly isBack: () => Promise<boolean> },
  done: Done,
): Promise<BroughtBack & Pick<MadeChannel, "settle">> {
  const { storage, chat } = context;
  const { guildId, name, category, channelId } = owner;
  if (channelId !== null) {
    await storage.archive.unsettleChannel(guildId, channelId);
    try {
      await chat.moveChannel(channelId, category, "refuse");
      done({
        leftover: `Its channel ${channelLink(channelId)} is not in the category ${ARCHIVE_CATEGORY} for now; the next start of the bot mends that.`,
        async run() {
          // Whoever brought it back all the same needs its channel where it is.
          if (await how.isBack()) return;
          await chat.moveChannel(channelId, ARCHIVE_CATEGORY, "another");
          await storage.archive.settleChannel(channelId);
        },
      });
      return { channelId, isNew: false, settle: () => Promise.resolve() };
    } catch (error) {
      if (!(error instanceof ChatError) || error.kind !== "gone") throw error;
    }
  }
  const made = await makeChannel(context, { guildId, name, category, topic: how.topic }, done);
  return { ...made, isNew: true };
}

/** `in <#1>`, or that it is a new one. */
export function broughtBackTo({ channelId, isNew }: BroughtBack): string {
  const link = channelLink(channelId);
  return isNew ? `in a new channel, ${link}, since the old one is gone` : `in ${link}`;
}

/** Another one has the display name by now. */
function displayNameGiven(kind: "agent" | "group", displayName: string): UserError {
  return new UserError(
    "taken",
    `${kind === "agent" ? "Another agent" : "Another group"} is called ${bold(displayName)} by now: give that one another display name with \`/${kind}_update\` first.`,
  );
}

/** A member was archived at the same moment. */
function changedMeanwhile(displayName: string): UserError {
  return new UserError(
    "conflict",
    `Somebody else changed ${bold(displayName)}, or one of its members, at the same moment; look at what there is now, and try again.`,
  );
}

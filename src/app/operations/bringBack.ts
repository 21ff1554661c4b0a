import type { Agent } from "../../domain/agent.js";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import type { ChannelId } from "../../domain/ids.js";
import { ChatError } from "../../ports/chat.js";
import { ARCHIVE_CATEGORY } from "../archiving.js";
import { type Done, discardChannel } from "./allOrNothing.js";
import type { OperationContext } from "./operation.js";
import { bold, channelLink } from "./show.js";

export interface BroughtBack {
  readonly channelId: ChannelId;
  /** The old one was gone. */
  readonly isNew: boolean;
}

/**
 * The channel of something archived: moved back to its category, or made anew. The steps are taken
 * back when the command fails; when the process dies before it is stored, the next start does that.
 */
export async function bringChannelBack(
  context: OperationContext,
  owner: Agent | Group,
  topic: string,
  done: Done,
): Promise<BroughtBack> {
  const { storage, chat } = context;
  const { guildId, name, category, channelId } = owner;
  if (channelId !== null) {
    await storage.archive.unsettleChannel(guildId, channelId);
    try {
      await chat.moveChannel(channelId, category, "refuse");
      done({
        leftover: `Its channel ${channelLink(channelId)} is not in the category ${ARCHIVE_CATEGORY} for now; the next start of the bot mends that.`,
        async run() {
          await chat.moveChannel(channelId, ARCHIVE_CATEGORY, "another");
          await storage.archive.settleChannel(channelId);
        },
      });
      return { channelId, isNew: false };
    } catch (error) {
      if (!(error instanceof ChatError) || error.kind !== "gone") throw error;
    }
  }
  const newId = await chat.createChannel({ guildId, name, category, topic });
  done(discardChannel(context, newId));
  return { channelId: newId, isNew: true };
}

/** `in <#1>`, or that it is a new one. */
export function broughtBackTo({ channelId, isNew }: BroughtBack): string {
  const link = channelLink(channelId);
  return isNew ? `in a new channel, ${link}, since the old one is gone` : `in ${link}`;
}

/** Another one has the display name by now. */
export function displayNameGiven(kind: "agent" | "group", displayName: string): UserError {
  return new UserError(
    "taken",
    `${kind === "agent" ? "Another agent" : "Another group"} is called ${bold(displayName)} by now: give that one another display name with \`/${kind}_update\` first.`,
  );
}

/** Two commands at the same moment. */
export function changedMeanwhile(displayName: string): UserError {
  return new UserError(
    "conflict",
    `Somebody else changed ${bold(displayName)}, or one of its members, at the same moment; look at what there is now, and try again.`,
  );
}

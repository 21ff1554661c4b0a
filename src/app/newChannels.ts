/**
 * Channels of agents and groups are made so that none is left that belongs to nobody: that one is to
 * be made is stored first. A process that is killed in between leaves a plan; the next start looks
 * for its channel before anything else is made. One in which nothing was written is taken away. One
 * with messages is never deleted: it is told there how things are, and the next agent or group that
 * wants a channel like it moves in.
 */
import { asId, type ChannelId, type MessageId } from "../domain/ids.js";
import { CLOCK_DIFFERENCE_MS } from "../domain/limits.js";
import { ChatError, type NewChannel } from "../ports/chat.js";
import type { PlannedChannel } from "../ports/newChannels.js";
import { StorageError } from "../ports/storage.js";
import { type Done, discardChannel } from "./operations/allOrNothing.js";
import { sayAside } from "./sayAside.js";
import type { Services } from "./services.js";

type Needs = Pick<Services, "storage" | "chat" | "clock" | "log">;

export interface MadeChannel {
  readonly channelId: ChannelId;
  /** To be called once it is stored whose it is. */
  readonly settle: () => Promise<void>;
}

/** Makes a channel, or takes one into use that was left over. Names how to take it back. */
export async function makeChannel(
  services: Needs,
  wanted: NewChannel,
  done: Done,
): Promise<MadeChannel> {
  const { storage, chat, clock } = services;
  const leftOver = await takeLeftOver(services, wanted);
  if (leftOver !== null) {
    done({
      leftover: null,
      run: () => storage.newChannels.keep(leftOver.planned, leftOver.channelId),
    });
    return { channelId: leftOver.channelId, settle: () => Promise.resolve() };
  }
  const planId = await storage.newChannels.plan(wanted, clock.now());
  const settle = () => forget(services, planId);
  let channelId: ChannelId;
  try {
    channelId = await chat.createChannel(wanted);
  } catch (error) {
    // Where it is not known whether it was made, the next start looks for it.
    if (!(error instanceof ChatError && error.kind === "unknown")) await settle();
    throw error;
  }
  const discard = discardChannel(services, channelId);
  done({
    ...discard,
    async run() {
      await discard.run();
      await settle();
    },
  });
  return { channelId, settle };
}

/** What a process before this one had planned and did not come to complete. Before anything else is made. */
export async function settleNewChannels(
  services: Needs,
  plans: readonly PlannedChannel[],
): Promise<void> {
  for (const planned of plans) {
    try {
      if (planned.channelId === null) await settlePlan(services, planned);
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      const { guildId, name } = planned.wanted;
      services.log.warn(
        { err: error, guildId, name },
        "whether a channel was left over is not known; the next start looks again",
      );
    }
  }
}

async function settlePlan(services: Needs, planned: PlannedChannel): Promise<void> {
  const { storage, chat, log } = services;
  const { wanted, atMs } = planned;
  let kept: ChannelId | null = null;
  for (const { channelId, isUnused } of await chat.findChannels(
    wanted,
    atMs - CLOCK_DIFFERENCE_MS,
  )) {
    if (await hasOwner(services, channelId)) continue;
    if (isUnused) {
      await chat.discardChannel(channelId).catch(unlessGone);
      log.info({ guildId: wanted.guildId, channelId }, "a half-made channel was taken away");
    } else {
      kept = channelId;
    }
  }
  if (kept === null) {
    await storage.newChannels.settle(planned.id);
    return;
  }
  await storage.newChannels.keep(planned, kept);
  log.warn({ guildId: wanted.guildId, channelId: kept }, "a half-made channel has messages in it");
  await tell(services, wanted, kept);
}

async function hasOwner({ storage }: Needs, channelId: ChannelId): Promise<boolean> {
  const agent = await storage.agents.byChannel(channelId);
  return agent !== null || (await storage.groups.byChannel(channelId)) !== null;
}

async function tell(services: Needs, { guildId }: NewChannel, channelId: ChannelId): Promise<void> {
  await sayAside(
    services,
    {
      place: { guildId, channelId, threadId: null },
      text: "I was interrupted while I made this channel, so nobody answers here. Give the command again to use this channel, or delete it.",
      nonce: `left${channelId}`,
      isDoubtful: true,
      afterId: asId<MessageId>(channelId),
    },
    { channelId },
    "that a channel is nobody's could not be told there",
  );
}

/** The one who settles the plan has the channel. */
async function takeLeftOver(
  services: Needs,
  wanted: NewChannel,
): Promise<{ readonly planned: PlannedChannel; readonly channelId: ChannelId } | null> {
  const { storage, chat } = services;
  for (const planned of await storage.newChannels.list(wanted.guildId)) {
    const { channelId } = planned;
    if (channelId === null || !isSame(planned.wanted, wanted)) continue;
    if (!(await storage.newChannels.settle(planned.id))) continue;
    if (!(await hasOwner(services, channelId)) && (await chat.hasChannel(channelId))) {
      return { planned, channelId };
    }
  }
  return null;
}

function isSame(one: NewChannel, other: NewChannel): boolean {
  return one.name === other.name && one.category === other.category && one.topic === other.topic;
}

/** A plan that stays is harmless: the next start finds whose channel it is. */
async function forget({ storage, log }: Needs, planId: string): Promise<void> {
  try {
    await storage.newChannels.settle(planId);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    log.warn({ err: error, planId }, "that a channel was made could not be noted");
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ChatError && error.kind === "gone")) throw error;
}

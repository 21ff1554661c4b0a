import {
  ChannelType,
  type Client,
  Events,
  type NonThreadGuildBasedChannel,
  type RESTPostAPIGuildChannelJSONBody,
} from "discord.js";
import type { ChannelId } from "../../domain/ids.js";
import { ChatError } from "../../ports/chat.js";

interface Wanted {
  readonly guildId: string;
  readonly body: RESTPostAPIGuildChannelJSONBody;
}

/** More than fail in a quarter of an hour in which Discord is in trouble. */
const MAX_GIVEN_UP = 100;
const MAX_MADE = 1_000;

/**
 * Channels and categories that Discord makes after their command has failed: those that this
 * process asked for, and nobody was given. `discard` is called for each of them.
 */
export class LateChannels {
  readonly #discard: (channel: NonThreadGuildBasedChannel) => void;
  readonly #underWay = new Set<Wanted>();
  #givenUp: readonly Wanted[] = [];
  readonly #made = new Set<string>();
  /** Heard of, while the like of it is being made. */
  readonly #heard = new Map<string, NonThreadGuildBasedChannel>();

  constructor(client: Client, discard: (channel: NonThreadGuildBasedChannel) => void) {
    this.#discard = discard;
    client.on(Events.ChannelCreate, (channel) => {
      const isOurs = [...this.#underWay, ...this.#givenUp].some((one) => isLike(channel, one));
      if (!isOurs) return;
      this.#heard.set(channel.id, channel);
      this.#review();
    });
  }

  async making(wanted: Wanted, make: () => Promise<ChannelId>): Promise<ChannelId> {
    this.#underWay.add(wanted);
    try {
      const id = await make();
      this.#made.add(id);
      const [oldest] = this.#made;
      if (this.#made.size > MAX_MADE && oldest !== undefined) this.#made.delete(oldest);
      return id;
    } catch (error) {
      const isDoubtful = error instanceof ChatError && error.kind === "unknown";
      if (isDoubtful) this.#givenUp = [...this.#givenUp, wanted].slice(-MAX_GIVEN_UP);
      throw error;
    } finally {
      this.#underWay.delete(wanted);
      this.#review();
    }
  }

  /** Decides when nothing like it is under way: until then any channel may be the one that was meant. */
  #review(): void {
    for (const [id, channel] of this.#heard) {
      if ([...this.#underWay].some((one) => isLike(channel, one))) continue;
      this.#heard.delete(id);
      const late = this.#givenUp.find((one) => isLike(channel, one));
      if (this.#made.has(id) || late === undefined) continue;
      this.#givenUp = this.#givenUp.filter((one) => one !== late);
      this.#discard(channel);
    }
  }
}

function isLike(channel: NonThreadGuildBasedChannel, { guildId, body }: Wanted): boolean {
  return channel.guildId === guildId && isAsked(channel, body);
}

/** Discord may change the name of a text channel, so that one is known by its place and topic. */
export function isAsked(
  channel: NonThreadGuildBasedChannel,
  body: RESTPostAPIGuildChannelJSONBody,
): boolean {
  if (channel.type === ChannelType.GuildCategory) {
    return body.type === ChannelType.GuildCategory && channel.name === body.name;
  }
  return (
    channel.type === ChannelType.GuildText &&
    body.type === ChannelType.GuildText &&
    channel.parentId === body.parent_id &&
    (channel.topic ?? "") === body.topic
  );
}

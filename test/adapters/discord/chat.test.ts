import { type Channel, ChannelType, MessageType } from "discord.js";
import { asId, type ThreadId } from "../../../src/domain/ids.js";
import { conversationOf } from "../../../src/domain/message.js";
import { createChannel } from "../../../src/playground/world/channels.js";
import { describeChat } from "../chat/contract.js";
import { connect } from "./connected.js";

describeChat("Discord", async () => {
  const connected = await connect();
  const { chat, loopback, place } = connected;
  const { people, owner, channelId } = loopback;
  const thread = people.createThread(owner.id, channelId, "Details");
  return {
    chat,
    guildId: place.guildId,
    channel: place,
    thread: { ...place, threadId: asId<ThreadId>(thread.id) },
    lines: (at) =>
      connected
        .shown(conversationOf(at))
        // Discord itself says in the channel that there is a thread.
        .filter(({ type }) => type === MessageType.Default)
        .map(({ author, webhookId, content }) =>
          webhookId === null ? `(bot) ${content}` : `${author.username}: ${content}`,
        ),
    threadName: (id) => loopback.world.anyChannel(id).name,
    category: (id) => {
      const { parentId } = loopback.world.channel(id);
      return parentId === null ? undefined : loopback.world.channel(parentId).name;
    },
    async fillCategory(name) {
      const { world, guild } = loopback;
      const parent = createChannel(world, guild, { name, type: ChannelType.GuildCategory });
      for (let made = 0; made < 50; made += 1) {
        const type = ChannelType.GuildText;
        createChannel(world, guild, { name: `c${made}`, type, parentId: parent.id });
      }
      const known = () => connected.client.channels.cache.some((one) => isNamed(one, "c49"));
      await loopback.until(() => (known() ? true : undefined), "the full category");
    },
    async dropChannel(id) {
      people.deleteChannel(owner.id, id);
    },
    async dropThread(id) {
      const { client } = connected;
      await loopback.until(() => client.channels.cache.has(id) || undefined, "the thread");
      people.deleteChannel(owner.id, id);
      await loopback.until(() => !client.channels.cache.has(id) || undefined, "the thread's end");
    },
    async until(look) {
      await loopback.until(() => (look() ? true : undefined), "what was expected");
    },
    close: () => connected.close(),
  };
});

function isNamed(channel: Channel, name: string): boolean {
  return "name" in channel && channel.name === name;
}

import { MessageType } from "discord.js";
import { asId, type ThreadId } from "../../../src/domain/ids.js";
import { conversationOf } from "../../../src/domain/message.js";
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
    async dropChannel(id) {
      people.deleteChannel(owner.id, id);
    },
    async until(look) {
      await loopback.until(() => (look() ? true : undefined), "what was expected");
    },
    close: () => connected.close(),
  };
});

import { asId, type GuildId, type ThreadId } from "../../../src/domain/ids.js";
import type { Place } from "../../../src/domain/message.js";
import { RecordingChat } from "../../support/recordingChat.js";
import { describeChat } from "./contract.js";

describeChat("the double that records", async () => {
  const chat = new RecordingChat();
  const guildId = asId<GuildId>("900000000000000001");
  const channel: Place = { guildId, channelId: chat.addChannel({ guildId }), threadId: null };
  return {
    chat,
    guildId,
    channel,
    thread: { ...channel, threadId: asId<ThreadId>(chat.nextId()) },
    lines: (place) => chat.lines(place),
    threadName: (threadId) => chat.threads.get(threadId)?.name,
    category: (channelId) => chat.channels.get(channelId)?.category,
    async fillCategory(name) {
      for (let made = 0; made < 50; made += 1) chat.addChannel({ guildId, category: name });
    },
    async dropChannel(channelId) {
      chat.dropChannel(channelId);
    },
    async dropThread(threadId) {
      chat.dropThread(threadId);
    },
    async until(look) {
      if (!look()) throw new Error("It is not so.");
    },
    async close() {},
  };
});

/** What the double of the chat keeps. */
import type { Picture } from "../../src/domain/agent.js";
import type { ChannelId, GuildId, MessageId, ThreadId } from "../../src/domain/ids.js";
import type { Place } from "../../src/domain/message.js";
import type { Announcement, NewChannel, PersonaPost, WantedThread } from "../../src/ports/chat.js";

/** Something that a person could notice. */
export type Effect =
  | { readonly do: "post"; readonly messageId: MessageId; readonly post: PersonaPost }
  | {
      readonly do: "announce";
      readonly messageId: MessageId;
      readonly announcement: Announcement;
    }
  | {
      readonly do: "editAnnouncement";
      readonly messageId: MessageId;
      readonly change: Pick<Announcement, "text" | "buttons">;
    }
  | {
      readonly do: "editPost";
      readonly messageId: MessageId;
      readonly change: Pick<PersonaPost, "text" | "file">;
    }
  | { readonly do: "remove"; readonly messageId: MessageId }
  | { readonly do: "showTyping"; readonly place: Place }
  | { readonly do: "createCategory"; readonly guildId: GuildId; readonly name: string }
  | { readonly do: "createChannel"; readonly channelId: ChannelId; readonly channel: NewChannel }
  | { readonly do: "discardChannel"; readonly channelId: ChannelId }
  | { readonly do: "moveChannel"; readonly channelId: ChannelId; readonly category: string }
  | { readonly do: "setTopic"; readonly channelId: ChannelId; readonly topic: string }
  | {
      readonly do: "uploadPicture";
      readonly picture: Picture;
      readonly name: string;
      readonly image: Uint8Array;
    }
  | { readonly do: "discardPicture"; readonly picture: Picture }
  | { readonly do: "openThread"; readonly threadId: ThreadId; readonly thread: WantedThread };

/** A message that people see now. */
export type ShownMessage =
  | { readonly by: "persona"; readonly id: MessageId; readonly post: PersonaPost }
  | { readonly by: "bot"; readonly id: MessageId; readonly announcement: Announcement };

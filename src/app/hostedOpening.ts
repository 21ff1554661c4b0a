import { leftOutOf } from "../domain/files.js";
import type { HostedChat } from "../domain/hostedChat.js";
import type { Message } from "../domain/message.js";
import type { RoundEvent } from "../domain/round/round.js";
import { agentsOfChat } from "./hostedChats.js";
import { peopleIn } from "./opening.js";
import type { Services } from "./services.js";

/** What a hosted round begins with: the host, and who is a participant now. */
export async function hostedOpeningOf(
  services: Pick<Services, "storage">,
  chat: HostedChat,
  triggers: readonly Message[],
): Promise<Extract<RoundEvent, { type: "opened" }>> {
  const agents = await agentsOfChat(services, chat);
  const leftOut = leftOutOf(triggers);
  const debatePasses = triggers[0]?.debatePasses;
  return {
    type: "opened",
    members: agents.map(({ id, name, displayName }) => ({
      agentId: id,
      name,
      displayName,
      isMuted: false,
    })),
    hostId: chat.hostId,
    named: [],
    triggerIds: triggers.map((message) => message.id),
    startedBy: peopleIn(triggers),
    cap: 1,
    isAsk: false,
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(debatePasses === undefined ? {} : { debatePasses }),
  };
}

/** A round of the floor comes to its turn: how it finds the floor and the group. */
import { conversationOf } from "../domain/message.js";
import { entering } from "../domain/round/entering.js";
import type { ModeratedRound } from "../domain/round/moderated.js";
import type { Round } from "../domain/round/round.js";
import { membersOf } from "./opening.js";
import type { Done } from "./perform.js";
import type { Services } from "./services.js";

export async function enterFloor(
  services: Pick<Services, "storage">,
  { round, state }: { readonly round: Round; readonly state: ModeratedRound },
): Promise<Done> {
  const { storage } = services;
  const latest = await storage.floors.latest(conversationOf(round.place));
  const group = round.groupId === null ? null : await storage.groups.get(round.groupId);
  const found = {
    open: latest === null || latest.closedAtMs !== null ? null : latest,
    members: group === null ? state.members : await membersOf(services, group),
    hostId: group?.hostId ?? state.hostId,
  };
  return { events: [entering(round.id, state.floor, found)] };
}

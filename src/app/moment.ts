import { asId, compareSnowflakes, type MessageId, snowflakeAt } from "../domain/ids.js";
import { CLOCK_DIFFERENCE_MS } from "../domain/limits.js";
import { conversationOf, type Place } from "../domain/message.js";
import type { Services } from "./services.js";

/**
 * A snowflake with which this moment begins in a place, by Discord's clock and not by this
 * machine's: what was written there before is not greater, and what follows is. Where nobody asked,
 * it is the newest message that is known, or as long ago as the clocks may differ.
 */
export async function momentIn(
  { patientStorage, clock, sinceId }: MomentServices,
  place: Place,
): Promise<MessageId> {
  if (sinceId !== undefined) return sinceId;
  const earliest = asId<MessageId>(snowflakeAt(clock.now() - CLOCK_DIFFERENCE_MS));
  const newest = await patientStorage.messages.newestId(conversationOf(place));
  return newest !== null && compareSnowflakes(newest, earliest) > 0 ? newest : earliest;
}

export type MomentServices = Pick<Services, "patientStorage" | "clock"> & {
  readonly sinceId?: MessageId;
};

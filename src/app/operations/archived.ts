/** What people are told of something that was archived. */
import type { Unmoved } from "../archiving.js";
import { ARCHIVE_CATEGORY } from "../archiving.js";
import { channelLink } from "./show.js";

/** One line for each channel that stayed where it was. */
export function unmovedLines(unmoved: readonly Unmoved[]): readonly string[] {
  return unmoved.map(
    ({ channelId, problem }) =>
      `${channelLink(channelId)} could not be moved to the category ${ARCHIVE_CATEGORY}: ${problem} No agent answers there, and I try to move it again at my next start.`,
  );
}

import type { Place } from "../domain/message.js";
import type { Reply } from "../domain/round/common.js";
import type { WantedPost } from "../ports/chat.js";

/** A part of a reply as it is looked for where it may stand already. */
export function soughtPost(
  place: Place,
  { displayName, posted, seenThroughId }: Reply,
  { content }: { readonly content: string },
): WantedPost {
  return {
    place,
    personaName: displayName,
    text: content,
    afterId: posted.at(-1) ?? seenThroughId,
    except: posted,
  };
}

import { z } from "zod";
import { text } from "./fields.js";
import { memberHere, openGroupHere } from "./here.js";
import { withChannel } from "./inTurn.js";
import { sinceWhen } from "./muting.js";
import { defineOperation } from "./operation.js";
import { bold } from "./show.js";

/** Lets a muted member of a group take part again. */
export const unmute = defineOperation({
  name: "unmute",
  description: "Let a muted member of this group take part again",
  permission: "talker",
  input: z.object({
    agent: text({ description: "The member, by name or display name", suggests: "mutedMember" }),
  }),
  async run(context, given) {
    const { storage, topics } = context;
    const group = await openGroupHere(context);
    const agent = await memberHere(context, group, given.agent);
    const name = bold(agent.displayName);
    const isChanged = await withChannel(context, group, () =>
      storage.groups.setMuted(group.id, agent.id, false),
    );
    if (!isChanged) {
      return { text: `${name} is not muted here.` };
    }
    topics.groupChanged(group.id);
    return { text: [`${name} takes part again.`, ...sinceWhen(context)].join(" ") };
  },
});

import { z } from "zod";
import { text } from "./fields.js";
import { setMuted, sinceWhen } from "./muting.js";
import { defineOperation } from "./operation.js";
import { bold } from "./show.js";

/** Silences a member of a group: it is not judged and not handed to until it is unmuted. */
export const mute = defineOperation({
  name: "mute",
  description: "Silence a member of this group until it is unmuted",
  permission: "talker",
  input: z.object({
    agent: text({ description: "The member, by name or display name", suggests: "unmutedMember" }),
  }),
  async run(context, given) {
    const { group, agent, isChanged } = await setMuted(context, given.agent, true);
    const name = bold(agent.displayName);
    if (!isChanged) {
      return { text: `${name} is muted here already.` };
    }
    const after = await context.storage.groups.get(group.id);
    const isLast = after !== null && after.members.length === after.muted.length;
    return {
      text: [
        `${name} is muted here; \`/unmute\` brings it back.`,
        ...(isLast ? ["Now every member is muted, so nobody answers here."] : []),
        ...sinceWhen(context),
      ].join(" "),
    };
  },
});

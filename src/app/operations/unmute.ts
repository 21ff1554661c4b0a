import { z } from "zod";
import { text } from "./fields.js";
import { setMuted, sinceWhen } from "./muting.js";
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
    const { agent, isChanged } = await setMuted(context, given.agent, false);
    const name = bold(agent.displayName);
    if (!isChanged) {
      return { text: `${name} is not muted here.` };
    }
    return { text: [`${name} takes part again.`, ...sinceWhen(context)].join(" ") };
  },
});

import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import { archiveGroup } from "../archiving.js";
import { unmovedLines } from "./archived.js";
import { text } from "./fields.js";
import { activeGroup } from "./lookup.js";
import { defineOperation } from "./operation.js";
import { bold } from "./show.js";

/** Puts a group away; its members stay as they are. */
export const groupArchive = defineOperation({
  name: "group_archive",
  description: "Archive a group: nobody answers there any more; its members and texts stay",
  permission: "manager",
  input: z.object({
    group: text({ description: "The group, by name or display name", suggests: "group" }),
  }),
  async run(context, given) {
    const group = await activeGroup(context, given.group);
    const archived = await archiveGroup(context, group, context.asker);
    if (archived === null) {
      throw new UserError("conflict", `The group ${bold(group.displayName)} is archived.`);
    }
    const lines = [
      `The group ${bold(group.displayName)} is archived; \`/group_restore\` brings it back. Its members stay as they are.`,
      ...unmovedLines(archived.unmoved),
    ];
    return { text: lines.join("\n") };
  },
});

import { z } from "zod";
import { UserError } from "../../domain/errors.js";
import type { Group } from "../../domain/group.js";
import { archiveGroup } from "../archiving.js";
import { unmovedLines } from "./archived.js";
import { text } from "./fields.js";
import { anyGroup } from "./lookup.js";
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
    const group = await anyGroup(context, given.group);
    if (group.archivedAtMs !== null) throw archivedAlready(group);
    const archived = await archiveGroup(context, group, context.asker);
    if (archived === null) throw archivedAlready(group);
    const lines = [
      `The group ${bold(group.displayName)} is archived; \`/group_restore\` brings it back. Its members stay as they are.`,
      ...unmovedLines(archived.unmoved),
    ];
    return { text: lines.join("\n") };
  },
});

function archivedAlready({ displayName }: Group): UserError {
  return new UserError("conflict", `The group ${bold(displayName)} is archived already.`);
}

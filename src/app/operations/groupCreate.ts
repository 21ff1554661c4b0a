import { z } from "zod";
import type { Agent } from "../../domain/agent.js";
import { never } from "../../domain/errors.js";
import { GROUP_KINDS, type Group, type GroupKind } from "../../domain/group.js";
import { checkCategory, checkDisplayName } from "../../domain/names.js";
import { groupTopic } from "../../domain/topic.js";
import { makeChannel } from "../newChannels.js";
import { allOrNothing, type Done } from "./allOrNothing.js";
import { assertFree, storeOnce, taken, wantedName } from "./claim.js";
import { membersField, text } from "./fields.js";
import { defaultHost, hostOf, memberList, membersOf } from "./members.js";
import { type Answer, defineOperation, field, type OperationContext } from "./operation.js";
import { bold, channelLink, lackingLines } from "./show.js";

const input = z.object({
  display_name: text({ description: "The name that people see, 1-32 characters" }),
  members: membersField,
  name: text({
    description:
      "The permanent name: a-z, 0-9 and hyphens; made from the display name when left out",
  }).optional(),
  host: text({
    description:
      "The member that answers when nobody else does; else the coordinator, or the first",
    suggests: "agent",
  }).optional(),
  category: text({
    description: "The category of its channel: Groups (the default), or Groups-<suffix>",
    suggests: "groupCategory",
  }).optional(),
  kind: field(z.enum(GROUP_KINDS, { error: "A group is open, hosted or moderated" }), {
    description:
      "open (default): who has something to add; hosted: only the host; moderated: who is given a turn",
  }).optional(),
});

/** Makes a group and its channel. */
export const groupCreate = defineOperation({
  name: "group_create",
  description: "Put two to six agents in a group with a channel of its own",
  permission: "manager",
  input,
  run: (context, given) => allOrNothing(context, (done) => create(context, given, done)),
});

async function create(
  context: OperationContext,
  given: z.output<typeof input>,
  done: Done,
): Promise<Answer> {
  const { storage, chat, clock, ids, asker } = context;
  const kind = given.kind ?? "open";
  const displayName = checkDisplayName(given.display_name);
  const wanted = wantedName("group", displayName, given.name);
  const category = checkCategory(given.category ?? "Groups", "Groups");
  const members = await membersOf(context, given.members);
  const host =
    given.host === undefined ? defaultHost(members) : await hostOf(context, members, given.host);
  await assertFree(context, wanted);

  const topic = topicOf(displayName, members, host);
  const place = { guildId: asker.guildId, name: wanted.name, category, topic };
  const { channelId, settle } = await makeChannel(context, place, done);

  const group: Group = {
    id: ids.group(),
    guildId: asker.guildId,
    name: wanted.name,
    displayName,
    kind,
    category,
    channelId,
    members: members.map((member) => member.id),
    hostId: host.id,
    muted: [],
    createdAtMs: clock.now(),
    archivedAtMs: null,
  };
  const conflict = await storeOnce(
    () => storage.groups.create(group),
    async () => (await storage.groups.get(group.id)) !== null,
  );
  if (conflict !== null) throw taken(conflict, wanted);
  await settle();
  return {
    text: [
      `${bold(displayName)} is ready in ${channelLink(channelId)} with ${memberList(members)}; ${bold(host.displayName)} is the host.`,
      firstSteps(kind, host),
      ...lackingLines(chat.lacking(channelId)),
    ].join("\n"),
  };
}

/** How people begin there. */
function firstSteps(kind: GroupKind, host: Agent): string {
  switch (kind) {
    case "open":
      return "Write there, and those who have something to add will answer.";
    case "hosted":
      return `Write there: the others tell ${bold(host.displayName)} privately what they think, and it answers. \`!gc help\` shows how to change who is there.`;
    case "moderated":
      return "Nobody speaks there until given a turn: `/floor_open` opens the floor, `/floor_turns` gives turns.";
    default:
      return never(kind);
  }
}

function topicOf(displayName: string, members: readonly Agent[], host: Agent): string {
  return groupTopic(
    displayName,
    members.map((member) => ({
      displayName: member.displayName,
      isMuted: false,
      isHost: member.id === host.id,
    })),
  );
}

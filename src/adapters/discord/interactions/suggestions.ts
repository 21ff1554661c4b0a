import type { APIApplicationCommandOptionChoice } from "discord.js";
import { hostedChatIn } from "../../../app/hostedChats.js";
import type { FieldMeta } from "../../../app/operations/operation.js";
import type { Settings } from "../../../app/services.js";
import { never } from "../../../domain/errors.js";
import type { AgentId, ChannelId } from "../../../domain/ids.js";
import type { Place } from "../../../domain/message.js";
import type { Storage } from "../../../ports/storage.js";

type Choice = APIApplicationCommandOptionChoice<string>;
/** Where a person is typing: of a thread, the channel that it is under. */
type Where = Pick<Place, "guildId" | "channelId">;
interface Suggestion {
  readonly value: string;
  readonly label: string;
  /** How people may have typed it; absent: only its value. */
  readonly names?: readonly string[];
}

/** https://docs.discord.com/developers/interactions/application-commands#autocomplete */
const MAX_CHOICES = 25;
const CHOICE_CHARACTERS = 100;

/** What to offer for what a person has typed so far; of a list, for its last entry. */
export async function suggestionsFor(
  services: { readonly storage: Storage; readonly settings: Settings },
  where: Where,
  { suggests, option, isSeveral = option === "list" }: FieldMeta,
  typed: string,
): Promise<readonly Choice[]> {
  if (suggests === undefined) return [];
  const all = await offered(services, where, suggests);
  if (!isSeveral) return choices(all, typed, []);
  const entries = typed.split(",").map((entry) => entry.trim());
  return choices(all, entries.at(-1) ?? "", entries.slice(0, -1));
}

async function offered(
  { storage, settings }: { readonly storage: Storage; readonly settings: Settings },
  { guildId, channelId }: Where,
  suggests: NonNullable<FieldMeta["suggests"]>,
): Promise<readonly Suggestion[]> {
  switch (suggests) {
    case "agent":
    case "archivedAgent": {
      const agents = await storage.agents.list(guildId);
      return agents
        .filter(
          ({ archivedAtMs, channelId: home }) =>
            (archivedAtMs !== null || (home === null && suggests === "archivedAgent")) ===
            (suggests === "archivedAgent"),
        )
        .map(named);
    }
    case "group":
    case "archivedGroup": {
      const groups = await storage.groups.list(guildId);
      return groups
        .filter(({ archivedAtMs }) => (archivedAtMs !== null) === (suggests === "archivedGroup"))
        .map(named);
    }
    case "chat": {
      const groups = await offered({ storage, settings }, { guildId, channelId }, "group");
      const chats = await storage.hostedChats.list(guildId);
      return [
        ...groups,
        ...(await present(
          storage,
          chats.map(({ hostId }) => hostId),
        )),
      ];
    }
    case "participant":
      return present(storage, (await thoseThere(storage, channelId)).participants);
    case "outsider": {
      const { hostId, participants } = await thoseThere(storage, channelId);
      const agents = await storage.agents.list(guildId);
      return agents
        .filter(({ id, archivedAtMs }) => archivedAtMs === null && id !== hostId)
        .filter(({ id }) => !participants.includes(id))
        .map(named);
    }
    case "mutedMember":
    case "unmutedMember":
      return membersOf(storage, channelId, suggests === "mutedMember");
    case "agentCategory":
      return plainValues(["Agents", ...(await storage.agents.list(guildId)).map(categoryOf)]);
    case "groupCategory":
      return plainValues(["Groups", ...(await storage.groups.list(guildId)).map(categoryOf)]);
    case "model": {
      const own = (await storage.agents.list(guildId)).flatMap(({ model }) => model ?? []);
      return plainValues(["default", settings.model, ...own]);
    }
    default:
      return never(suggests);
  }
}

/** Who takes part in what goes on in a channel; in a group of another kind, its members. */
async function thoseThere(
  storage: Storage,
  channelId: ChannelId,
): Promise<{ readonly hostId: AgentId | null; readonly participants: readonly AgentId[] }> {
  const chat = await hostedChatIn({ storage }, channelId);
  if (chat !== null) return chat;
  const group = await storage.groups.byChannel(channelId);
  const owner = group === null ? await storage.agents.byChannel(channelId) : null;
  return { hostId: owner?.id ?? null, participants: group?.members ?? [] };
}

async function present(storage: Storage, ids: readonly AgentId[]): Promise<readonly Suggestion[]> {
  const agents = await Promise.all(ids.map((id) => storage.agents.get(id)));
  return agents
    .filter((agent) => agent !== null)
    .filter(({ archivedAtMs }) => archivedAtMs === null)
    .map(named);
}

/** Of the group whose channel it is; in another channel there are none. */
async function membersOf(
  storage: Storage,
  channelId: ChannelId,
  isMuted: boolean,
): Promise<readonly Suggestion[]> {
  const group = await storage.groups.byChannel(channelId);
  const ids = group?.members.filter((id) => group.muted.includes(id) === isMuted) ?? [];
  const agents = await Promise.all(ids.map((id) => storage.agents.get(id)));
  return agents.filter((agent) => agent !== null).map(named);
}

function named({ name, displayName }: { name: string; displayName: string }): Suggestion {
  const label = displayName === name ? name : `${displayName} (${name})`;
  return { value: name, label, names: [name, displayName] };
}

function categoryOf({ category }: { readonly category: string }): string {
  return category;
}

function plainValues(values: readonly string[]): readonly Suggestion[] {
  return [...new Set(values)].map((value) => ({ value, label: value }));
}

/** Those that begin with what was typed come before those that contain it. */
function choices(
  all: readonly Suggestion[],
  typed: string,
  entriesBefore: readonly string[],
): readonly Choice[] {
  const wanted = comparable(typed.replace(/^@/, ""));
  const rank = ({ value, label }: Suggestion) => {
    const texts = [comparable(value), comparable(label)];
    if (texts.some((text) => text.startsWith(wanted))) return 0;
    return texts.some((text) => text.includes(wanted)) ? 1 : 2;
  };
  const before = entriesBefore.map((entry) => comparable(entry.replace(/^@/, "")));
  const isFree = ({ value, names = [value] }: Suggestion) =>
    !names.some((name) => before.includes(comparable(name)));
  return all
    .filter((suggestion) => rank(suggestion) < 2 && isFree(suggestion))
    .sort((a, b) => rank(a) - rank(b))
    .map(({ value, label }) =>
      entriesBefore.length === 0
        ? { name: shortened(label), value }
        : listChoice([...entriesBefore, value].join(", ")),
    )
    .filter(({ value }) => value.length <= CHOICE_CHARACTERS)
    .slice(0, MAX_CHOICES);
}

function listChoice(value: string): Choice {
  return { name: shortened(value), value };
}

function shortened(text: string): string {
  return text.length <= CHOICE_CHARACTERS ? text : `${text.slice(0, CHOICE_CHARACTERS - 1)}…`;
}

function comparable(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim();
}

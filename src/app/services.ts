import type { Budgets } from "../domain/budget.js";
import type { AgentId, ChannelId, GroupId, RoleId, UserId } from "../domain/ids.js";
import type { Prices } from "../domain/prices.js";
import type { Chat } from "../ports/chat.js";
import type { Files } from "../ports/files.js";
import type { Model } from "../ports/model.js";
import type { Storage } from "../ports/storage.js";
import type { Clock, Ids, Log, Painter } from "../ports/system.js";
import type { Departures } from "./departures.js";
import type { EarlyChanges } from "./earlyChanges.js";
import type { Exclusive } from "./exclusive.js";
import type { Forgotten } from "./forgotten.js";
import type { Mailboxes, MailboxKey } from "./mailbox.js";
import type { Recheck } from "./recheck.js";
import type { Sight } from "./sight.js";
import type { Toolbox } from "./tools/tool.js";
import type { Topics } from "./topics.js";

/** What a person may set; read once at start. */
export interface Settings {
  /** Default model of agents. */
  readonly model: string;
  readonly judgeModel: string;
  /** Replies per round, 1 to 8. */
  readonly maxReplies: number;
  readonly judgeTimeoutMs: number;
  readonly turnTimeoutMs: number;
  /** How long a hosted round waits for its participants, in each pass. */
  readonly collectTimeoutMs: number;
  /** Tokens of transcript in a prompt, unless the agent has its own budget. */
  readonly seatTokenBudget: number;
  readonly hasStatusLine: boolean;
  /** Roles that may change agents and groups, beside Manage Channels. */
  readonly managerRoleIds: readonly RoleId[];
  /** Whether `!gc` commands that change something are for managers alone. */
  readonly isGcForManagers: boolean;
  /** Who may talk to agents; both empty: anyone who can write in the channel. */
  readonly talkRoleIds: readonly RoleId[];
  readonly talkUserIds: readonly UserId[];
  /** Tokens that may be used in a day. */
  readonly dailyTokens: Budgets;
  /** What models cost; empty: it is not known. */
  readonly prices: Prices;
}

/** The ports and the few things with state, as use cases take them. */
export interface Services {
  readonly storage: Storage;
  /** The same for work that goes on by itself: where the database fails for a while, it waits. */
  readonly patientStorage: Storage;
  readonly chat: Chat;
  readonly model: Model;
  readonly files: Files;
  readonly painter: Painter;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly topics: Topics;
  readonly recheck: Recheck;
  readonly earlyChanges: EarlyChanges;
  readonly forgotten: Forgotten;
  readonly sight: Sight;
  readonly mailboxes: Mailboxes<MailboxKey>;
  /**
   * Changes of one agent or group, and of one channel, one after another. What needs both takes its
   * turn at the agent or group first, so that no two wait for each other.
   */
  readonly exclusive: Exclusive<ChannelId | AgentId | GroupId>;
  /** Who leaves a chat while a round runs there. */
  readonly departures: Departures;
  readonly tools: Toolbox;
  readonly settings: Settings;
}

/** An open group on the application with doubles for the world: people write, and one reads the channel. */
import { type App, createApp } from "../../src/app/app.js";
import type { Agent } from "../../src/domain/agent.js";
import type { Group, GroupKind } from "../../src/domain/group.js";
import { asId, type MessageId, type UserId } from "../../src/domain/ids.js";
import type { Place } from "../../src/domain/message.js";
import type { RoundEvent } from "../../src/domain/round/round.js";
import type { ReceivedMessage } from "../../src/ports/chat.js";
import { addAgent, addGroup, aPerson, placeOf } from "./builders.js";
import { createTestServices, type TestOverrides, type TestServices } from "./services.js";

export interface Stage {
  readonly services: TestServices;
  readonly app: App;
  readonly group: Group;
  readonly place: Place;
  /** By display name. */
  readonly agents: Readonly<Record<string, Agent>>;
  /** A person's message as it arrives; not yet given to the application. */
  message(text: string, change?: Partial<ReceivedMessage>): ReceivedMessage;
  /** A person writes, and everything that follows is waited for. */
  say(text: string, change?: Partial<ReceivedMessage>): Promise<ReceivedMessage>;
  /** What stands in the channel, of agents and of the bot. */
  lines(): readonly string[];
  /** The journal of the newest round. */
  journal(): Promise<readonly RoundEvent[]>;
  close(): Promise<void>;
}

/** `members`: display names; the first is host unless `host` says otherwise. */
export async function openStage(
  options: {
    readonly members?: readonly string[];
    readonly host?: string;
    readonly kind?: GroupKind;
    readonly roles?: Readonly<Record<string, string>>;
    readonly overrides?: TestOverrides;
  } = {},
): Promise<Stage> {
  const services = await createTestServices(options.overrides);
  const agents: Record<string, Agent> = {};
  for (const displayName of options.members ?? ["Researcher", "Editor"]) {
    const prompt = options.roles?.[displayName] ?? `The role of ${displayName}.`;
    agents[displayName] = await addAgent(services, { displayName, prompt });
  }
  const host = agents[options.host ?? ""]?.id;
  const group = await addGroup(services, {
    displayName: "Review",
    members: Object.values(agents),
    kind: options.kind ?? "open",
    ...(host === undefined ? {} : { hostId: host }),
  });
  const place = placeOf(group);
  const app = createApp(services);

  const message = (text: string, change: Partial<ReceivedMessage> = {}): ReceivedMessage => ({
    id: asId<MessageId>(services.chat.nextId()),
    place,
    author: aPerson({ name: "Ana", userId: asId<UserId>("800000000000000009") }),
    text,
    attachments: [],
    replyToId: null,
    createdAtMs: services.clock.now(),
    editedAtMs: null,
    ...change,
  });

  return {
    services,
    app,
    group,
    place,
    agents,
    message,
    async say(text, change) {
      const received = message(text, change);
      await app.router.received(received);
      await app.onIdle();
      return received;
    },
    lines: () => services.chat.lines(place),
    async journal() {
      const round = await services.storage.rounds.latest(asId(place.channelId));
      if (round === null) return [];
      return (await services.storage.rounds.journal(round.id)).map((entry) => entry.event);
    },
    async close() {
      await app.onIdle();
      await services.storage.close();
    },
  };
}

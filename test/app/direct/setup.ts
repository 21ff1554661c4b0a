/** Agents' own channels on the application with doubles for the world. */
import { type App, createApp } from "../../../src/app/app.js";
import type { Agent } from "../../../src/domain/agent.js";
import { asId, type MessageId, type UserId } from "../../../src/domain/ids.js";
import { conversationOf, type Place } from "../../../src/domain/message.js";
import type { RoundEvent } from "../../../src/domain/round/round.js";
import type { Asker, ReceivedMessage } from "../../../src/ports/chat.js";
import type { ModelReply, ModelRequest } from "../../../src/ports/model.js";
import { addAgent, aManager, aPerson, placeOf } from "../../support/builders.js";
import type { Scripted } from "../../support/scriptedModel.js";
import {
  createTestServices,
  type TestOverrides,
  type TestServices,
} from "../../support/services.js";

export interface Direct {
  readonly services: TestServices;
  readonly app: App;
  readonly agents: Readonly<Record<string, Agent>>;
  readonly mona: Asker;
  readonly petra: Asker;
  /** The own channel of an agent. */
  place(displayName: string): Place;
  message(to: string, text: string, change?: Partial<ReceivedMessage>): ReceivedMessage;
  /** Mona, who may manage, writes to an agent, and everything that follows is waited for. */
  say(to: string, text: string, change?: Partial<ReceivedMessage>): Promise<ReceivedMessage>;
  lines(displayName: string): readonly string[];
  /** What stands in a thread of this name. */
  thread(name: string): readonly string[];
  /** The journal of the newest round in an agent's channel. */
  journal(displayName: string): Promise<readonly RoundEvent[]>;
  /** The results of all tools in that journal. */
  results(displayName: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Mona may manage channels, Petra may not. */
export async function openDirect(
  options: {
    readonly agents?: readonly string[];
    readonly overrides?: TestOverrides;
    readonly services?: TestServices;
  } = {},
): Promise<Direct> {
  const services = options.services ?? (await createTestServices(options.overrides));
  const agents: Record<string, Agent> = {};
  for (const displayName of options.agents ?? ["Coordinator", "Researcher", "Editor"]) {
    const prompt = `The role of ${displayName}.`;
    agents[displayName] = await addAgent(services, { displayName, prompt });
  }
  const mona = aManager({ userId: asId<UserId>("800000000000000011") });
  const petra = aPerson({ userId: asId<UserId>("800000000000000012") });
  for (const person of [mona, petra]) services.chat.people.set(person.userId, person);
  const app = createApp(services);
  const place = (displayName: string) => {
    const agent = agents[displayName];
    if (agent === undefined) throw new Error(`There is no ${displayName}.`);
    return placeOf(agent);
  };
  const message: Direct["message"] = (to, text, change = {}) => ({
    id: asId<MessageId>(services.chat.nextId()),
    place: place(to),
    author: mona,
    text,
    attachments: [],
    replyToId: null,
    createdAtMs: services.clock.now(),
    editedAtMs: null,
    ...change,
  });
  const journal: Direct["journal"] = async (displayName) => {
    const round = await services.storage.rounds.latest(conversationOf(place(displayName)));
    if (round === null) return [];
    return (await services.storage.rounds.journal(round.id)).map((entry) => entry.event);
  };
  return {
    services,
    app,
    agents,
    mona,
    petra,
    place,
    message,
    async say(to, text, change) {
      const received = message(to, text, change);
      await app.router.received(received);
      await app.onIdle();
      return received;
    },
    lines: (displayName) => services.chat.lines(place(displayName)),
    thread(name) {
      const found = [...services.chat.threads].find(([, thread]) => thread.name === name);
      if (found === undefined) throw new Error(`There is no thread ${name}.`);
      const [threadId, { channelId }] = found;
      return services.chat.lines({ channelId, threadId });
    },
    journal,
    async results(displayName) {
      return (await journal(displayName)).flatMap((event) =>
        event.type === "toolRan"
          ? [event.result]
          : event.type === "sending"
            ? [event.outgoing.result]
            : [],
      );
    },
    async close() {
      await app.onIdle();
      await services.storage.close();
    },
  };
}

let calls = 0;

/** An answer of a model that calls tools: name and arguments, in turn. */
export function calling(...uses: readonly (readonly [string, unknown])[]): Partial<ModelReply> {
  return {
    toolCalls: uses.map(([name, given]) => {
      calls += 1;
      const argumentsJson = typeof given === "string" ? given : JSON.stringify(given);
      return { id: `call_${calls}`, name, argumentsJson };
    }),
  };
}

/** Who a request is for, by the first line of its prompt. */
export function speaker({ messages }: ModelRequest): string {
  return /^You are (.+)\.$/mu.exec(messages[0]?.text ?? "")?.[1] ?? "nobody";
}

/** Answers for each agent, in its own order: agents are asked at the same time. */
export function cast(
  { services }: Direct,
  parts: Readonly<Record<string, readonly Scripted[]>>,
): void {
  const left = new Map(Object.entries(parts).map(([name, answers]) => [name, [...answers]]));
  const count = [...left.values()].reduce((sum, answers) => sum + answers.length, 0);
  for (let call = 0; call < count; call += 1) {
    services.model.answerTo("direct", (request) => {
      const answer = left.get(speaker(request))?.shift();
      if (answer === undefined) throw new Error(`${speaker(request)} has nothing to say.`);
      return answer;
    });
  }
}

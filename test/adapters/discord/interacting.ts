import { z } from "zod";
import type { Handlers } from "../../../src/adapters/discord/interactions/handlers.js";
import { startInteractions } from "../../../src/adapters/discord/interactions/start.js";
import { createPainter } from "../../../src/adapters/painter.js";
import { systemClock } from "../../../src/adapters/system.js";
import { defineOperation, type Operation } from "../../../src/app/operations/operation.js";
import type { Services } from "../../../src/app/services.js";
import type { People } from "../../../src/playground/people/people.js";
import { addAgent } from "../../support/builders.js";
import { createTestServices, type TestServices } from "../../support/services.js";
import { type Connected, connect } from "./connected.js";

/** A connected adapter whose commands and buttons people can use. */
export interface Interacting extends Connected {
  /** For storing what a test begins with. */
  readonly doubles: TestServices;
  start(handlers: Partial<Handlers>, change?: Partial<Services>): Promise<void>;
  /** The owner, or another person, uses a slash command in `general`. */
  use(path: string, values?: object, userId?: string): ReturnType<People["command"]>;
  /** Ben, who is no manager. */
  readonly memberId: string;
}

const NONE: Handlers = { commands: [], buttons: new Map(), menus: [] };

export async function connectInteracting(): Promise<Interacting> {
  const connected = await connect();
  const { loopback, client, chat, storage, log } = connected;
  const doubles = await createTestServices({ storage });
  const closing = new AbortController();
  const services: Services = {
    ...doubles,
    chat,
    painter: createPainter(),
    clock: systemClock,
    log,
  };
  const [ben] = loopback.members;
  if (ben === undefined) throw new Error("Ben is missing.");
  return {
    ...connected,
    async close() {
      closing.abort();
      await connected.close();
    },
    doubles,
    memberId: ben.id,
    start: (handlers, change = {}) =>
      startInteractions({
        client,
        sender: connected.gateway.sender,
        closing: closing.signal,
        services: { ...services, ...change },
        handlers: { ...NONE, ...handlers },
      }),
    use: (path, values = {}, userId = loopback.owner.id) =>
      loopback.people.command(userId, loopback.channelId, path, { ...values }),
  };
}

/** An operation that anybody may use, without input. */
export function anOperation(change: Partial<Operation>): Operation {
  return defineOperation({
    name: "probe",
    description: "A probe",
    permission: "anyone",
    input: z.object({}),
    run: async () => ({ text: "Done." }),
    ...change,
  }) as Operation;
}

/** `Agent 000`, `Agent 001`, … */
export async function manyAgents(
  { doubles, place }: Pick<Interacting, "doubles" | "place">,
  count: number,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const number = String(index).padStart(3, "0");
    await addAgent(doubles, {
      guildId: place.guildId,
      displayName: `Agent ${number}`,
      name: `agent-${number}`,
    });
  }
}

/** `Stop stop:1` for each button of a message. */
export function buttonsOf(
  message: { readonly components?: unknown } | null | undefined,
): readonly string[] {
  const rows = (message?.components ?? []) as readonly {
    readonly components: readonly { readonly custom_id: string; readonly label: string }[];
  }[];
  return rows.flatMap((row) =>
    row.components.map(({ label, custom_id }) => `${label} ${custom_id}`),
  );
}

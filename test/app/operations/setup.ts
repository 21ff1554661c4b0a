import { onTestFinished } from "vitest";
import { type Operation, runOperation } from "../../../src/app/operations/operation.js";
import { sentenceOf } from "../../../src/app/report.js";
import { asId, type ChannelId } from "../../../src/domain/ids.js";
import type { Asker } from "../../../src/ports/chat.js";
import { aManager, GUILD } from "../../support/builders.js";
import {
  createTestServices,
  type TestOverrides,
  type TestServices,
} from "../../support/services.js";

type Run = (operation: Operation, input: object, asker?: Asker) => Promise<string>;

export interface Setup extends TestServices {
  /** Runs an operation as a manager, or as the person given, and gives the answer. */
  readonly run: Run;
  /** The sentence with which an operation is refused or fails; an answer fails the test. */
  readonly refusal: Run;
}

export async function setUp(overrides: TestOverrides = {}): Promise<Setup> {
  const services = await createTestServices(overrides);
  onTestFinished(() => services.storage.close());
  const place = {
    guildId: GUILD,
    channelId: asId<ChannelId>("700000000000000001"),
    threadId: null,
  };
  const run: Run = async (operation, input, asker = aManager()) => {
    const answer = await runOperation(operation, { ...services, asker, place }, input);
    return answer.text;
  };
  return {
    ...services,
    run,
    refusal: async (operation, input, asker) => {
      let text: string;
      try {
        text = await run(operation, input, asker);
      } catch (error) {
        return sentenceOf(error);
      }
      throw new Error(`It was not refused: ${text}`);
    },
  };
}

/** The one element of a list. */
export function only<T>(list: readonly T[]): T {
  const [first, ...rest] = list;
  if (first === undefined || rest.length > 0) throw new Error(`One expected, not ${list.length}.`);
  return first;
}

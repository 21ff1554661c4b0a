/** An exchange of two agents with the process dying in the middle of it. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../../src/app/app.js";
import { createMailboxes } from "../../../src/app/mailbox.js";
import type { ModelRequest } from "../../../src/ports/model.js";
import { processEnd } from "../../support/processEnd.js";
import type { TestServices } from "../../support/services.js";
import { calling, type Direct, openDirect, speaker } from "./setup.js";

let direct: Direct;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(async () => {
  await direct.close();
  direct.services.model.assertDone();
});

describe("a message between agents", () => {
  it("goes on after a restart at every post, and posts nothing twice", async () => {
    for (const nth of [1, 2, 3, 4, 5, 6]) {
      for (const time of ["before", "after"] as const) {
        await killedAt(`post ${nth}, ${time}`, ({ chat }, life) => {
          const post = chat.post.bind(chat);
          let count = 0;
          chat.post = async (...given) => {
            life.assert();
            count += 1;
            if (count !== nth) return post(...given);
            if (time === "after") await post(...given);
            return life.end();
          };
        });
      }
    }
  });

  it("goes on after a restart at every write of a journal, and posts nothing twice", async () => {
    for (let nth = 1; nth <= 16; nth += 1) {
      for (const time of ["before", "after"] as const) {
        await killedAt(`write ${nth}, ${time}`, ({ storage }, life) => {
          const append = storage.rounds.append.bind(storage.rounds);
          let count = 0;
          storage.rounds.append = async (...given) => {
            life.assert();
            count += 1;
            if (count !== nth) return append(...given);
            if (time === "after") await append(...given);
            return life.end();
          };
        });
      }
    }
  });

  /** One exchange, with the process dying where `arm` says; nothing of that moment is written down. */
  async function killedAt(
    where: string,
    arm: (services: Armed, life: Life) => void,
  ): Promise<void> {
    await direct.close();
    direct = await openDirect();
    const { services } = direct;
    // A turn whose outcome was not written down is asked for again.
    for (let call = 0; call < 8; call += 1) {
      services.model.answerTo("direct", (request) => {
        const last = request.messages.at(-1)?.text ?? "";
        if (speaker(request) === "Researcher") return "In 1912.";
        if (last.startsWith("Sent")) return "Asked.";
        if (last.includes("has answered")) return "1912.";
        return calling(["message_agent", { to: "Researcher", text: "When?" }]);
      });
    }
    const life = new Life();
    arm(services, life);
    await direct.app.router.received(direct.message("Editor", "Ask."));
    await direct.app.onIdle();
    life.beginAnew();
    const again = createApp({ ...services, mailboxes: createMailboxes(services.log) });
    await again.resume();
    await again.onIdle();
    const exchange = ["Editor: When?", "Researcher: In 1912."];
    expect([where, direct.lines("Researcher")]).toEqual([where, exchange]);
    expect([where, direct.thread("→ Researcher")]).toEqual([where, exchange]);
    expect([where, direct.lines("Editor")]).toEqual([where, ["Editor: Asked.", "Editor: 1912."]]);
    const left = 8 - services.model.requests.length;
    for (let count = 0; count < left; count += 1) await services.model.complete(UNUSED);
  }
});

/** Of the process: after its end nothing is done in any of its channels. */
class Life {
  #isOver = false;

  assert(): void {
    if (this.#isOver) throw processEnd();
  }
  end(): never {
    this.#isOver = true;
    throw processEnd();
  }
  beginAnew(): void {
    this.#isOver = false;
  }
}

type Armed = { -readonly [K in "chat" | "storage"]: TestServices[K] };
const UNUSED: ModelRequest = { purpose: "direct", model: "none", messages: [], timeoutMs: 1 };

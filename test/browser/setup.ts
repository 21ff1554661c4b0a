import { Client, type ClientEvents, Events, GatewayIntentBits, type TextChannel } from "discord.js";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { pageFiles } from "../../src/playground/web/routes.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { BROWSER, skipReason } from "./browser.js";

const ARGUMENTS =
  "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-quic".split(
    " ",
  );

/** How long the page may take to show something. */
const PATIENCE_MS = 10_000;

export interface Stage {
  readonly loopback: TestLoopback;
  readonly page: Page;
  /** The application: an unmodified discord.js, logged in. */
  readonly client: Client<true>;
  readonly general: TextChannel;
  /** Errors that the page met; none may be left at the end of a test. */
  readonly problems: string[];
  /** Where one writes. */
  readonly text: Locator;
  /** The message with that text. */
  readonly message: (words: string) => Locator;
  /** Answers the next event of that kind. */
  readonly on: <E extends keyof ClientEvents>(
    event: E,
    act: (...given: ClientEvents[E]) => unknown,
  ) => void;
}

/**
 * Tests of the page in a browser. `stage` gives each test a new server, a new application and a
 * new page on which the owner Ada has the channel `general` open.
 */
export function describeInBrowser(what: string, tests: (stage: () => Stage) => void): void {
  const name = skipReason === undefined ? what : `${what} (skipped: ${skipReason})`;
  describe.skipIf(skipReason !== undefined)(name, () => {
    let browser: Browser;
    let stage: Stage;
    let problems: string[];

    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: BROWSER, args: ARGUMENTS });
    });
    afterAll(() => browser.close());

    beforeEach(async () => {
      problems = [];
      stage = await openStage(browser, problems);
    });
    afterEach(async () => {
      await stage.page.context().close();
      await stage.client.destroy();
      await stage.loopback.close();
      expect(problems, "errors in the page").toEqual([]);
    });

    tests(() => stage);
  });
}

async function openStage(browser: Browser, problems: string[]): Promise<Stage> {
  const loopback = await startTestLoopback({ extend: pageFiles });
  const client = await login(loopback);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // A refused request is logged by the browser itself; tests look at what the page says then.
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) problems.push(message.text());
  });
  await page.goto(loopback.url);
  const text = page.getByRole("textbox", { name: "Write in #general" });
  await text.waitFor();
  return {
    loopback,
    page,
    client,
    general: (await client.channels.fetch(loopback.channelId)) as TextChannel,
    problems,
    text,
    message: (words) => page.getByRole("article").filter({ hasText: words }),
    on(event, act) {
      client.once(event, (...given) => {
        void (async () => act(...given))().catch((error: unknown) => problems.push(String(error)));
      });
    },
  };
}

async function login(loopback: TestLoopback): Promise<Client<true>> {
  const client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.GuildWebhooks,
      GatewayIntentBits.GuildMessageReactions,
      GatewayIntentBits.MessageContent,
    ],
    rest: { api: loopback.apiUrl, retries: 0 },
  });
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(loopback.token);
  return ready;
}

import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pageFiles } from "../../src/playground/web/routes.js";
import { startTestLoopback, type TestLoopback } from "../support/loopback.js";
import { describeInBrowser } from "./setup.js";

describeInBrowser("the page when the connection breaks", (stage) => {
  let line: Line;
  let second: TestLoopback | undefined;

  beforeEach(async () => {
    line = await openLine(stage().loopback.port);
    await stage().page.goto(line.url);
  });
  afterEach(async () => {
    await line.close();
    await second?.close();
  });

  test("it says so, connects again, and shows what happened meanwhile", async () => {
    const { loopback, page, message, text } = stage();
    const old = loopback.people.post(loopback.owner.id, loopback.channelId, "gone later");
    await message("gone later").waitFor();
    await line.cut();
    await page.getByText("The playground does not answer. Trying again…").waitFor();
    loopback.people.post(loopback.owner.id, loopback.channelId, "meanwhile");
    loopback.people.remove(loopback.owner.id, loopback.channelId, old.id);
    await text.fill("lost?");
    await text.press("Enter");
    await page.getByRole("alert").getByText("Is it still running?").waitFor();
    expect(await text.inputValue()).toBe("lost?");
    await line.repair(loopback.port);
    await message("meanwhile").waitFor();
    await message("gone later").waitFor({ state: "detached" });
    await page
      .getByText("The playground does not answer. Trying again…")
      .waitFor({ state: "hidden" });
  });

  test("it goes on in another world when the playground was started anew", async () => {
    const { page } = stage();
    await page.getByRole("heading", { name: "Workshop" }).waitFor();
    second = await startTestLoopback({
      extend: pageFiles,
      guild: { name: "Second", ownerName: "Zoe" },
    });
    await line.cut();
    await line.repair(second.port);
    await page.getByRole("heading", { name: "Second" }).waitFor();
    const who = page.getByRole("combobox", { name: "You write as" });
    await expect.poll(() => who.locator("option:checked").textContent()).toBe("Zoe");
  });
});

/** A line to a server that can be cut and repaired. */
interface Line {
  readonly url: string;
  cut(): Promise<void>;
  repair(targetPort: number): Promise<void>;
  close(): Promise<void>;
}

async function openLine(targetPort: number): Promise<Line> {
  const sockets = new Set<Socket>();
  let target = targetPort;
  const server = createServer((socket) => {
    const far = connect(target, "127.0.0.1");
    for (const end of [socket, far]) {
      sockets.add(end);
      end.on("close", () => sockets.delete(end));
      // A cut line is what these tests are about.
      end.on("error", () => end.destroy());
    }
    socket.pipe(far).pipe(socket);
  });
  const port = await listen(server, 0);
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: `http://127.0.0.1:${port}/`,
    cut,
    async repair(newTarget) {
      target = newTarget;
      await listen(server, port);
    },
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

import { expect, test } from "vitest";
import { describeInBrowser } from "./setup.js";

const PHONE = { width: 390, height: 844 };

describeInBrowser("the look of the page", (stage) => {
  test("on a phone the channels are in a drawer, and nothing is wider than the screen", async () => {
    const { general, page, message } = stage();
    await general.guild.channels.create({ name: "review" });
    await general.send(`${"long".repeat(80)}\n\`\`\`\n${"code ".repeat(80)}\n\`\`\``);
    await page.setViewportSize(PHONE);
    await message("long").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
    const link = page.getByRole("link", { name: "review" });
    await link.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Channels" }).click();
    await link.click();
    await page.getByRole("heading", { name: "# review" }).waitFor();
    await link.waitFor({ state: "hidden" });
  });

  test("the colours follow the system, until one chooses", async () => {
    const { page } = stage();
    const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.emulateMedia({ colorScheme: "light" });
    const light = await paper();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.getByRole("button", { name: "Colours: system" }).press("Enter");
    await page.getByRole("button", { name: "Colours: light" }).waitFor();
    expect(await paper()).toBe(light);
    await page.reload();
    await page.getByRole("button", { name: "Colours: light" }).waitFor();
    expect(await paper()).toBe(light);
  });

  test("the arrow keys lead from message to message", async () => {
    const { general, page, message } = stage();
    await general.send("one");
    await general.send("two");
    await message("two").focus();
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => page.locator("article:focus").textContent()).toContain("one");
    await page.keyboard.press("End");
    await expect.poll(() => page.locator("article:focus").textContent()).toContain("two");
  });

  test("the focus stays where it is when something happens elsewhere", async () => {
    const { general, page } = stage();
    await general.guild.channels.create({ name: "first" });
    await page.getByRole("link", { name: "first" }).focus();
    const focused = () => page.locator(":focus").getAttribute("href");
    const href = await focused();
    await general.guild.channels.create({ name: "second" });
    await page.getByRole("link", { name: "second" }).waitFor();
    expect(await focused()).toBe(href);
    await page.getByRole("button", { name: "Colours: system" }).press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Colours: dark" }).waitFor();
  });

  test("a quote and a link to a message lead to it", async () => {
    const { loopback, general, page, message } = stage();
    const first = await general.send("The very first one");
    for (let index = 0; index < 40; index += 1) {
      loopback.people.post(loopback.owner.id, loopback.channelId, `message ${index}`);
    }
    await general.send(`See ${first.url}`);
    await message("See").getByRole("link").click();
    await expect
      .poll(() => page.locator("article:focus").textContent())
      .toContain("The very first");
    await page.getByRole("button", { name: "Newest messages" }).click();
    await first.reply("Right");
    await message("Right").getByRole("link").click();
    await expect
      .poll(() => page.locator("article:focus").textContent())
      .toContain("The very first");
  });

  test("everything that can be pressed or filled in has a name", async () => {
    const { page, text, message } = stage();
    await text.fill("Hello");
    await text.press("Enter");
    await message("Hello").hover();
    for (const role of ["button", "textbox", "combobox", "link"] as const) {
      const all = page.getByRole(role);
      const named = page.getByRole(role, { name: /\S/ });
      expect(await named.count()).toBe(await all.count());
    }
  });
});

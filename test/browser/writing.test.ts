import { Events } from "discord.js";
import { expect, test } from "vitest";
import { describeInBrowser } from "./setup.js";

describeInBrowser("writing on the page", (stage) => {
  test("Enter sends what was written, and Shift+Enter begins a new line", async () => {
    const { client, text, message } = stage();
    const received = new Promise<string>((resolve) => {
      client.once(Events.MessageCreate, ({ content }) => resolve(content));
    });
    await text.pressSequentially("first");
    await text.press("Shift+Enter");
    await text.pressSequentially("second");
    await text.press("Enter");
    expect(await received).toBe("first\nsecond");
    await message("first").waitFor();
    expect(await text.inputValue()).toBe("");
  });

  test("one writes as the person that one has chosen, also after a reload", async () => {
    const { loopback, page, text, message } = stage();
    await page.getByRole("combobox", { name: "You write as" }).selectOption("Ben");
    await page.reload();
    await text.fill("It is me");
    await text.press("Enter");
    await message("It is me").getByText("Ben", { exact: true }).waitFor();
    const [posted] = [...(loopback.world.messages.get(loopback.channelId)?.values() ?? [])];
    expect(posted?.author.id).toBe(loopback.members[0]?.id);
  });

  test("a reply names the message that it answers", async () => {
    const { client, general, page, text, message } = stage();
    const question = await general.send("Which colour?");
    const received = new Promise<string | undefined>((resolve) => {
      client.on(Events.MessageCreate, (reply) => {
        if (reply.content === "Blue.") resolve(reply.reference?.messageId);
      });
    });
    await message("Which colour?").hover();
    await message("Which colour?").getByRole("button", { name: "Reply" }).click();
    await page.getByText("Replying to Parley").waitFor();
    await text.fill("Blue.");
    await text.press("Enter");
    expect(await received).toBe(question.id);
    await message("Blue.").getByText("Which colour?").waitFor();
    await page.getByText("Replying to Parley").waitFor({ state: "hidden" });
  });

  test("Arrow up changes one's last message, and Escape leaves it as it was", async () => {
    const { client, page, text, message } = stage();
    await text.fill("frist");
    await text.press("Enter");
    await message("frist").waitFor();
    const editor = page.getByRole("textbox", { name: "Edit message" });
    await text.press("ArrowUp");
    await editor.fill("never");
    await editor.press("Escape");
    await message("frist").waitFor();
    const edited = new Promise<string>((resolve) => {
      client.once(Events.MessageUpdate, (_old, { content }) => resolve(content));
    });
    await text.press("ArrowUp");
    await editor.fill("first");
    await editor.press("Enter");
    expect(await edited).toBe("first");
    await message("first").getByText("(edited)").waitFor();
  });

  test("a message is deleted from its menu, by keyboard alone", async () => {
    const { client, page, text, message } = stage();
    await text.fill("a slip");
    await text.press("Enter");
    await message("a slip").waitFor();
    await message("a slip").focus();
    for (const name of ["Edit", "Reply", "More actions"]) {
      await page.keyboard.press("Tab");
      await expect.poll(() => page.locator(":focus").getAttribute("aria-label")).toBe(name);
    }
    const deleted = new Promise((resolve) => client.once(Events.MessageDelete, resolve));
    await page.keyboard.press("Enter");
    const entry = page.getByRole("menuitem", { name: "Delete message" });
    await entry.waitFor();
    while ((await page.locator(":focus").textContent()) !== "Delete message") {
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Enter");
    await deleted;
    await message("a slip").waitFor({ state: "detached" });
  });

  test("a refusal is said in a sentence, and the text is given back", async () => {
    const { page, loopback, text } = stage();
    loopback.guild.roles.forEach((role) => Object.assign(role, { permissions: 0x400n }));
    await page.getByRole("combobox", { name: "You write as" }).selectOption("Ben");
    await text.fill("May I?");
    await text.press("Enter");
    const notice = page.getByRole("alert");
    expect(await notice.textContent()).toMatch(/^[A-Z].+/);
    await expect.poll(() => text.inputValue()).toBe("May I?");
    await notice.getByRole("button", { name: "Dismiss" }).click();
    await notice.waitFor({ state: "detached" });
  });

  test("files are chosen, taken away again, and sent", async () => {
    const { client, page, text } = stage();
    const received = new Promise<readonly (string | null)[]>((resolve) => {
      client.once(Events.MessageCreate, ({ attachments }) =>
        resolve(attachments.map((attachment) => attachment.name)),
      );
    });
    const buffer = Buffer.from("words");
    await page
      .locator("#composer input[type=file]")
      .setInputFiles(["a.txt", "b.txt"].map((name) => ({ name, mimeType: "text/plain", buffer })));
    await page.getByRole("button", { name: "Remove a.txt" }).click();
    await text.press("Enter");
    expect(await received).toEqual(["b.txt"]);
    await page.getByRole("link", { name: "b.txt 5 B" }).waitFor();
  });

  test("a thread grows from a message, and one writes in it", async () => {
    const { client, page, text, message } = stage();
    await text.fill("A big topic");
    await text.press("Enter");
    await message("A big topic").hover();
    await message("A big topic").getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Create thread" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Details");
    await page.getByRole("button", { name: "Create thread" }).click();
    const received = new Promise<boolean>((resolve) => {
      client.on(Events.MessageCreate, ({ content, channel }) => {
        if (content === "In here") resolve(channel.isThread());
      });
    });
    const inThread = page.getByRole("textbox", { name: "Write in Details" });
    await inThread.fill("In here");
    await inThread.press("Enter");
    expect(await received).toBe(true);
    await page.getByRole("heading").getByRole("link", { name: "#general" }).click();
    await message("A big topic").getByRole("link", { name: "Details" }).click();
    await message("In here").waitFor();
  });

  test("a channel is deleted after a question", async () => {
    const { client, general, page } = stage();
    await general.guild.channels.create({ name: "old-news" });
    await page.getByRole("link", { name: "old-news" }).click();
    await page.getByRole("button", { name: "Channel actions" }).click();
    await page.getByRole("menuitem", { name: "Delete channel" }).click();
    const deleted = new Promise((resolve) => client.once(Events.ChannelDelete, resolve));
    await page.getByRole("dialog").getByRole("button", { name: "Delete channel" }).click();
    await deleted;
    await page.getByRole("link", { name: "old-news" }).waitFor({ state: "detached" });
  });

  test("a name is completed after @", async () => {
    const { general, text, page, message } = stage();
    const webhook = await general.createWebhook({ name: "Parley" });
    await webhook.send({ content: "Hello", username: "Copy Editor" });
    await message("Hello").waitFor();
    await text.pressSequentially("Please @cop");
    await page.getByRole("option", { name: "@Copy Editor" }).waitFor();
    await text.press("Tab");
    expect(await text.inputValue()).toBe("Please @Copy Editor ");
  });

  test("a reaction is added from the menu and taken back by a press", async () => {
    const { client, general, page, message } = stage();
    await general.send("Good news");
    const added = new Promise<string | null>((resolve) => {
      client.once(Events.MessageReactionAdd, ({ emoji }) => resolve(emoji.name));
    });
    await message("Good news").hover();
    await message("Good news").getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "🎉" }).click();
    expect(await added).toBe("🎉");
    const reaction = message("Good news").getByRole("button", { name: "🎉, 1" });
    await reaction.click();
    await reaction.waitFor({ state: "detached" });
  });
});

import { ChannelType, EmbedBuilder, Events, MessageFlags } from "discord.js";
import { expect, test } from "vitest";
import { describeInBrowser } from "./setup.js";

/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describeInBrowser("reading on the page", (stage) => {
  test("a new message appears with its author, and the application's with a mark", async () => {
    const { loopback, general, message } = stage();
    loopback.people.post(loopback.members[0]?.id ?? "", loopback.channelId, "Hello from Ben");
    await message("Hello from Ben").getByText("Ben", { exact: true }).waitFor();
    expect(await message("Hello from Ben").getByText("App", { exact: true }).count()).toBe(0);
    await general.send("Hello from the application");
    await message("Hello from the application").getByText("App", { exact: true }).waitFor();
  });

  test("a persona has its own name and the picture that was uploaded for it", async () => {
    const { client, general, message } = stage();
    const emoji = await client.application.emojis.create({ name: "editor", attachment: PNG });
    const webhook = await general.createWebhook({ name: "Parley" });
    await webhook.send({ content: "Shorter.", username: "Editor", avatarURL: emoji.imageURL() });
    const shown = message("Shorter.");
    await shown.getByText("Editor", { exact: true }).waitFor();
    await expect.poll(() => shown.locator("img.avatar").getAttribute("src")).toContain(emoji.id);
  });

  test("messages of one author stand together under one head", async () => {
    const { general, page, message } = stage();
    await general.send("one");
    await general.send("two");
    await message("two").waitFor();
    expect(await page.getByText("App", { exact: true }).count()).toBe(1);
  });

  test("markdown, names and small text are shown", async () => {
    const { loopback, general, page } = stage();
    await general.send(
      `**bold** <@${loopback.owner.id}> <#${loopback.channelId}> [site](https://example.org/)\n-# small\n- item\n\`\`\`js\nlet a = "<b>";\n\`\`\`\n||secret||`,
    );
    await page.locator("strong", { hasText: "bold" }).waitFor();
    await page.getByText("@Ada", { exact: true }).waitFor();
    const messages = page.getByRole("log");
    await messages.getByRole("link", { name: "#general" }).waitFor();
    const link = messages.getByRole("link", { name: "site" });
    expect(await link.getAttribute("href")).toBe("https://example.org/");
    expect(await page.locator(".small").textContent()).toBe("small");
    expect(await page.locator("pre").textContent()).toBe('let a = "<b>";');
    expect(await messages.getByRole("listitem").textContent()).toBe("item");
  });

  test("a spoiler is read after it was pressed", async () => {
    const { general, page } = stage();
    await general.send("||the butler||");
    const spoiler = page.getByRole("button", { name: "Spoiler: press to read" });
    await spoiler.press("Enter");
    await page.locator(".spoiler.open", { hasText: "the butler" }).waitFor();
    expect(await spoiler.count()).toBe(0);
  });

  test("hostile text stays text, in messages, names, topics, embeds and file names", async () => {
    const { general, page, message, loopback } = stage();
    const hostile = '<img src=x onerror="document.title=1"><script>alert(1)</script>';
    const webhook = await general.createWebhook({ name: "Parley" });
    await general.setTopic(hostile);
    await webhook.send({
      content: `${hostile} [press](javascript:alert(1)) <javascript:alert(1)>`,
      username: "<b>Eve</b>",
      embeds: [new EmbedBuilder().setTitle(hostile).setDescription(hostile)],
      files: [{ attachment: Buffer.from("<script>alert(1)</script>"), name: "a.html" }],
    });
    const shown = message("<b>Eve</b>");
    await shown.getByText(hostile).first().waitFor();
    await page.locator(".topic", { hasText: hostile }).waitFor();
    expect(await page.locator("#messages script, #messages img, #messages b").count()).toBe(0);
    const addresses = await shown.getByRole("link").evaluateAll(addressesOf);
    expect(addresses).toEqual([expect.stringMatching(new RegExp(`^${loopback.url}/attachments/`))]);
    const file = await fetch(String(addresses[0]));
    expect(file.headers.get("content-security-policy")).toContain("sandbox");
  });

  test("a script that came in from elsewhere is not run", async () => {
    const { page, problems } = stage();
    const ran = await page.evaluate(`
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      window.ran === true;
    `);
    expect(ran).toBe(false);
    await expect.poll(() => problems).toHaveLength(1);
    expect(problems.splice(0)[0]).toContain("Content Security Policy");
  });

  test("an edit is marked and a deletion vanishes", async () => {
    const { general, message } = stage();
    const sent = await general.send("frist");
    await message("frist").waitFor();
    await sent.edit("first");
    await message("first").getByText("(edited)").waitFor();
    await sent.delete();
    await message("first").waitFor({ state: "detached" });
  });

  test("a reply quotes its message, and says so when that is gone", async () => {
    const { general, message } = stage();
    const first = await general.send("Which **colour**?");
    await first.reply("Blue.");
    const reply = message("Blue.");
    await reply.getByText("Which colour?").waitFor();
    await first.delete();
    await reply.getByText("The original message is gone.").waitFor();
  });

  test("pictures are shown, and other files are linked with their size", async () => {
    const { general, page } = stage();
    await general.send({
      files: [
        { attachment: PNG, name: "dot.png" },
        { attachment: Buffer.from("a".repeat(2048)), name: "notes.txt" },
      ],
    });
    const picture = page.getByRole("img", { name: "dot.png" });
    await expect.poll(() => picture.evaluate(widthOf)).toBe(1);
    await page.getByRole("link", { name: "notes.txt 2 KB" }).waitFor();
  });

  test("who is typing is shown until the message comes", async () => {
    const { loopback, general, page, message } = stage();
    await general.sendTyping();
    const line = page.getByText("Parley is typing…");
    await line.waitFor();
    await general.send("Done");
    await message("Done").waitFor();
    await line.waitFor({ state: "detached" });
    loopback.people.type(loopback.members[0]?.id ?? "", loopback.channelId);
    await page.getByText("Ben is typing…").waitFor();
  });

  test("channels stand below their categories, with their threads, as they come and go", async () => {
    const { loopback, general, page } = stage();
    const category = await general.guild.channels.create({
      name: "Groups",
      type: ChannelType.GuildCategory,
    });
    const channel = await general.guild.channels.create({ name: "review", parent: category.id });
    const group = page.getByRole("region", { name: "Groups" });
    await group.getByRole("link", { name: "review" }).waitFor();
    const thread = await channel.threads.create({ name: "Chapter one" });
    await group.getByRole("link", { name: "Chapter one" }).waitFor();
    loopback.people.deleteChannel(loopback.owner.id, thread.id);
    await group.getByRole("link", { name: "Chapter one" }).waitFor({ state: "detached" });
    await channel.edit({ name: "reviews" });
    await group.getByRole("link", { name: "reviews" }).click();
    await page.getByRole("heading", { name: "# reviews" }).waitFor();
    await channel.delete();
    await page.getByRole("textbox", { name: "Write in #general" }).waitFor();
  });

  test("a channel with something new is marked until it is opened", async () => {
    const { loopback, general, page } = stage();
    const channel = await general.guild.channels.create({ name: "review" });
    await channel.send(`Look, <@${loopback.owner.id}>`);
    const link = page.getByRole("link", { name: "review, unread, calls for you: 1" });
    await link.click();
    await page.getByRole("link", { name: "review", exact: true }).waitFor();
    await link.waitFor({ state: "detached" });
  });

  test("older messages come when one scrolls up", async () => {
    const { loopback, page, message } = stage();
    for (let index = 1; index <= 120; index += 1) {
      loopback.people.post(loopback.owner.id, loopback.channelId, `message no. ${index}.`);
    }
    await page.reload();
    await message("no. 120.").waitFor();
    expect(await message("no. 1.").count()).toBe(0);
    await expect
      .poll(async () => {
        await page.locator("#scroll").evaluate(toStart);
        return message("no. 1.").count();
      })
      .toBe(1);
  });

  test("another person does not see what only the first may see", async () => {
    const { client, loopback, page, message, on } = stage();
    await client.application.commands.create({ name: "secret", description: "Tells" });
    on(Events.InteractionCreate, (interaction) => {
      if (interaction.isRepliable())
        return interaction.reply({ content: "psst", flags: MessageFlags.Ephemeral });
      return undefined;
    });
    loopback.people.command(loopback.owner.id, loopback.channelId, "secret");
    await message("psst").waitFor();
    await page.getByRole("combobox", { name: "You write as" }).selectOption("Ben");
    await message("psst").waitFor({ state: "detached" });
    loopback.people.post(loopback.owner.id, loopback.channelId, "for all");
    await message("for all").waitFor();
    expect(await message("psst").count()).toBe(0);
  });
});

// These run in the page.
const widthOf = (image: unknown) => (image as { naturalWidth: number }).naturalWidth;
const addressesOf = (links: unknown[]) => links.map((link) => (link as { href: string }).href);
const toStart = (scroll: unknown) => {
  (scroll as { scrollTop: number }).scrollTop = 0;
};

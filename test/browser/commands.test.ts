import {
  ActionRowBuilder,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Events,
  MessageFlags,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from "discord.js";
import { expect, test } from "vitest";
import { describeInBrowser, type Stage } from "./setup.js";

/** Source: docs, Application Command Option Types. */
const OPTION = { subcommand: 1, string: 3, integer: 4, boolean: 5, attachment: 11 } as const;

const COMMANDS = [
  { name: "help", description: "How to begin" },
  {
    name: "ask",
    description: "Asks one agent",
    options: [
      {
        name: "agent",
        description: "Who",
        type: OPTION.string,
        required: true,
        autocomplete: true,
      },
      { name: "text", description: "What", type: OPTION.string, required: true },
      { name: "times", description: "How often", type: OPTION.integer, min_value: 1, max_value: 3 },
      { name: "loudly", description: "How", type: OPTION.boolean },
      {
        name: "tone",
        description: "The tone",
        type: OPTION.string,
        choices: [{ name: "Very kind", value: "kind" }],
      },
      { name: "paper", description: "A file", type: OPTION.attachment },
    ],
  },
  {
    name: "gc",
    description: "The group",
    options: [
      { name: "list", description: "Who is in it", type: OPTION.subcommand },
      {
        name: "debate",
        description: "A debate",
        type: OPTION.subcommand,
        options: [
          { name: "topic", description: "About what", type: OPTION.string, required: true },
        ],
      },
    ],
  },
  { name: "Why this?", type: ApplicationCommandType.Message },
] as const;

const AGENTS = ["Editor", "Researcher", "Planner"];

describeInBrowser("commands on the page", (stage) => {
  test("/ lists the commands with what they do, and typing on narrows the list", async () => {
    const { page, text } = await withCommands(stage());
    await text.pressSequentially("/");
    await page.getByRole("option", { name: "/ask Asks one agent" }).waitFor();
    expect(await page.getByRole("listbox").getByRole("option").count()).toBe(4);
    await text.pressSequentially("deb");
    await expect.poll(() => page.getByRole("listbox").getByRole("option").count()).toBe(1);
    await text.press("Enter");
    await page.getByRole("form", { name: "/gc debate" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => text.inputValue()).toBe("");
  });

  test("a command without options runs with two keys, and only the asker sees the answer", async () => {
    const { page, text, message } = await withCommands(stage());
    answer(stage(), (interaction) =>
      interaction.reply({ content: `This is /${interaction.commandName}`, flags: EPHEMERAL }),
    );
    await text.pressSequentially("/help");
    await page.getByRole("option", { name: "/help" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("form", { name: "/help" }).waitFor();
    await page.keyboard.press("Enter");
    const shown = message("This is /help");
    await shown.getByText("Only you can see this.").waitFor();
    await shown.getByText("Ada").waitFor();
    await shown.getByRole("button", { name: "Dismiss" }).click();
    await shown.waitFor({ state: "detached" });
    await stage().general.send("Something later");
    await page.reload();
    await message("Something later").waitFor();
    expect(await shown.count()).toBe(0);
  });

  test("required options are fields at once, others are added, and all arrive as meant", async () => {
    const { page, text } = await withCommands(stage());
    const values = new Promise<unknown>((resolve) => {
      answer(stage(), async ({ options, ...interaction }) => {
        resolve([
          options.getString("agent"),
          options.getString("text"),
          options.getInteger("times"),
          options.getBoolean("loudly"),
          options.getString("tone"),
          options.getAttachment("paper")?.name,
        ]);
        expect(interaction.channelId).toBe(stage().loopback.channelId);
      });
    });
    await text.fill("/ask ");
    const form = page.getByRole("form", { name: "/ask" });
    await form.getByRole("button", { name: "Run" }).click();
    await form.getByText("Fill in agent.").waitFor();
    await form.getByRole("combobox", { name: "agent" }).pressSequentially("plan");
    await page.getByRole("option", { name: "Planner" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await form.getByRole("textbox", { name: "text" }).fill("When?\nWhere?");
    for (const name of ["times", "loudly", "tone", "paper"]) {
      await form.getByRole("button", { name: `+ ${name}` }).click();
    }
    await form.getByRole("spinbutton", { name: "times" }).fill("2");
    await form.getByRole("combobox", { name: "loudly" }).selectOption("no");
    await form.getByRole("combobox", { name: "tone" }).selectOption("Very kind");
    const file = { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") };
    await form.getByLabel("paper").setInputFiles(file);
    await form.getByRole("button", { name: "Run" }).click();
    expect(await values).toEqual(["planner", "When?\nWhere?", 2, false, "kind", "a.txt"]);
  });

  test("a command that was pasted with its options is filled in", async () => {
    const { page, text } = await withCommands(stage());
    const values = new Promise<unknown>((resolve) => {
      answer(stage(), async ({ options }) =>
        resolve([options.getString("agent"), options.getString("text")]),
      );
    });
    await text.fill("/ask agent: Editor text: Is it good: yes or no?");
    await page.getByRole("form", { name: "/ask" }).getByRole("button", { name: "Run" }).click();
    expect(await values).toEqual(["Editor", "Is it good: yes or no?"]);
  });

  test("a refused command says why and keeps what was filled in", async () => {
    const { page, text } = await withCommands(stage());
    await text.fill("/ask agent: Editor text: Hi times: 7");
    const form = page.getByRole("form", { name: "/ask" });
    await form.getByRole("button", { name: "Run" }).click();
    await form.getByRole("alert").getByText("times").waitFor();
    expect(await form.getByRole("textbox", { name: "text" }).inputValue()).toBe("Hi");
  });

  test("a deferred answer is awaited visibly", async () => {
    const { text, page, message } = await withCommands(stage());
    const deferred = new Promise<ChatInputCommandInteraction>((resolve) => {
      answer(stage(), async (interaction) => {
        await interaction.deferReply();
        resolve(interaction);
      });
    });
    await text.fill("/help ");
    await page.getByRole("form", { name: "/help" }).getByRole("button", { name: "Run" }).click();
    await message("Parley is thinking…").waitFor();
    await (await deferred).editReply("Thought.");
    await message("Thought.").waitFor();
    await message("is thinking…").waitFor({ state: "detached" });
  });

  test("a command that nobody answers is said to have failed", async () => {
    const { client, text, page } = await withCommands(stage());
    client.removeAllListeners(Events.InteractionCreate);
    await text.fill("/help ");
    const form = page.getByRole("form", { name: "/help" });
    await form.getByRole("button", { name: "Run" }).click();
    await form.getByText("Parley did not answer in time.").waitFor();
  });

  test("a button is pressed, and its message changes", async () => {
    const { general, on, message } = stage();
    const stop = new ButtonBuilder()
      .setCustomId("stop")
      .setLabel("Stop")
      .setStyle(ButtonStyle.Danger);
    await general.send({
      content: "Writing …",
      components: [new ActionRowBuilder<ButtonBuilder>().addComponents(stop)],
    });
    on(Events.InteractionCreate, (interaction) =>
      interaction.isButton() ? interaction.update({ content: "Stopped.", components: [] }) : null,
    );
    await message("Writing …").getByRole("button", { name: "Stop" }).click();
    await message("Stopped.").waitFor();
    await expect
      .poll(() => message("Stopped.").getByRole("button", { name: "Stop" }).count())
      .toBe(0);
  });

  test("something is chosen from a select", async () => {
    const { general, on, page, message } = stage();
    const select = new StringSelectMenuBuilder()
      .setCustomId("page")
      .setPlaceholder("Which page?")
      .addOptions({ label: "One", value: "1" }, { label: "Two", value: "2" });
    await general.send({
      content: "Pages",
      components: [new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(select)],
    });
    on(Events.InteractionCreate, (interaction) =>
      interaction.isStringSelectMenu()
        ? interaction.update({ content: `Page ${interaction.values.join()}`, components: [] })
        : null,
    );
    await page.getByRole("combobox", { name: "Which page?" }).selectOption("Two");
    await message("Page 2").waitFor();
  });

  test("a modal is filled in", async () => {
    const { client, text, page, message } = await withCommands(stage());
    const input = new TextInputBuilder()
      .setCustomId("why")
      .setLabel("Why?")
      .setStyle(TextInputStyle.Paragraph);
    const modal = new ModalBuilder()
      .setCustomId("reason")
      .setTitle("A reason")
      .addComponents(new ActionRowBuilder<TextInputBuilder>().addComponents(input));
    answer(stage(), (interaction) => interaction.showModal(modal));
    await text.fill("/help ");
    await page.getByRole("form", { name: "/help" }).getByRole("button", { name: "Run" }).click();
    const dialog = page.getByRole("dialog", { name: "A reason" });
    await dialog.getByRole("textbox", { name: "Why?" }).fill("Because.");
    client.once(Events.InteractionCreate, (interaction) => {
      if (!interaction.isModalSubmit()) return;
      void interaction.reply(`So: ${interaction.fields.getTextInputValue("why")}`);
    });
    await dialog.getByRole("button", { name: "Submit" }).click();
    await message("So: Because.").waitFor();
    await dialog.waitFor({ state: "detached" });
  });

  test("a command for a message is in the menu of the message", async () => {
    const { general, on, page, message } = await withCommands(stage());
    await general.send("The sky is green.");
    on(Events.InteractionCreate, (interaction) =>
      interaction.isMessageContextMenuCommand()
        ? interaction.reply({
            content: `Why “${interaction.targetMessage.content}”? No idea.`,
            flags: EPHEMERAL,
          })
        : null,
    );
    await message("The sky is green.").hover();
    await message("The sky is green.").getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Why this?" }).click();
    await message("Why “The sky is green.”? No idea.").waitFor();
  });
});

const EPHEMERAL = MessageFlags.Ephemeral;

/** Registers the commands and offers agents for `/ask`. */
async function withCommands(stage: Stage): Promise<Stage> {
  const { client } = stage;
  await client.application.commands.set(COMMANDS, stage.loopback.guild.id);
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const typed = interaction.options.getFocused().toLowerCase();
    const found = AGENTS.filter((name) => name.toLowerCase().startsWith(typed));
    void interaction.respond(found.map((name) => ({ name, value: name.toLowerCase() })));
  });
  return stage;
}

/** Answers slash commands from now on. */
function answer(
  { client, problems }: Stage,
  act: (interaction: ChatInputCommandInteraction) => Promise<unknown>,
): void {
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    act(interaction).catch((error: unknown) => problems.push(String(error)));
  });
}

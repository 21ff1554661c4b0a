import type {
  PlaygroundCommand,
  PlaygroundInteraction,
  PlaygroundMessage,
  RunCommand,
} from "../../peopleApi.js";
import { api, Refusal } from "./api.js";
import type { Chat } from "./chat.js";
import { openModal } from "./dialog.js";

type Command = Omit<RunCommand, "user" | "channel">;

/** What the person does in the open channel. Each deed may throw a `Refusal`. */
export class Deeds {
  readonly #chat: Chat;
  /** Interactions begun here whose answer had not come with the request. */
  readonly #awaited = new Set<string>();
  #lastTypingMs = 0;

  constructor(chat: Chat) {
    this.#chat = chat;
    chat.onInteraction((interaction) => {
      if (!this.#awaited.has(interaction.id) || interaction.state === "pending") return;
      this.#awaited.delete(interaction.id);
      this.#show(interaction);
    });
  }

  async send(content: string, files: readonly File[], replyTo?: string): Promise<void> {
    const { user, channel } = this.#place();
    const reply = replyTo === undefined ? {} : { replyTo };
    this.#lastTypingMs = 0;
    this.#chat.take(await api.send(channel, { user, content, ...reply }, files));
  }

  async edit(message: PlaygroundMessage, content: string): Promise<void> {
    await api.edit(message.channelId, message.id, { user: this.#chat.userId, content });
  }

  async remove(message: PlaygroundMessage): Promise<void> {
    await api.remove(message.channelId, message.id, this.#chat.userId);
  }

  async react(message: PlaygroundMessage, emoji: string, isOn: boolean): Promise<void> {
    await api.react(isOn, message.channelId, message.id, emoji, this.#chat.userId);
  }

  /** Tells the others that this person is writing, not more often than needed. */
  async type(): Promise<void> {
    const nowMs = Date.now();
    if (nowMs - this.#lastTypingMs < TYPING_EVERY_MS) return;
    this.#lastTypingMs = nowMs;
    const { user, channel } = this.#place();
    try {
      await api.typing(channel, user);
    } catch (error) {
      // Whoever may not write here hears it when sending.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  /** Creates a thread in the open channel and goes there. */
  async createThread(name: string, message?: PlaygroundMessage): Promise<void> {
    const { user, channel } = this.#place();
    const start = message === undefined ? {} : { message: message.id };
    const thread = await api.createThread(channel, { user, name, ...start });
    this.#chat.addChannel(thread);
    location.hash = thread.id;
  }

  async deleteChannel(): Promise<void> {
    const { user, channel } = this.#place();
    await api.deleteChannel(channel, user);
  }

  /** The commands that the person may use in the open channel. */
  async commands(): Promise<readonly PlaygroundCommand[]> {
    const { user, channel } = this.#place();
    const guild = this.#chat.guild?.id;
    return guild === undefined ? [] : api.commands(guild, user, channel);
  }

  async run(command: Command, files: readonly (readonly [string, File])[]): Promise<void> {
    this.#follow(await api.run({ ...this.#place(), ...command }, files));
  }

  async use(message: string, customId: string, values?: readonly string[]): Promise<void> {
    const chosen = values === undefined ? {} : { values };
    this.#follow(await api.press({ ...this.#place(), message, customId, ...chosen }));
  }

  #place(): { readonly user: string; readonly channel: string } {
    const { channel, userId } = this.#chat;
    if (!channel) throw new Refusal("Choose a channel first.");
    return { user: userId, channel: channel.id };
  }

  #follow(interaction: PlaygroundInteraction): void {
    if (interaction.state === "failed") {
      throw new Refusal(`${this.#chat.applicationName} did not answer in time.`);
    }
    if (interaction.state === "pending") this.#awaited.add(interaction.id);
    this.#show(interaction);
  }

  #show(interaction: PlaygroundInteraction): void {
    if (interaction.message) this.#chat.take(interaction.message);
    if (!interaction.modal) return;
    openModal(interaction.modal, async (values) => {
      const { userId: user } = this.#chat;
      this.#follow(await api.submit({ user, interaction: interaction.id, values }));
    });
  }
}

/** A typing notice lasts ten seconds. */
const TYPING_EVERY_MS = 8_000;

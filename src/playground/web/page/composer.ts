import type { PlaygroundMessage } from "../../peopleApi.js";
import type { Chat } from "./chat.js";
import { CommandForm } from "./commandForm.js";
import {
  matchingCommands,
  readCommandText,
  type SlashCommand,
  slashCommands,
  type WrittenCommand,
} from "./commandText.js";
import type { Deeds } from "./deeds.js";
import { byId, fill, h, icon, iconButton } from "./dom.js";
import { callableNames, nameBefore } from "./names.js";
import { attempt } from "./notices.js";
import { Suggestions } from "./suggestions.js";

export interface ComposerOptions {
  readonly chat: Chat;
  readonly deeds: Deeds;
  /** Arrow up in the empty line. */
  readonly editLast: () => void;
}

const MAX_LENGTH = 2000;

/** The line in which one writes, with reply, files, and the list of commands after `/`. */
export class Composer {
  readonly #options: ComposerOptions;
  readonly #text = h("textarea", { id: "text", rows: 1, class: "text" });
  readonly #send = iconButton("send", "Send", () => this.#submit());
  readonly #files = h("ul", { class: "chosen-files" });
  readonly #reply = h("div", { class: "replying", hidden: true });
  readonly #slot = h("div", {});
  readonly #line: HTMLElement;
  readonly #suggestions: Suggestions;
  readonly #drafts = new Map<string, string>();
  #channelId = "";
  #replyTo: PlaygroundMessage | null = null;
  #chosenFiles: readonly File[] = [];
  #commands: readonly SlashCommand[] | null = null;

  constructor(options: ComposerOptions) {
    this.#options = options;
    this.#suggestions = new Suggestions(this.#text, "Suggestions");
    const picker = h("input", { type: "file", multiple: true, hidden: true });
    picker.addEventListener("change", () => {
      this.#addFiles(picker.files);
      picker.value = "";
    });
    this.#line = h(
      "div",
      { class: "line" },
      iconButton("attach", "Attach files", () => picker.click()),
      picker,
      this.#text,
      this.#send,
    );
    fill(byId("composer"), h("div", { id: "popup" }), this.#slot);
    this.#listen();
  }

  /** Another channel or person. */
  reset(): void {
    const { channel } = this.#options.chat;
    this.#drafts.set(this.#channelId, this.#text.value);
    this.#channelId = channel?.id ?? "";
    this.#commands = null;
    this.#replyTo = null;
    this.#chosenFiles = [];
    this.#text.value = this.#drafts.get(this.#channelId) ?? "";
    const where = channel ? `${channel.kind === "thread" ? "" : "#"}${channel.name}` : "";
    const label = channel ? `Write in ${where}` : "Choose a channel";
    const hasRoom = matchMedia("(width >= 760px)").matches;
    this.#text.placeholder = channel && hasRoom ? `${label}, or / for commands` : label;
    this.#text.setAttribute("aria-label", label);
    this.#text.disabled = !channel;
    this.#showLine();
  }

  replyTo(message: PlaygroundMessage): void {
    this.#replyTo = message;
    this.#showLine();
    this.#text.focus();
  }

  focus(): void {
    this.#text.focus();
  }

  #listen(): void {
    this.#text.addEventListener("input", () => this.#typed());
    this.#text.addEventListener("keydown", (event) => this.#key(event));
    this.#text.addEventListener("paste", (event) => {
      if (this.#addFiles(event.clipboardData?.files)) event.preventDefault();
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.#addFiles(event.dataTransfer?.files);
    });
  }

  #key(event: KeyboardEvent): void {
    if (this.#suggestions.takesKey(event) || event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === "ArrowUp" && this.#text.value === "") {
      event.preventDefault();
      this.#options.editLast();
    } else if (event.key === "Escape" && this.#replyTo) {
      this.#replyTo = null;
      this.#showLine();
    }
  }

  #typed(): void {
    const { value } = this.#text;
    if (value.startsWith("/")) {
      // Commands may have come or gone since they were last wanted.
      if (value === "/") this.#commands = null;
      attempt(() => this.#offerCommands());
      return;
    }
    this.#offerNames();
    if (value.trim() !== "") attempt(() => this.#options.deeds.type());
  }

  async #offerCommands(): Promise<void> {
    const commands = await this.#loadCommands();
    const { value } = this.#text;
    // The answer may come after the line was changed again.
    if (!value.startsWith("/")) return;
    const written = readCommandText(value, commands);
    if (written) {
      this.#beginCommand(written);
      return;
    }
    const found = value.includes("\n") ? [] : matchingCommands(commands, value.slice(1));
    this.#suggestions.show(
      found.map((command) => ({
        label: `/${command.path}`,
        detail: command.description,
        choose: () => this.#beginCommand({ command, values: {} }),
      })),
      true,
    );
  }

  async #loadCommands(): Promise<readonly SlashCommand[]> {
    this.#commands ??= slashCommands(await this.#options.deeds.commands());
    return this.#commands;
  }

  #offerNames(): void {
    const { value, selectionStart } = this.#text;
    const typed = nameBefore(value.slice(0, selectionStart));
    const { chat } = this.#options;
    const found = typed === undefined ? [] : callableNames(chat.channel, chat.feed?.messages ?? []);
    const fitting = found.filter((name) =>
      name.toLowerCase().startsWith(typed?.toLowerCase() ?? ""),
    );
    this.#suggestions.show(
      fitting.map((name) => ({
        label: `@${name}`,
        choose: () => {
          const from = selectionStart - (typed?.length ?? 0);
          this.#text.setRangeText(`${name} `, from, selectionStart, "end");
        },
      })),
      true,
    );
  }

  #beginCommand(written: WrittenCommand): void {
    this.#suggestions.hide();
    this.#text.value = "";
    const { chat, deeds } = this.#options;
    const form = new CommandForm({
      chat,
      deeds,
      written,
      close: () => {
        if (!form.element.isConnected) return;
        this.#showLine();
        this.#text.focus();
      },
    });
    fill(this.#slot, form.element);
    form.focus();
  }

  #submit(): void {
    const { value } = this.#text;
    if (!value.startsWith("/")) {
      this.#post(value);
      return;
    }
    attempt(async () => {
      const written = readCommandText(`${value} `, await this.#loadCommands());
      if (written) this.#beginCommand(written);
      else this.#post(value);
    });
  }

  #post(content: string): void {
    const files = this.#chosenFiles;
    if (content.trim() === "" && files.length === 0) return;
    const replyTo = this.#replyTo?.id;
    this.#text.value = "";
    this.#replyTo = null;
    this.#chosenFiles = [];
    this.#showLine();
    attempt(async () => {
      try {
        await this.#options.deeds.send(content, files, replyTo);
      } catch (error) {
        // A text that was not taken is given back, unless another one was begun.
        if (this.#text.value === "") this.#text.value = content;
        this.#chosenFiles = files;
        this.#showLine();
        throw error;
      }
    });
  }

  #addFiles(files: FileList | null | undefined): boolean {
    if (!files || files.length === 0) return false;
    this.#chosenFiles = [...this.#chosenFiles, ...files];
    this.#showLine();
    return true;
  }

  #showLine(): void {
    const replyTo = this.#replyTo;
    this.#reply.hidden = replyTo === null;
    fill(
      this.#reply,
      icon("reply"),
      h("span", {}, "Replying to ", h("strong", {}, replyTo?.author.name ?? "")),
      iconButton("close", "Do not reply", () => {
        this.#replyTo = null;
        this.#showLine();
        this.#text.focus();
      }),
    );
    this.#files.hidden = this.#chosenFiles.length === 0;
    fill(
      this.#files,
      ...this.#chosenFiles.map((file) =>
        h(
          "li",
          {},
          icon("file"),
          file.name,
          iconButton("close", `Remove ${file.name}`, () => {
            this.#chosenFiles = this.#chosenFiles.filter((other) => other !== file);
            this.#showLine();
          }),
        ),
      ),
    );
    this.#text.maxLength = MAX_LENGTH;
    if (!this.#line.isConnected) fill(this.#slot, this.#reply, this.#files, this.#line);
  }
}

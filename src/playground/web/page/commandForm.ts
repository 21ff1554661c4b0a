import type { OptionValue } from "../../peopleApi.js";
import { api } from "./api.js";
import type { Chat } from "./chat.js";
import type { SlashCommand, WrittenCommand } from "./commandText.js";
import type { Deeds } from "./deeds.js";
import { h, iconButton } from "./dom.js";
import { explain } from "./notices.js";
import { type OptionField, optionField } from "./optionField.js";

export interface CommandFormOptions {
  readonly chat: Chat;
  readonly deeds: Deeds;
  readonly written: WrittenCommand;
  /** Called after it ran, and when the person gives it up. */
  readonly close: () => void;
}

/** The options of a slash command as fields: required ones at once, others when added. */
export class CommandForm {
  readonly element: HTMLFormElement;
  readonly #options: CommandFormOptions;
  readonly #command: SlashCommand;
  readonly #fields: OptionField[] = [];
  readonly #fieldset = h("div", { class: "fields" });
  readonly #further = h("div", { class: "row further" });
  readonly #problem = h("p", { class: "problem", role: "alert" });
  readonly #submit = h("button", { type: "submit", class: "button primary" }, "Run");

  constructor(options: CommandFormOptions) {
    this.#options = options;
    this.#command = options.written.command;
    const { path, description } = this.#command;
    this.element = h(
      "form",
      { class: "command", "aria-label": `/${path}`, novalidate: true },
      h(
        "header",
        {},
        h("strong", { class: "command-name" }, `/${path}`),
        h("span", { class: "faint" }, description),
        iconButton("close", "Give up this command", options.close),
      ),
      this.#fieldset,
      this.#further,
      this.#problem,
      h("div", { class: "row end" }, this.#submit),
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#run();
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) options.close();
    });
    for (const option of this.#command.options) {
      const text = options.written.values[option.name];
      if (option.required || text !== undefined) this.#add(option.name, text);
    }
    this.#showFurther();
  }

  /** Puts the cursor into the first field that is to be filled in. */
  focus(): void {
    const empty = this.#fields.find((field) => field.value() === undefined);
    (empty?.input ?? this.#fields.at(-1)?.input ?? this.#submit).focus();
  }

  #add(name: string, text?: string): void {
    const option = this.#command.options.find((known) => known.name === name);
    if (!option) return;
    const field = optionField(option, {
      guild: this.#options.chat.guild,
      suggest: (focused, typed) => this.#suggest(focused, typed),
      submit: () => this.#run(),
    });
    if (text !== undefined) field.write(text);
    this.#fields.push(field);
    this.#fieldset.append(field.element);
  }

  /** Buttons for the options that may be added. */
  #showFurther(): void {
    const open = this.#fields.map((field) => field.option.name);
    const rest = this.#command.options.filter(({ name }) => !open.includes(name));
    this.#further.hidden = rest.length === 0;
    this.#further.replaceChildren(
      ...rest.map((option) =>
        h(
          "button",
          {
            type: "button",
            class: "chip",
            title: option.description,
            on: {
              click: () => {
                this.#add(option.name);
                this.#showFurther();
                this.#fields.at(-1)?.input.focus();
              },
            },
          },
          `+ ${option.name}`,
        ),
      ),
    );
  }

  async #suggest(focused: string, typed: string) {
    const { chat } = this.#options;
    const { options } = this.#values();
    const { choices } = await api.suggest({
      user: chat.userId,
      channel: chat.channel?.id ?? "",
      command: this.#command.path,
      focused,
      options: { ...options, [focused]: typed },
    });
    return choices;
  }

  #values(): {
    readonly options: Readonly<Record<string, OptionValue>>;
    readonly files: readonly (readonly [string, File])[];
  } {
    const options: Record<string, OptionValue> = {};
    const files: (readonly [string, File])[] = [];
    for (const field of this.#fields) {
      const value = field.value();
      if (value instanceof File) files.push([field.option.name, value]);
      else if (value !== undefined) options[field.option.name] = value;
    }
    return { options, files };
  }

  #run(): void {
    if (this.#submit.disabled) return;
    const missing = this.#fields.find(
      (field) => field.option.required && field.value() === undefined,
    );
    this.#problem.textContent = missing ? `Fill in ${missing.option.name}.` : "";
    if (missing) {
      missing.input.focus();
      return;
    }
    const { options, files } = this.#values();
    this.#submit.disabled = true;
    this.#options.deeds
      .run({ command: this.#command.path, options }, files)
      .then(() => this.#options.close())
      .catch((error: unknown) => {
        // What was filled in stays, to be corrected.
        if (error instanceof Error && this.element.isConnected) {
          this.#problem.textContent = error.message;
        } else {
          explain(error);
        }
      })
      .finally(() => {
        this.#submit.disabled = false;
      });
  }
}

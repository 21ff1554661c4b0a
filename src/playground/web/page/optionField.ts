import type {
  APIApplicationCommandBasicOption,
  APIApplicationCommandOptionChoice,
} from "discord-api-types/v10";
import type { OptionValue, PlaygroundGuild } from "../../peopleApi.js";
import { OPTION } from "./discord.js";
import { h } from "./dom.js";
import { never } from "./never.js";
import { explain } from "./notices.js";
import { type Suggestion, Suggestions } from "./suggestions.js";

export interface OptionField {
  readonly option: APIApplicationCommandBasicOption;
  readonly element: HTMLElement;
  readonly input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
  /** undefined while nothing is filled in. */
  value(): OptionValue | File | undefined;
  /** Fills in what was typed elsewhere. */
  write(text: string): void;
}

export interface FieldContext {
  readonly guild: PlaygroundGuild | undefined;
  /** Asks the application how the option may go on; `typed` is its text so far. */
  readonly suggest: (
    option: string,
    typed: string,
  ) => Promise<readonly APIApplicationCommandOptionChoice[]>;
  /** Enter was pressed in the field. */
  readonly submit: () => void;
}

const SUGGEST_AFTER_MS = 150;

export function optionField(
  option: APIApplicationCommandBasicOption,
  context: FieldContext,
): OptionField {
  switch (option.type) {
    case OPTION.string:
    case OPTION.integer:
    case OPTION.number: {
      const { choices = [] } = option;
      if (choices.length > 0) {
        return selectField(
          option,
          choices.map(({ name, value }) => [value, name]),
        );
      }
      if (option.autocomplete === true) return suggestField(option, context);
      return option.type === OPTION.string
        ? textField(option, context)
        : numberField(option, context);
    }
    case OPTION.boolean:
      return selectField(option, [
        [true, "yes"],
        [false, "no"],
      ]);
    case OPTION.user:
    case OPTION.channel:
    case OPTION.role:
    case OPTION.mentionable:
      return selectField(option, entities(option.type, context.guild));
    case OPTION.attachment:
      return fileField(option);
    default:
      return never(option);
  }
}

function framed(
  option: APIApplicationCommandBasicOption,
  input: OptionField["input"],
): HTMLElement {
  input.id = `option-${option.name}`;
  input.setAttribute("aria-describedby", `${input.id}-about`);
  if (option.required) input.setAttribute("aria-required", "true");
  return h(
    "div",
    { class: "field" },
    h(
      "label",
      { for: input.id },
      option.name,
      option.required && h("i", { class: "required", title: "required" }, " *"),
    ),
    h("span", { class: "faint", id: `${input.id}-about` }, option.description),
    input,
  );
}

function textField(
  option: APIApplicationCommandBasicOption,
  { submit }: FieldContext,
): OptionField {
  const input = h("textarea", { rows: 1 });
  if ("max_length" in option) input.maxLength = option.max_length ?? 6000;
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  return {
    option,
    input,
    element: framed(option, input),
    value: () => (input.value.trim() === "" ? undefined : input.value),
    write(text) {
      input.value = text;
    },
  };
}

function numberField(
  option: APIApplicationCommandBasicOption,
  { submit }: FieldContext,
): OptionField {
  const input = h("input", {
    type: "number",
    step: option.type === OPTION.integer ? 1 : "any",
    min: "min_value" in option ? option.min_value : null,
    max: "max_value" in option ? option.max_value : null,
  });
  onEnter(input, submit);
  return {
    option,
    input,
    element: framed(option, input),
    value: () => (input.value === "" ? undefined : input.valueAsNumber),
    write(text) {
      input.value = text;
    },
  };
}

function selectField(
  option: APIApplicationCommandBasicOption,
  choices: readonly (readonly [OptionValue, string])[],
): OptionField {
  const input = h(
    "select",
    {},
    h("option", { value: "" }, "…"),
    ...choices.map(([, name], index) => h("option", { value: index }, name)),
  );
  return {
    option,
    input,
    element: framed(option, input),
    value: () => (input.value === "" ? undefined : choices[Number(input.value)]?.[0]),
    write(text) {
      const wanted = text.toLowerCase();
      const at = choices.findIndex(
        ([value, name]) => name.toLowerCase() === wanted || String(value).toLowerCase() === wanted,
      );
      input.value = at === -1 ? "" : String(at);
    },
  };
}

function fileField(option: APIApplicationCommandBasicOption): OptionField {
  const input = h("input", { type: "file" });
  return {
    option,
    input,
    element: framed(option, input),
    value: () => input.files?.[0],
    write() {
      // A file can only be chosen by the person.
    },
  };
}

/** A text that the application completes. Any other text is possible, as on Discord. */
function suggestField(
  option: APIApplicationCommandBasicOption,
  context: FieldContext,
): OptionField {
  const input = h("input", { type: "text" });
  const element = framed(option, input);
  const suggestions = new Suggestions(input, option.name);
  let chosen: APIApplicationCommandOptionChoice | null = null;
  let timer: number | undefined;
  let asked = 0;

  const value = () => {
    if (chosen && chosen.name === input.value) return chosen.value;
    if (input.value.trim() === "") return undefined;
    return option.type === OPTION.string ? input.value : Number(input.value);
  };

  async function look(isTyped: boolean): Promise<void> {
    asked += 1;
    const mine = asked;
    const typed = input.value;
    const choices = await context.suggest(option.name, typed);
    // An older answer, or one for a field that was left, is of no use.
    if (mine !== asked || document.activeElement !== input) return;
    const isThere = choices.some(({ name, value }) => [name, value].includes(typed));
    suggestions.show(choices.map(suggestion), isTyped && !isThere && typed.trim() !== "");
  }

  function suggestion(choice: APIApplicationCommandOptionChoice): Suggestion {
    return {
      label: choice.name,
      choose() {
        chosen = choice;
        input.value = choice.name;
        asked += 1;
      },
    };
  }

  const begin = (isTyped: boolean) => {
    asked += 1;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      look(isTyped).catch((error: unknown) => explain(error));
    }, SUGGEST_AFTER_MS);
  };
  input.addEventListener("input", () => {
    // What was offered for another text must not be chosen for this one.
    suggestions.hide();
    begin(true);
  });
  input.addEventListener("focus", () => begin(false));
  input.addEventListener("keydown", (event) => {
    if (suggestions.takesKey(event)) return;
    if (event.key === "ArrowDown") begin(false);
  });
  onEnter(input, context.submit);
  return {
    option,
    input,
    element,
    value,
    write(text) {
      input.value = text;
    },
  };
}

function onEnter(input: HTMLInputElement, submit: () => void): void {
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.defaultPrevented) return;
    event.preventDefault();
    submit();
  });
}

function entities(
  type: APIApplicationCommandBasicOption["type"],
  guild: PlaygroundGuild | undefined,
): readonly (readonly [string, string])[] {
  const members = guild?.members.map(({ userId, name }) => [userId, `@${name}`] as const) ?? [];
  const roles =
    guild?.roles.map(({ id, name }) => [id, `@${name.replace(/^@/, "")}`] as const) ?? [];
  if (type === OPTION.user) return members;
  if (type === OPTION.role) return roles;
  if (type === OPTION.mentionable) return [...members, ...roles];
  return guild?.channels.map(({ id, name }) => [id, `#${name}`] as const) ?? [];
}

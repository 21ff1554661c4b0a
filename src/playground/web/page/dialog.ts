import type {
  APIModalInteractionResponseCallbackData,
  APITextInputComponent,
} from "discord-api-types/v10";
import { COMPONENT, PARAGRAPH } from "./discord.js";
import { type Child, h } from "./dom.js";

export interface DialogOptions {
  readonly title: string;
  readonly content: readonly Child[];
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** Closes the dialog when it settles; when it fails, the dialog stays and says why. */
  readonly submit: (form: FormData) => Promise<void>;
}

/** A dialog with a form. */
export function openDialog(options: DialogOptions): void {
  const problem = h("p", { class: "problem", role: "alert" });
  const confirm = h(
    "button",
    { type: "submit", class: `button ${options.isDangerous ? "danger" : "primary"}` },
    options.confirm,
  );
  const form = h(
    "form",
    {},
    h("h2", { id: "dialog-title" }, options.title),
    ...options.content,
    problem,
    h(
      "div",
      { class: "row end" },
      h(
        "button",
        { type: "button", class: "button secondary", on: { click: () => dialog.close() } },
        "Cancel",
      ),
      confirm,
    ),
  );
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  dialog.addEventListener("close", () => dialog.remove());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    problem.textContent = "";
    confirm.disabled = true;
    options
      .submit(new FormData(form))
      .then(() => dialog.close())
      .catch((error: unknown) => {
        problem.textContent = error instanceof Error ? error.message : String(error);
      })
      .finally(() => {
        confirm.disabled = false;
      });
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** The form that an application opens. */
export function openModal(
  modal: APIModalInteractionResponseCallbackData,
  submit: (values: Readonly<Record<string, string>>) => Promise<void>,
): void {
  openDialog({
    title: modal.title,
    content: modal.components.flatMap((component): Child[] => {
      if (component.type === COMPONENT.actionRow)
        return component.components.map((input) => field(input));
      if (component.type === COMPONENT.label && component.component.type === COMPONENT.textInput) {
        return [field(component.component, component.label, component.description)];
      }
      if (component.type === COMPONENT.textDisplay) return [h("p", {}, component.content)];
      return [h("p", { class: "faint" }, "This field can only be filled in on Discord.")];
    }),
    confirm: "Submit",
    submit: (form) =>
      submit(
        Object.fromEntries(
          [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
        ),
      ),
  });
}

function field(
  input: APITextInputComponent,
  label: string = input.label ?? input.custom_id,
  description?: string,
): HTMLElement {
  const rules = {
    name: input.custom_id,
    required: input.required !== false,
    minlength: input.min_length,
    maxlength: input.max_length ?? 4000,
    placeholder: input.placeholder,
  };
  return h(
    "label",
    { class: "field" },
    h("span", {}, label, input.required !== false && h("i", { class: "required" }, " *")),
    description !== undefined && h("span", { class: "faint" }, description),
    input.style === PARAGRAPH
      ? h("textarea", { ...rules, rows: 4 }, input.value)
      : h("input", { ...rules, type: "text", value: input.value }),
  );
}

import type { APIApplicationCommandOptionChoice } from "discord-api-types/v10";
import type { Form } from "./form.js";

/** Up to 25 suggestions. */
export function readChoices(data: Form): readonly APIApplicationCommandOptionChoice[] {
  data.required("choices");
  const choices = data.objects("choices", 25) ?? [];
  for (const choice of choices) {
    choice.required("name");
    choice.required("value");
    choice.text("name", { min: 1, max: 100 });
    if (typeof choice.raw["value"] === "string") choice.text("value", { min: 1, max: 100 });
  }
  data.check();
  return choices.map((choice) => choice.raw as unknown as APIApplicationCommandOptionChoice);
}

/** A modal of one to five inputs, each in a row or a label. */
export function readModal(data: Form): void {
  data.required("custom_id");
  data.text("custom_id", { min: 1, max: 100 });
  data.required("title");
  data.text("title", { min: 1, max: 45 });
  data.required("components");
  const components = data.objects("components", 5) ?? [];
  if (data.has("components") && components.length === 0) {
    data.wrong("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
  }
  for (const component of components) {
    const type = component.oneOf("type", [1, 10, 18]);
    if (type === 1) {
      for (const input of component.objects("components", 1) ?? []) checkInput(input, true);
    }
    if (type === 18) {
      component.required("label");
      component.text("label", { min: 1, max: 45 });
      component.text("description", { max: 100 });
      const input = component.object("component");
      if (input?.raw["type"] === 4) checkInput(input, false);
    }
  }
  data.check();
}

function checkInput(input: Form, needsLabel: boolean): void {
  input.oneOf("type", [4]);
  input.required("custom_id");
  input.text("custom_id", { min: 1, max: 100 });
  input.required("style");
  input.oneOf("style", [1, 2]);
  if (needsLabel) input.required("label");
  input.text("label", { max: 45 });
  input.text("placeholder", { max: 100 });
  input.text("value", { max: 4000 });
  input.integer("min_length", 0, 4000);
  input.integer("max_length", 1, 4000);
}

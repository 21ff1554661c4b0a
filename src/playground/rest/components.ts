import { type APIMessageTopLevelComponent, ComponentType } from "discord-api-types/v10";
import type { Form, JsonObject } from "./form.js";
import { checkUrl } from "./urls.js";

const MAX_COMPONENTS = 40;
const MAX_ROWS = 5;
const MAX_BUTTONS = 5;
const COMPONENTS_V2 = 1 << 15;

/** https://docs.discord.com/developers/components/reference */
export function checkComponents(form: Form): readonly APIMessageTopLevelComponent[] | undefined {
  if (form.isNull("components")) return [];
  const isV2 = (Number(form.raw["flags"] ?? 0) & COMPONENTS_V2) !== 0;
  const components = form.objects("components", isV2 ? MAX_COMPONENTS : MAX_ROWS);
  if (!components) return undefined;
  const customIds = new Set<string>();
  let nextId = 1;
  // Checked field by field above the types: the body is what the client wrote.
  return components.map(
    (component) => checkOne(component) as unknown as APIMessageTopLevelComponent,
  );

  function checkOne(component: Form): JsonObject {
    const type = component.raw["type"];
    const id = { id: nextId++ };
    if (type !== ComponentType.ActionRow) {
      if (!isV2) {
        component.wrong("type", "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1,).');
      }
      return { ...id, ...component.raw };
    }
    component.required("components");
    const children = component.objects("components", MAX_BUTTONS) ?? [];
    if (children.length === 0) {
      component.wrong("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
    }
    return { type, ...id, components: children.map((child) => checkChild(child)) };
  }

  function checkChild(child: Form): JsonObject {
    const type = child.raw["type"];
    if (type === ComponentType.Button) checkButton(child);
    else if (typeof type === "number" && type >= 3 && type <= 8) checkSelect(child);
    else
      child.wrong(
        "type",
        "UNION_TYPE_CHOICES",
        'Value of field "type" must be one of (2, 3, 5, 6, 7, 8).',
      );
    return { id: nextId++, ...child.raw };
  }

  function checkButton(button: Form): void {
    const style = button.oneOf("style", [1, 2, 3, 4, 5, 6]);
    button.required("style");
    button.text("label", { max: 80 });
    if (!button.has("label") && !button.has("emoji") && style !== 6) {
      button.wrong(
        "label",
        "BUTTON_COMPONENT_LABEL_REQUIRED",
        "A button must have a label or emoji",
      );
    }
    if (style === 5) {
      button.required("url");
      checkUrl(button, "url", 512);
    } else {
      checkCustomId(button);
    }
  }

  function checkSelect(select: Form): void {
    checkCustomId(select);
    select.text("placeholder", { max: 150 });
    if (select.raw["type"] !== ComponentType.StringSelect) return;
    const options = select.objects("options", 25) ?? [];
    if (options.length === 0) {
      select.wrong("options", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.");
    }
    for (const option of options) {
      option.text("label", { min: 1, max: 100 });
      option.text("value", { min: 1, max: 100 });
      option.text("description", { max: 100 });
    }
  }

  function checkCustomId(component: Form): void {
    component.required("custom_id");
    const customId = component.text("custom_id", { min: 1, max: 100 });
    if (customId === undefined) return;
    if (customIds.has(customId)) {
      component.wrong(
        "custom_id",
        "COMPONENT_CUSTOM_ID_DUPLICATED",
        "Component custom id cannot be duplicated",
      );
    }
    customIds.add(customId);
  }
}

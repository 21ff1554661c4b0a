import {
  type APIMessageTopLevelComponent,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
} from "discord-api-types/v10";
import { isObject, type JsonObject, textOf } from "../rest/form.js";
import { bits } from "../world/views.js";
import { PersonError } from "./personError.js";

export interface FoundComponent {
  readonly type: ComponentType;
  readonly id: number;
  readonly isDisabled: boolean;
}

/** The button or select with that custom id, however deep it sits. */
export function findComponent(
  components: readonly APIMessageTopLevelComponent[],
  customId: string,
): FoundComponent | undefined {
  for (const component of walk(components)) {
    if (component["custom_id"] !== customId) continue;
    return {
      type: bits(Number(component["type"])),
      id: Number(component["id"] ?? 0),
      isDisabled: component["disabled"] === true,
    };
  }
  return undefined;
}

/** What the client sends for a filled-in modal; every input is checked as the client does. */
export function modalInputs(
  modal: APIModalInteractionResponseCallbackData,
  values: Readonly<Record<string, string>>,
): unknown[] {
  return modal.components.map((component, index) => {
    const id = index * 2 + 1;
    if (component.type === ComponentType.ActionRow) {
      return {
        type: ComponentType.ActionRow,
        id,
        components: component.components.map((input) => filled(input, id + 1, values)),
      };
    }
    if (component.type === ComponentType.Label) {
      return {
        type: ComponentType.Label,
        id,
        component: filled(component.component, id + 1, values),
      };
    }
    return { type: component.type, id };
  });
}

function filled(input: object, id: number, values: Readonly<Record<string, string>>) {
  const rules: JsonObject = isObject(input) ? input : {};
  const customId = textOf(rules["custom_id"]);
  const value = values[customId] ?? "";
  const isRequired = rules["required"] !== false;
  const min = Number(rules["min_length"] ?? 0);
  const max = Number(rules["max_length"] ?? 4000);
  if (isRequired && value === "") throw new PersonError(`${customId} must be filled in.`);
  if (value !== "" && (value.length < min || value.length > max)) {
    throw new PersonError(`${customId} has ${min} to ${max} characters.`);
  }
  return { type: rules["type"], id, custom_id: customId, value };
}

function* walk(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) for (const entry of value) yield* walk(entry);
  if (!isObject(value)) return;
  yield value;
  yield* walk(value["components"]);
  yield* walk(value["accessory"]);
}

import { byId, h } from "./dom.js";

export interface Suggestion {
  readonly label: string;
  readonly detail?: string;
  readonly choose: () => void;
}

/** The list above the writing line that offers how a field may go on. One is open at a time. */
export class Suggestions {
  readonly #input: HTMLInputElement | HTMLTextAreaElement;
  readonly #list: HTMLUListElement;
  #items: readonly Suggestion[] = [];
  #active = -1;

  constructor(input: HTMLInputElement | HTMLTextAreaElement, label: string) {
    this.#input = input;
    const id = `${input.id}-suggestions`;
    this.#list = h("ul", { class: "suggestions", role: "listbox", id, "aria-label": label });
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("autocomplete", "off");
    if (input instanceof HTMLInputElement) {
      input.setAttribute("role", "combobox");
      input.setAttribute("aria-expanded", "false");
    }
    input.addEventListener("blur", () => this.hide());
  }

  get isOpen(): boolean {
    return this.#items.length > 0;
  }

  /** `isFirstActive`: Enter takes the first one without a further key. */
  show(items: readonly Suggestion[], isFirstActive: boolean): void {
    if (items.length === 0) {
      this.hide();
      return;
    }
    this.#items = items;
    this.#list.replaceChildren(...items.map((item, index) => this.#row(item, index)));
    if (!this.#list.isConnected) byId("popup").replaceChildren(this.#list);
    this.#input.setAttribute("aria-controls", this.#list.id);
    this.#expanded(true);
    this.#activate(isFirstActive ? 0 : -1);
  }

  hide(): void {
    this.#items = [];
    this.#list.remove();
    this.#input.removeAttribute("aria-controls");
    this.#input.removeAttribute("aria-activedescendant");
    this.#expanded(false);
  }

  /** Takes a key when it is for the list. */
  takesKey(event: KeyboardEvent): boolean {
    if (!this.isOpen || event.isComposing) return false;
    const active = this.#items[this.#active];
    switch (event.key) {
      case "ArrowDown":
        this.#activate((this.#active + 1) % this.#items.length);
        break;
      case "ArrowUp":
        this.#activate((this.#active <= 0 ? this.#items.length : this.#active) - 1);
        break;
      case "Enter":
      case "Tab":
        if (!active || event.shiftKey) return false;
        this.#choose(active);
        break;
      case "Escape":
        this.hide();
        break;
      default:
        return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  #row(item: Suggestion, index: number): HTMLLIElement {
    return h(
      "li",
      {
        role: "option",
        id: `${this.#list.id}-${index}`,
        "aria-selected": "false",
        on: {
          // Before the field loses the focus.
          pointerdown: (event) => event.preventDefault(),
          click: () => this.#choose(item),
        },
      },
      h("span", { class: "label" }, item.label),
      item.detail !== undefined && h("span", { class: "faint" }, item.detail),
    );
  }

  #choose(item: Suggestion): void {
    this.hide();
    item.choose();
  }

  #activate(index: number): void {
    this.#active = index;
    for (const [at, row] of [...this.#list.children].entries()) {
      row.setAttribute("aria-selected", String(at === index));
      if (at !== index) continue;
      this.#input.setAttribute("aria-activedescendant", row.id);
      row.scrollIntoView({ block: "nearest" });
    }
    if (index === -1) this.#input.removeAttribute("aria-activedescendant");
  }

  #expanded(isExpanded: boolean): void {
    if (this.#input instanceof HTMLInputElement) {
      this.#input.setAttribute("aria-expanded", String(isExpanded));
    }
  }
}

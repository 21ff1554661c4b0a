/** Building the document. Text enters it as text only; nothing here parses HTML. */
export type Child = Node | string | null | undefined | false;

type Listeners = {
  readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void;
};

export interface Attributes {
  readonly on?: Listeners;
  /** `false`, `null` and `undefined` leave the attribute out; `true` sets it empty. */
  readonly [name: string]: string | number | boolean | null | undefined | Listeners;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on" && typeof value === "object" && value !== null) {
      for (const [type, listener] of Object.entries(value)) {
        element.addEventListener(type, listener as EventListener);
      }
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (typeof value === "string" || typeof value === "number") {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...present(children));
  return element;
}

export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...present(children));
}

/**
 * Fills an element unless it was filled for an equal `shown` before: what is open or has the focus
 * in it stays. Otherwise the focus goes to the link or button that took its place.
 */
export function fillFor(element: HTMLElement, shown: unknown, build: () => readonly Child[]): void {
  const key = JSON.stringify(shown);
  if (element.dataset["shown"] === key) return;
  element.dataset["shown"] = key;
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const mark = ["id", "href", "title"].find((name) => focused?.hasAttribute(name));
  fill(element, ...build());
  if (!focused || mark === undefined) return;
  const heirs = [...element.querySelectorAll<HTMLElement>("a, button, select")];
  const heir = heirs.find((one) => one.getAttribute(mark) === focused.getAttribute(mark));
  heir?.focus({ preventScroll: true });
}

function present(children: readonly Child[]): (Node | string)[] {
  return children.filter(
    (child): child is Node | string => child instanceof Node || (child || "") !== "",
  );
}

/** Elements by the `id`s of `index.html`. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element #${id}.`);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** Paths on a grid of 24 by 24, drawn as lines. */
const ICONS = {
  apps: "M5 5h5v5H5zM14 5h5v5h-5zM5 14h5v5H5zM14 14h5v5h-5z",
  attach: "M8 12.5l6.5-6.5a3.2 3.2 0 0 1 4.5 4.5L11 18.5a5 5 0 0 1-7-7L11 4.5",
  close: "M6 6l12 12M18 6L6 18",
  down: "M12 5v14M6 13l6 6 6-6",
  edit: "M4 20l1-4L16.5 4.5l3 3L8 19z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  moon: "M19 14.5A8 8 0 0 1 9.5 5a8 8 0 1 0 9.5 9.5z",
  reply: "M10 6l-6 6 6 6M4 12h9a7 7 0 0 1 7 7",
  send: "M4 12l16-8-5 16-3.5-6.5z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  thread: "M5 5h14M5 10h9M5 15v4l4-4h10V10",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5",
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon icon-${name}`);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button that shows a picture and says its name to those who do not see it. */
export function iconButton(
  name: IconName,
  label: string,
  press: (event: MouseEvent) => void,
): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": label,
      title: label,
      on: { click: press },
    },
    icon(name),
  );
}

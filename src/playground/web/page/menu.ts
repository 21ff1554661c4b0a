import { h, type IconName, icon } from "./dom.js";

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly isDangerous?: boolean;
  readonly choose: () => void;
}

export interface MenuGroup {
  readonly title?: string;
  readonly items: readonly MenuItem[];
}

/** Opens a menu at a button. It closes after a choice, with Escape, or by a press elsewhere. */
export function openMenu(anchor: HTMLElement, label: string, groups: readonly MenuGroup[]): void {
  const buttons: HTMLButtonElement[] = [];
  const close = (isFocusBack: boolean) => {
    document.removeEventListener("pointerdown", outside, true);
    window.removeEventListener("resize", away);
    menu.remove();
    anchor.setAttribute("aria-expanded", "false");
    if (isFocusBack) anchor.focus();
  };
  const outside = (event: Event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) close(false);
  };
  const away = () => close(false);

  const menu = h(
    "div",
    { class: "menu", role: "menu", "aria-label": label, on: { keydown: move } },
    ...groups
      .filter((group) => group.items.length > 0)
      .map((group) =>
        h(
          "div",
          { role: "group", "aria-label": group.title },
          group.title !== undefined && h("p", { class: "faint" }, group.title),
          ...group.items.map((item) => {
            const button = h(
              "button",
              {
                type: "button",
                role: "menuitem",
                tabindex: -1,
                class: item.isDangerous ? "dangerous" : "",
                on: {
                  click: () => {
                    close(true);
                    item.choose();
                  },
                },
              },
              item.icon && icon(item.icon),
              item.label,
            );
            buttons.push(button);
            return button;
          }),
        ),
      ),
  );

  function move(event: KeyboardEvent): void {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1 + buttons.length,
      Home: 0,
      End: buttons.length - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      buttons[to % buttons.length]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      close(true);
    }
  }

  document.body.append(menu);
  place(menu, anchor);
  anchor.setAttribute("aria-expanded", "true");
  document.addEventListener("pointerdown", outside, true);
  window.addEventListener("resize", away);
  buttons[0]?.focus();
}

const MARGIN = 8;

/** Below the anchor or above it, inside of the window. */
function place(menu: HTMLElement, anchor: HTMLElement): void {
  const from = anchor.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.min(Math.max(from.right - width, MARGIN), window.innerWidth - width - MARGIN);
  const isBelow = from.bottom + height + MARGIN < window.innerHeight;
  const top = isBelow ? from.bottom + 4 : Math.max(from.top - height - 4, MARGIN);
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}

import { type Child, h } from "./dom.js";
import { type Block, type List, parseMarkdown } from "./markdown.js";
import type { Inline } from "./markdownInline.js";
import { never } from "./never.js";
import { fullTime, styledTime } from "./time.js";

/** What ids in a text mean. */
export interface Names {
  readonly mentionNames: Readonly<Record<string, string>>;
  /** Whether the page can open that channel. */
  readonly hasChannel: (channelId: string) => boolean;
  readonly ownId: string;
}

export function markdownView(text: string, names: Names): HTMLElement {
  return h("div", { class: "markdown" }, ...blockViews(parseMarkdown(text), names));
}

function blockViews(blocks: readonly Block[], names: Names): Child[] {
  return blocks.map((block) => blockView(block, names));
}

function blockView(block: Block, names: Names): HTMLElement {
  switch (block.type) {
    case "paragraph":
      return h("p", {}, ...inlineViews(block.children, names));
    case "heading": {
      const tag = block.level === 1 ? "h3" : block.level === 2 ? "h4" : "h5";
      return h(tag, {}, ...inlineViews(block.children, names));
    }
    case "small":
      return h("p", { class: "small" }, ...inlineViews(block.children, names));
    case "quote":
      return h("blockquote", {}, ...blockViews(block.blocks, names));
    case "code":
      return h(
        "pre",
        { tabindex: 0, "aria-label": block.language ? `Code, ${block.language}` : "Code" },
        h("code", {}, block.text),
      );
    case "list":
      return listView(block, names);
    default:
      return never(block);
  }
}

function listView(list: List, names: Names): HTMLElement {
  const items = list.items.map((item) =>
    h(
      "li",
      {},
      ...inlineViews(item.children, names),
      ...item.lists.map((below) => listView(below, names)),
    ),
  );
  return list.start === null ? h("ul", {}, ...items) : h("ol", { start: list.start }, ...items);
}

function inlineViews(nodes: readonly Inline[], names: Names): Child[] {
  return nodes.map((node) => inlineView(node, names));
}

const TAGS = { bold: "strong", italic: "em", underline: "u", strike: "s" } as const;

function inlineView(node: Inline, names: Names): Child {
  switch (node.type) {
    case "text":
      return node.text;
    case "break":
      return h("br");
    case "bold":
    case "italic":
    case "underline":
    case "strike":
      return h(TAGS[node.type], {}, ...inlineViews(node.children, names));
    case "spoiler":
      return spoilerView(node.children, names);
    case "code":
      return h("code", {}, node.text);
    case "link":
      return linkView(node.url, inlineViews(node.children, names), names);
    case "mention":
      return mentionView(node, names);
    case "everyone":
      return h("span", { class: "mention own" }, node.text);
    case "command":
      return h("span", { class: "mention" }, `/${node.name}`);
    case "emoji":
      return h("img", {
        class: "emoji",
        src: `/emojis/${node.id}.png`,
        alt: `:${node.name}:`,
        title: `:${node.name}:`,
      });
    case "time": {
      const title = fullTime(new Date(node.atMs));
      return h("time", { title }, styledTime(node.atMs, node.style, Date.now()));
    }
    default:
      return never(node);
  }
}

function spoilerView(children: readonly Inline[], names: Names): HTMLElement {
  const content = h(
    "span",
    { "aria-hidden": "true", inert: true },
    ...inlineViews(children, names),
  );
  const spoiler = h(
    "span",
    { class: "spoiler", role: "button", tabindex: 0, "aria-label": "Spoiler: press to read" },
    content,
  );
  const reveal = () => {
    spoiler.classList.add("open");
    for (const name of ["role", "tabindex", "aria-label"]) spoiler.removeAttribute(name);
    for (const name of ["aria-hidden", "inert"]) content.removeAttribute(name);
  };
  spoiler.addEventListener("click", reveal, { once: true });
  spoiler.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") reveal();
  });
  return spoiler;
}

/** The address of a message: `https://discord.com/channels/server/channel/message`. */
const MESSAGE_LINK =
  /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/\d+\/(\d+)(?:\/(\d+))?\/?$/;

function linkView(url: string, children: readonly Child[], names: Names): HTMLElement {
  const [, channelId, messageId] = MESSAGE_LINK.exec(url) ?? [];
  if (channelId !== undefined && names.hasChannel(channelId)) {
    const place = messageId === undefined ? channelId : `${channelId}/${messageId}`;
    return h("a", { href: `#${place}` }, ...children);
  }
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

function mentionView(node: Extract<Inline, { type: "mention" }>, names: Names): HTMLElement {
  const name = names.mentionNames[node.id];
  if (node.of === "channel") {
    if (!names.hasChannel(node.id)) return h("span", { class: "mention" }, `#${name ?? "unknown"}`);
    return h("a", { class: "mention", href: `#${node.id}` }, `#${name ?? "channel"}`);
  }
  const isOwn = node.id === names.ownId;
  return h("span", { class: isOwn ? "mention own" : "mention" }, `@${name ?? "unknown"}`);
}

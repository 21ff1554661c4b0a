import type { APIEmbed } from "discord-api-types/v10";
import type { PlaygroundAttachment } from "../../peopleApi.js";
import { type Child, h, icon } from "./dom.js";
import { markdownView, type Names } from "./markdownView.js";

export function attachmentView(attachment: PlaygroundAttachment): HTMLElement {
  const { filename, url, contentType, width, height } = attachment;
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(contentType)) {
    return h(
      "a",
      { class: "picture", href: url, target: "_blank", rel: "noopener" },
      h("img", { src: url, alt: filename, width, height }),
    );
  }
  return h(
    "a",
    { class: "file", href: url, download: filename, target: "_blank", rel: "noopener" },
    icon("file"),
    h("span", { class: "file-name" }, filename),
    h("span", { class: "faint" }, sizeText(attachment.sizeBytes)),
  );
}

export function embedView(embed: APIEmbed, names: Names): HTMLElement {
  const { title, url, description, author, fields = [], footer, image } = embed;
  return h(
    "div",
    { class: "embed" },
    author && h("p", { class: "faint" }, author.name),
    title !== undefined && h("h4", {}, isWeb(url) ? link(url, title) : title),
    description !== undefined && markdownView(description, names),
    fields.length > 0 &&
      h(
        "dl",
        {},
        ...fields.map((field) =>
          h(
            "div",
            { class: field.inline ? "inline" : "" },
            h("dt", {}, field.name),
            h("dd", {}, markdownView(field.value, names)),
          ),
        ),
      ),
    isWeb(image?.url) && h("p", {}, link(image.url, "Picture")),
    footer && h("p", { class: "faint" }, footer.text),
  );
}

function link(href: string, text: Child): HTMLElement {
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, text);
}

function isWeb(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url);
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

// The text as the model receives it, to copy and to download in each format.

import { fill, h } from "../dom";
import { count, integer } from "../format";
import type { Pack } from "../types";
import { wrapButton } from "./code-lines";

interface Format {
  label: string;
  extension: string;
  mediaType: string;
}

const PLAIN: Format = { label: "Plain", extension: "txt", mediaType: "text/plain" };
const FORMATS: Record<string, Format> = {
  markdown: { label: "Markdown", extension: "md", mediaType: "text/markdown" },
  xml: { label: "XML", extension: "xml", mediaType: "application/xml" },
  json: { label: "JSON", extension: "json", mediaType: "application/json" },
  plain: PLAIN,
};

/** Renders the text of a pack. `repack` packs in another format; null if the pack cannot be repeated. */
export function textView(pack: Pack, isPreview: boolean, repack: ((format: string) => void) | null): HTMLElement {
  const { report } = pack;
  const content = report.content ?? "";
  const format = report.stats.format;
  const copyButton = h("button", { type: "button", class: "button", id: "copy", disabled: content === "" }, "Copy");
  const status = h("span", { class: "muted", role: "status" });
  copyButton.addEventListener("click", () => void copy(content).then((isCopied) => {
    status.textContent = isCopied ? `Copied ${count(content.length, "character")}` : "The browser blocked access to the clipboard";
  }));
  const formats = h("div", { class: "segments", role: "group", "aria-label": "Format" },
    ...Object.entries(FORMATS).map(([name, { label }]) => h("button", {
      type: "button", class: "segment", "data-format": name, "aria-pressed": String(name === format), disabled: repack === null, onclick: () => repack?.(name),
    }, label)));
  const tools = h("div", { class: "text-tools" }, formats,
    h("span", { class: "muted number grow counts" }, `${integer(report.total_tokens)} tokens · ${integer(content.length)} characters`),
    status, wrapButton(), copyButton,
    h("button", { type: "button", class: "button", id: "download", disabled: content === "", onclick: () => download(content, format) }, "Download"));
  const text = h("pre", { class: "exact", tabindex: 0, role: "region", "aria-label": "Text of the pack" });
  if (content === "") {
    fill(text, h("span", { class: "muted" }, missingTextNote(report.content, isPreview)));
  } else {
    text.textContent = content;
  }
  return h("div", { class: "text-panel" }, tools, text);
}

function missingTextNote(content: string | null | undefined, isPreview: boolean): string {
  if (isPreview) return "The text is rendered when you release the slider.";
  return content === "" ? "The text is empty." : "The text of this pack is not available.";
}

/** Copies a text, with a fallback for pages that cannot use the clipboard API. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "visually-hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}

function download(text: string, format: string): void {
  const { extension, mediaType } = FORMATS[format] ?? PLAIN;
  const url = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }));
  const link = h("a", { href: url, download: `kitbag-pack.${extension}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

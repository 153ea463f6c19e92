// The exact text as the model gets it, to copy and to download in each format.

import { fill, h } from "../dom";
import { count, whole } from "../numbers";
import type { Pack } from "../types";
import { wrapButton } from "./lines";

const ENDINGS: Record<string, [string, string]> = {
  markdown: ["md", "text/markdown"],
  xml: ["xml", "application/xml"],
  json: ["json", "application/json"],
  plain: ["txt", "text/plain"],
};

/** The text of a pack. Another format calls `repack` with its name; without, there is none to be had. */
export function textView(pack: Pack, isPreview: boolean, repack: ((format: string) => void) | null): HTMLElement {
  const { report } = pack;
  const content = report.content ?? "";
  const format = report.stats.format;
  const copyButton = h("button", { type: "button", class: "button", id: "copy", disabled: content === "" }, "Copy");
  const said = h("span", { class: "muted", role: "status" });
  copyButton.addEventListener("click", () => void copy(content).then((isDone) => {
    said.textContent = isDone ? `Copied ${count(content.length, "character")}` : "The browser did not allow it";
  }));
  const formats = h("div", { class: "segments", role: "group", "aria-label": "Format" },
    ...Object.keys(ENDINGS).map((name) => h("button", {
      type: "button", class: "segment", "data-format": name, "aria-pressed": String(name === format), disabled: repack === null, onclick: () => repack?.(name),
    }, name === "plain" ? "Plain" : name === "markdown" ? "Markdown" : name.toUpperCase())));
  const tools = h("div", { class: "text-tools" }, formats,
    h("span", { class: "muted number grow counts" }, `${whole(report.total_tokens)} tokens · ${whole(content.length)} characters`),
    said, wrapButton(), copyButton,
    h("button", { type: "button", class: "button", id: "download", disabled: content === "", onclick: () => download(content, format) }, "Download"));
  const text = h("pre", { class: "exact", tabindex: 0, role: "region", "aria-label": "The exact text" });
  if (content === "") {
    fill(text, h("span", { class: "muted" }, absence(report.content, isPreview)));
  } else {
    text.textContent = content;
  }
  return h("div", { class: "text-panel" }, tools, text);
}

function absence(content: string | null | undefined, isPreview: boolean): string {
  if (isPreview) return "The text is made once the weight is let go.";
  return content === "" ? "The text is empty." : "The text of this pack is not kept.";
}

/** Copies, also where the browser has no clipboard to offer. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "unseen-text", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}

function download(text: string, format: string): void {
  const [ending, type] = ENDINGS[format] ?? ["txt", "text/plain"];
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = h("a", { href: address, download: `kitbag-pack.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

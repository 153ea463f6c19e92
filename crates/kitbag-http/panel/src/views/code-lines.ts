// Lines of code with line numbers and highlighting, optionally wrapped.

import { h, property } from "../dom";
import { highlight } from "../highlight";
import { highlightInvisible } from "../visible";

export interface CodeLines {
  /** File name, which determines the language. */
  name: string;
  /** Number of the first line. */
  first: number;
  lines: string[];
  /** Returns whether a line belongs to the chunk. */
  isOwn: (line: number) => boolean;
  /** Returns whether a line is in the text of the pack. */
  isShown: (line: number) => boolean;
  isRedacted: (line: number) => boolean;
}

const STORAGE_KEY = "kitbag.wrap";
const TAB_WIDTH = 4;
const MAX_INDENT = 40;

export function codeLines({ name, first, lines, isOwn, isShown, isRedacted }: CodeLines): HTMLElement {
  const plain = lines.map((line) => line.replace(/\r$/, ""));
  const tokens = highlight(name, plain);
  const rows = plain.map((line, index) => {
    const number = first + index;
    const classes = ["line", isOwn(number) && "own", isShown(number) && "shown", isRedacted(number) && "redacted"];
    const text = (tokens[index] ?? []).map(({ text, kind }) => h("span", kind ? { class: `t-${kind}` } : {}, ...highlightInvisible(text)));
    const code = h("code", {}, ...text, "\n");
    property(code, "--indent", `${wrapIndent(line)}ch`);
    return h("div", { class: classes.filter(Boolean).join(" "), "data-line": number },
      h("span", { class: "line-number number", "aria-hidden": "true" }, number), code);
  });
  return h("div", { class: "line-box", tabindex: 0, role: "region", "aria-label": "Lines" }, ...rows);
}

/** Scrolls the lines in `container` so that `line` is at the top. */
export function scrollToLine(container: HTMLElement, line: number): void {
  const box = container.querySelector<HTMLElement>(".line-box");
  const first = box?.querySelector<HTMLElement>(".line");
  const target = box?.querySelector<HTMLElement>(`[data-line="${Math.round(line)}"]`);
  if (box && first && target) box.scrollTop = target.offsetTop - first.offsetTop;
}

export function wrapButton(): HTMLElement {
  return h("button", { type: "button", class: "quiet wrap", title: "Toggle line wrapping (L)", "aria-pressed": String(isWrapped()), onclick: toggleWrap }, "Wrap lines");
}

export function toggleWrap(): void {
  localStorage.setItem(STORAGE_KEY, isWrapped() ? "off" : "on");
  applyWrap();
}

export function applyWrap(): void {
  document.documentElement.classList.toggle("is-wrapped", isWrapped());
  for (const button of document.querySelectorAll(".wrap")) button.setAttribute("aria-pressed", String(isWrapped()));
}

const isWrapped = (): boolean => localStorage.getItem(STORAGE_KEY) !== "off";

/** Returns the indent of wrapped lines, in characters. */
function wrapIndent(line: string): number {
  const blank = /^[ \t]*/.exec(line)?.[0] ?? "";
  const width = [...blank].reduce((sum, character) => sum + (character === "\t" ? TAB_WIDTH - (sum % TAB_WIDTH) : 1), 0);
  return Math.min(width, MAX_INDENT) + 2;
}

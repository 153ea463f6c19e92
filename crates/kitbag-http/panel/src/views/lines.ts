// Lines of code with their numbers, in colours, wrapped or not as the reader wants it.

import { h, property } from "../dom";
import { highlight } from "../highlight";
import { marked } from "../visible";

export interface Lines {
  /** The name of the file, which tells the language. */
  name: string;
  /** The number of the first line. */
  first: number;
  lines: string[];
  isOwn: (line: number) => boolean;
  /** Whether a line stands in the text of the pack. */
  isShown: (line: number) => boolean;
  isRedacted: (line: number) => boolean;
}

const KEY = "kitbag.wrap";
const TAB = 4;

export function lineBox({ name, first, lines, isOwn, isShown, isRedacted }: Lines): HTMLElement {
  const plain = lines.map((line) => line.replace(/\r$/, ""));
  const tokens = highlight(name, plain);
  const rows = plain.map((line, at) => {
    const number = first + at;
    const classes = ["line", isOwn(number) && "own", isShown(number) && "shown", isRedacted(number) && "redacted"];
    const text = (tokens[at] ?? []).map(({ text, kind }) => h("span", kind ? { class: `t-${kind}` } : {}, ...marked(text)));
    const code = h("code", {}, ...text, "\n");
    property(code, "--indent", `${indent(line)}ch`);
    return h("div", { class: classes.filter(Boolean).join(" "), "data-line": number },
      h("span", { class: "line-number number", "aria-hidden": "true" }, number), code);
  });
  return h("div", { class: "line-box", tabindex: 0, role: "region", "aria-label": "Lines" }, ...rows);
}

/** Scrolls the lines within a place so that this one stands on top. */
export function scrollToLine(place: HTMLElement, line: number): void {
  const box = place.querySelector<HTMLElement>(".line-box");
  const first = box?.querySelector<HTMLElement>(".line");
  const wanted = box?.querySelector<HTMLElement>(`[data-line="${Math.round(line)}"]`);
  if (box && first && wanted) box.scrollTop = wanted.offsetTop - first.offsetTop;
}

/** The button that wraps long lines, or lets them run. */
export function wrapButton(): HTMLElement {
  return h("button", { type: "button", class: "quiet wrap", title: "Wrap long lines, or not (L)", "aria-pressed": String(isWrapped()), onclick: toggleWrap }, "Wrap lines");
}

/** Wraps long lines or not, everywhere and from now on. */
export function toggleWrap(): void {
  localStorage.setItem(KEY, isWrapped() ? "off" : "on");
  applyWrap();
}

export function applyWrap(): void {
  document.documentElement.classList.toggle("is-wrapped", isWrapped());
  for (const button of document.querySelectorAll(".wrap")) button.setAttribute("aria-pressed", String(isWrapped()));
}

const isWrapped = (): boolean => localStorage.getItem(KEY) !== "off";

/** How far a line is indented: what is wrapped goes on two characters further. */
function indent(line: string): number {
  const blank = /^[ \t]*/.exec(line)?.[0] ?? "";
  const width = [...blank].reduce((sum, character) => sum + (character === "\t" ? TAB - (sum % TAB) : 1), 0);
  return Math.min(width, 40) + 2;
}

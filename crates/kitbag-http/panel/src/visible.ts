// Escapes invisible characters: control and bidirectional characters could otherwise disguise a file
// name, or make code look like a comment.

import { h } from "./dom";

// C0 and C1 controls without tab and newline, zero-width and direction characters, separators, tags.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Escapes invisible characters, tabs and newlines: `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escaped).replace(/[\t\n]/g, escaped);
}

/** Escapes invisible characters and tabs, but keeps newlines. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** Highlights invisible characters in code. */
export function highlightInvisible(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(INVISIBLE)) {
    parts.push(text.slice(end, match.index));
    parts.push(h("span", { class: "invisible-character", title: "invisible character" }, escaped(match[0])));
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

/** Renders a path with its file name emphasized, and an optional suffix with line numbers. It breaks
 * after slashes rather than within names. */
export function pathElement(path: string, lines = ""): HTMLElement {
  const shown = visible(path);
  const cut = shown.lastIndexOf("/") + 1;
  const folders = shown.slice(0, cut).split(/(?<=\/)/).filter(Boolean);
  return h(
    "bdi",
    { class: "path", dir: "ltr" },
    cut > 0 && h("span", { class: "folder" }, ...folders.flatMap((folder) => [folder, h("wbr")])),
    h("span", { class: "end" }, h("span", { class: "file" }, shown.slice(cut)), lines !== "" && h("span", { class: "lines number" }, lines)),
  );
}

/** Renders a path with a line range: `src/a.rs:10-40`. */
export const locationElement = (path: string, start: number | null, end: number | null): HTMLElement =>
  pathElement(path, lineRange(start, end));

/** Renders a text with its parts in backticks as code. */
export function withInlineCode(text: string): (Node | string)[] {
  const parts = visibleLines(text).split("`");
  if (parts.length % 2 === 0) return [parts.join("`")];
  return parts.map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part)).filter((part) => part !== "");
}

/** Renders the name of a symbol, which breaks between its parts. */
export function symbolElement(symbol: string): HTMLElement {
  const parts = visible(symbol).split(/(?<=[._:/])(?=[^._:/])/);
  return h("span", { class: "symbol" }, ...parts.flatMap((part, index) => (index > 0 ? [h("wbr"), part] : [part])));
}

/** Formats a line range as a suffix of a path: `:10-40`. */
export function lineRange(start: number | null, end: number | null): string {
  if (start === null || end === null) return "";
  return start === end ? `:${start}` : `:${start}-${end}`;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

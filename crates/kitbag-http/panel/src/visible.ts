// Names and code are shown as they are, but what a reader could not see is made visible: control and
// bidirectional characters would otherwise let a file pass for another, or a line for a comment.

import { h } from "./dom";

// C0 and C1 controls without tab and newline, zero-width and direction characters, separators, tags.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** A text for one line: unseen characters become escapes such as `\u{202e}`, tabs and newlines too. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped).replace(/[\t\n]/g, escaped);
}

/** A text of several lines: the same, but lines stay lines. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** A text for code: unseen characters become marks that stand out, all else is left. */
export function marked(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(UNSEEN)) {
    parts.push(text.slice(end, match.index));
    parts.push(h("span", { class: "unseen", title: "a character that is not seen" }, escaped(match[0])));
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

/** A path in two parts, so that the name of the file stands out, and what follows it. It cannot change the
 * direction, and where it does not fit, it is broken after a slash before it is broken within a name. */
export function pathName(path: string, lines = ""): HTMLElement {
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

/** A path with the lines of a chunk: `src/a.rs:10-40`. */
export const placeName = (path: string, start: number | null, end: number | null): HTMLElement =>
  pathName(path, lineRange(start, end));

/** A short text in which what stands in backticks is code. Lines stay lines. */
export function phrase(text: string): (Node | string)[] {
  const parts = visibleLines(text).split("`");
  if (parts.length % 2 === 0) return [parts.join("`")];
  return parts.map((part, at) => (at % 2 === 1 ? h("code", {}, part) : part)).filter((part) => part !== "");
}

/** The name of a symbol, which is broken between its parts before it is broken within one. */
export function symbolName(symbol: string): HTMLElement {
  const parts = visible(symbol).split(/(?<=[._:/])(?=[^._:/])/);
  return h("span", { class: "symbol" }, ...parts.flatMap((part, at) => (at > 0 ? [h("wbr"), part] : [part])));
}

/** The lines of a chunk, as they follow a path: `:10-40`. */
export function lineRange(start: number | null, end: number | null): string {
  if (start === null || end === null) return "";
  return start === end ? `:${start}` : `:${start}-${end}`;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

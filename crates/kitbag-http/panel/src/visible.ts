// Escapes invisible characters: control and bidirectional characters could otherwise disguise a file
// name, or make code look like a comment.

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

/** Splits code into parts, of which every second one is an escaped invisible character. */
export function splitInvisible(text: string): string[] {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(INVISIBLE)) {
    parts.push(text.slice(end, match.index), escaped(match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

/** Formats a line range as a suffix of a path: `:10-40`. */
export function lineRange(start: number | null, end: number | null): string {
  if (start === null || end === null) return "";
  return start === end ? `:${start}` : `:${start}-${end}`;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

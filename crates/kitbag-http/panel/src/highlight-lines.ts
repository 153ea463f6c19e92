// Lines of highlighted code, as the worker sends them to the page.

/** A part of a line, and its class of highlight.js without the prefix, such as `string`. */
export type Token = [text: string, kind: string];

export interface HighlightJob {
  id: number;
  language: string;
  text: string;
}

export interface HighlightResult {
  id: number;
  /** Null if the language is unknown. */
  lines: Token[][] | null;
}

/** The part of a syntax tree of `lowlight` that is used. */
interface TreeNode {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: TreeNode[];
}

/** Splits a syntax tree into lines of tokens. The innermost class decides. */
export function toLines(root: TreeNode): Token[][] {
  const lines: Token[][] = [[]];
  // A stack of its own: nesting in a hostile file must not overflow the call stack.
  const stack: [TreeNode, string][] = [[root, ""]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [node, kind] = next;
    if (node.type === "text") addText(lines, node.value ?? "", kind);
    const own = Array.isArray(node.properties?.className) ? String(node.properties.className[0]).replace(/^hljs-/, "") : kind;
    for (const child of (node.children ?? []).toReversed()) stack.push([child, own]);
  }
  return lines;
}

function addText(lines: Token[][], text: string, kind: string): void {
  text.split("\n").forEach((part, index) => {
    if (index > 0) lines.push([]);
    if (part !== "") lines.at(-1)?.push([part, kind]);
  });
}

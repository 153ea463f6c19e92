// Tokens by file and by folder, and the colour that a folder has everywhere on the page.

import type { Report } from "./types";

export interface FileTokens {
  path: string;
  tokens: number;
  chunks: number;
}

export interface FolderTokens {
  name: string;
  tokens: number;
  files: FileTokens[];
  /** From 1; 0 is the grey of all folders that have no colour of their own. */
  colour: number;
}

const COLOURS = 7;
const DEEPEST = 6;

/** The folders of a pack, the largest first, each with its files, the largest first. */
export function folders(report: Report): FolderTokens[] {
  const files = new Map<string, FileTokens>();
  for (const chunk of report.included) {
    const file = files.get(chunk.path) ?? { path: chunk.path, tokens: 0, chunks: 0 };
    file.tokens += chunk.tokens;
    file.chunks += 1;
    files.set(chunk.path, file);
  }
  const depth = depthOf([...files.values()]);
  const byName = new Map<string, FolderTokens>();
  for (const file of files.values()) {
    const name = folderOf(file.path, depth);
    const folder = byName.get(name) ?? { name, tokens: 0, files: [], colour: 0 };
    folder.tokens += file.tokens;
    folder.files.push(file);
    byName.set(name, folder);
  }
  const found = [...byName.values()].sort((a, b) => b.tokens - a.tokens || compare(a.name, b.name));
  found.forEach((folder, at) => {
    folder.colour = at < COLOURS ? at + 1 : 0;
    folder.files.sort((a, b) => b.tokens - a.tokens || compare(a.path, b.path));
  });
  return found;
}

/** The colour of each file of a pack. */
export function colours(report: Report): Map<string, number> {
  const pairs = folders(report).flatMap((folder) =>
    folder.files.map((file): [string, number] => [file.path, folder.colour]),
  );
  return new Map(pairs);
}

/** How strong the colour of a folder's file is, in percent: the largest has the whole of it. */
export const strength = (at: number): number => Math.max(52, 100 - 7 * at);

/** What the names of folders have in common, up to a slash: what need not be repeated. */
export function commonFolder(names: string[]): string {
  const [first = "", ...others] = names;
  const parts = first.split("/").slice(0, -1);
  while (parts.length > 0 && !others.every((name) => name.startsWith(`${parts.join("/")}/`))) parts.pop();
  return names.length > 1 && parts.length > 0 ? `${parts.join("/")}/` : "";
}

/** As many path components as tell folders apart: three at least, and none that has nearly all. */
function depthOf(files: FileTokens[]): number {
  const total = files.reduce((sum, file) => sum + file.tokens, 0);
  let best = { depth: 1, largest: total };
  for (let depth = 1; depth <= DEEPEST; depth += 1) {
    const sums = new Map<string, number>();
    for (const file of files) {
      const name = folderOf(file.path, depth);
      sums.set(name, (sums.get(name) ?? 0) + file.tokens);
    }
    const largest = Math.max(0, ...sums.values());
    if (sums.size >= 3 && largest <= total * 0.7) return depth;
    if (largest < best.largest) best = { depth, largest };
  }
  return best.depth;
}

function folderOf(path: string, depth: number): string {
  const parts = path.split("/").slice(0, -1).slice(0, depth);
  return parts.length > 0 ? `${parts.join("/")}/` : "./";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

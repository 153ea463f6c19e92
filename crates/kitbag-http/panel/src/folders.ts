// Token counts by file and folder, and the color of each folder.

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
  /** Palette index from 1; 0 is grey, for folders beyond the palette. */
  color: number;
}

const PALETTE_SIZE = 7;
const MAX_DEPTH = 6;
/** Name of the folder of files in the root. */
const ROOT_NAME = "(root)";

/** Returns the folders of a pack and their files, both by size. */
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
    const folder = byName.get(name) ?? { name, tokens: 0, files: [], color: 0 };
    folder.tokens += file.tokens;
    folder.files.push(file);
    byName.set(name, folder);
  }
  const found = [...byName.values()].sort((a, b) => b.tokens - a.tokens || compare(a.name, b.name));
  found.forEach((folder, index) => {
    folder.color = index < PALETTE_SIZE ? index + 1 : 0;
    folder.files.sort((a, b) => b.tokens - a.tokens || compare(a.path, b.path));
  });
  return found;
}

/** Returns the color of each file. */
export function colors(report: Report): Map<string, number> {
  const pairs = folders(report).flatMap((folder) =>
    folder.files.map((file): [string, number] => [file.path, folder.color]),
  );
  return new Map(pairs);
}

/** Returns, for each path, the folders that distinguish it from others with the same file name: `sql/` of
 * `models/sql/query.py`, or nothing if the name is unique. */
export function distinguishingFolders(paths: string[]): Map<string, string> {
  const known = [...new Set(paths)];
  const labels = new Map(known.map((path) => [path, 1]));
  const labelOf = (path: string) => path.split("/").slice(-(labels.get(path) ?? 1)).join("/");
  for (let round = 0; round < MAX_DEPTH; round += 1) {
    const byLabel = new Map<string, string[]>();
    for (const path of known) byLabel.set(labelOf(path), [...(byLabel.get(labelOf(path)) ?? []), path]);
    const same = [...byLabel.values()].filter((group) => group.length > 1).flat();
    if (same.length === 0) break;
    for (const path of same) labels.set(path, (labels.get(path) ?? 1) + 1);
  }
  return new Map(known.map((path) => [path, labelOf(path).slice(0, labelOf(path).lastIndexOf("/") + 1)]));
}

/** Returns the color strength of a file in percent, by its rank in the folder. */
export const strength = (index: number): number => Math.max(52, 100 - 7 * index);

/** Returns the common parent of folders, which labels can omit. */
export function commonFolder(names: string[]): string {
  const [first = "", ...others] = names;
  const parts = first.split("/").slice(0, -1);
  while (parts.length > 0 && !others.every((name) => name.startsWith(`${parts.join("/")}/`))) parts.pop();
  return names.length > 1 && parts.length > 0 ? `${parts.join("/")}/` : "";
}

/** Returns the depth at which to group files: the first with at least three folders of which none has
 * more than 70 % of the tokens, else the one with the smallest largest folder. */
function depthOf(files: FileTokens[]): number {
  const total = files.reduce((sum, file) => sum + file.tokens, 0);
  let best = { depth: 1, largest: total };
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
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
  return parts.length > 0 ? `${parts.join("/")}/` : ROOT_NAME;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

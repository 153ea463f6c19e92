// The files of a pack as a tree, with their tokens.

import type { Chunk } from "./types";

export interface TreeEntry {
  /** Path; that of a folder ends in a slash. */
  path: string;
  /** Name relative to the parent. A folder with a single entry is joined with it: `src/auth/`. */
  name: string;
  depth: number;
  isFolder: boolean;
  tokens: number;
  chunks: number;
  /** Number of chunks that were left out. */
  leftOut: number;
}

interface Folder {
  path: string;
  folders: Map<string, Folder>;
  files: Map<string, { path: string; tokens: number; chunks: number; leftOut: number }>;
}

/** Lists folders and files in the order of a file manager: folders first, then by name. */
export function treeOf(included: Chunk[], excluded: Chunk[] = []): TreeEntry[] {
  const root: Folder = { path: "", folders: new Map(), files: new Map() };
  for (const chunk of included) {
    const file = fileIn(root, chunk.path);
    file.tokens += chunk.tokens;
    file.chunks += 1;
  }
  for (const chunk of excluded) fileIn(root, chunk.path).leftOut += 1;
  const entries: TreeEntry[] = [];
  list(root, 0, entries);
  return entries;
}

function fileIn(root: Folder, path: string) {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  let folder = root;
  for (const part of parts) {
    const next = folder.folders.get(part) ?? { path: `${folder.path}${part}/`, folders: new Map(), files: new Map() };
    folder.folders.set(part, next);
    folder = next;
  }
  const file = folder.files.get(name) ?? { path, tokens: 0, chunks: 0, leftOut: 0 };
  folder.files.set(name, file);
  return file;
}

function list(folder: Folder, depth: number, into: TreeEntry[]): { tokens: number; chunks: number; leftOut: number } {
  const sum = { tokens: 0, chunks: 0, leftOut: 0 };
  const add = (part: { tokens: number; chunks: number; leftOut: number }) => {
    sum.tokens += part.tokens;
    sum.chunks += part.chunks;
    sum.leftOut += part.leftOut;
  };
  for (const name of [...folder.folders.keys()].sort()) {
    const [joined, label] = withoutSingles(folder.folders.get(name) as Folder, `${name}/`);
    const entry = { path: joined.path, name: label, depth, isFolder: true, tokens: 0, chunks: 0, leftOut: 0 };
    into.push(entry);
    const inside = list(joined, depth + 1, into);
    Object.assign(entry, inside);
    add(inside);
  }
  for (const name of [...folder.files.keys()].sort()) {
    const file = folder.files.get(name);
    if (!file) continue;
    into.push({ ...file, name, depth, isFolder: false });
    add(file);
  }
  return sum;
}

/** Joins a folder with its only entry, while that is a folder. */
function withoutSingles(folder: Folder, label: string): [Folder, string] {
  let [current, name] = [folder, label];
  for (let only = [...current.folders]; only.length === 1 && current.files.size === 0; only = [...current.folders]) {
    const [part, next] = only[0] as [string, Folder];
    [current, name] = [next, `${name}${part}/`];
  }
  return [current, name];
}

// File lines, cached between previews so that moving a slider does not fetch them again. A new pack
// clears the cache, since files may have changed.

import { fileLines } from "./client";
import type { FileLines } from "./types";

const MAX_ENTRIES = 40;
const cache = new Map<string, Promise<FileLines>>();

export function cachedLines(repo: string, path: string, start: number, end: number): Promise<FileLines> {
  const key = JSON.stringify([repo, path, start, end]);
  const lines = cache.get(key) ?? fileLines(repo, path, start, end);
  cache.set(key, lines);
  lines.catch(() => cache.delete(key));
  const oldest = cache.keys().next().value;
  if (cache.size > MAX_ENTRIES && oldest !== undefined) cache.delete(oldest);
  return lines;
}

export function clearFileCache(): void {
  cache.clear();
}

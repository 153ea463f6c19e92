// Files and their highlighting, cached between previews so that moving a slider does not fetch them again. A new
// pack clears the cache, since files may have changed.

import { fileLines } from "./client";
import { placeOf } from "./file-place";
import { highlight } from "./highlight";
import type { Token } from "./highlight-lines";
import type { FileLines, Pack } from "./types";

export interface LoadedFile {
  file: FileLines;
  lines: string[];
  /** Resolves to the tokens of each line, or to null. */
  tokens: Promise<Token[][] | null>;
}

const MAX_ENTRIES = 20;
/** Lines up to which a file is read from its beginning, so that a string that starts earlier is known. */
const MAX_FROM_START = 8000;
const CONTEXT_LINES = 400;
const cache = new Map<string, Promise<LoadedFile>>();

/** Loads the lines of a file of a pack around a range. */
export function loadFile(pack: Pack, path: string, start: number, end: number): Promise<LoadedFile> {
  const from = end <= MAX_FROM_START ? 1 : Math.max(1, start - CONTEXT_LINES);
  // Rounded up, so that neighboring chunks share an entry.
  const to = Math.ceil((end + CONTEXT_LINES) / 1000) * 1000;
  const place = placeOf(pack, path);
  const key = JSON.stringify([place, from, to]);
  const loaded = cache.get(key) ?? fileLines(place, from, to).then(prepared);
  cache.set(key, loaded);
  loaded.catch(() => cache.delete(key));
  const oldest = cache.keys().next().value;
  if (cache.size > MAX_ENTRIES && oldest !== undefined) cache.delete(oldest);
  return loaded;
}

export function clearFileCache(): void {
  cache.clear();
}

function prepared(file: FileLines): LoadedFile {
  const count = file.end_line < file.start_line || file.start_line === 0 ? 0 : file.end_line - file.start_line + 1;
  const lines = file.content.split("\n").slice(0, count).map((line) => line.replace(/\r$/, ""));
  return { file, lines, tokens: highlight(file.language ?? "", lines.join("\n")) };
}

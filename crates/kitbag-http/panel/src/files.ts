// Lines of files, remembered from one preview to the next, so that moving a weight does not read the
// same lines again and again. A new pack forgets them: files may have changed.

import { file } from "./api";
import type { FileLines } from "./types";

const MOST = 40;
const known = new Map<string, Promise<FileLines>>();

export function linesOf(repo: string, path: string, start: number, end: number): Promise<FileLines> {
  const key = JSON.stringify([repo, path, start, end]);
  const found = known.get(key) ?? file(repo, path, start, end);
  known.set(key, found);
  found.catch(() => known.delete(key));
  const oldest = known.keys().next().value;
  if (known.size > MOST && oldest !== undefined) known.delete(oldest);
  return found;
}

export function forgetFiles(): void {
  known.clear();
}

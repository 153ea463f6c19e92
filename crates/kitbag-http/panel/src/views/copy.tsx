// Copying: the whole text, or the lines of one file that are in the pack.

import { loadFile } from "../file-cache";
import { update } from "../store";
import type { Pack } from "../types";
import { visible } from "../visible";
import { IconButton } from "./parts";

/** Copies a text, with a fallback for pages that cannot use the clipboard API, and says whether it worked. */
export async function copy(text: string, what: string): Promise<void> {
  const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => copyBySelection(text));
  update({ message: isCopied ? `Copied ${what}.` : "The browser blocked access to the clipboard." });
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.className = "visually-hidden";
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

export const CopyFile = ({ path, pack }: { path: string; pack: Pack }) => (
  <IconButton icon="copy" label={`Copy the lines of ${visible(path)} that are in the pack`} data-edit="copy" onClick={(event: Event) => { event.stopPropagation(); void copyFile(path, pack); }} />
);

/** Copies the lines of a file that are in the pack. Gaps are marked. */
async function copyFile(path: string, pack: Pack): Promise<void> {
  const chunks = pack.report.included.filter((chunk) => chunk.path === path);
  const own = chunks.find(({ text }) => text != null)?.text;
  if (own != null) return copy(own, visible(path));
  const ranges = joined(chunks.flatMap(({ shown }) => shown));
  const [first, last] = [ranges[0]?.[0] ?? 1, ranges.at(-1)?.[1] ?? 1];
  const loaded = await loadFile(pack, path, first, last).catch(() => null);
  if (!loaded) return update({ message: `${visible(path)} cannot be read any more.` });
  const from = loaded.file.start_line;
  const parts = ranges.map(([start, end]) => loaded.lines.slice(start - from, end - from + 1).join("\n"));
  return copy(`${parts.join("\n...\n")}\n`, `the lines of ${visible(path)}`);
}

/** Sorts ranges, and joins those that touch. */
function joined(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1] + 1) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

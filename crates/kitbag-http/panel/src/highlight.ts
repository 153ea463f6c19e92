// Asks the worker to highlight a file.

import type { HighlightResult, Token } from "./highlight-lines";

/** Larger files are shown without highlighting. */
const MAX_CHARACTERS = 600_000;

let worker: Worker | null = null;
let count = 0;
const waiting = new Map<number, (lines: Token[][] | null) => void>();

/** Returns the tokens of each line, or null if the language is not highlighted. */
export function highlight(language: string, text: string): Promise<Token[][] | null> {
  if (text.length > MAX_CHARACTERS || language === "") return Promise.resolve(null);
  worker ??= startWorker();
  count += 1;
  const id = count;
  worker.postMessage({ id, language, text });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function startWorker(): Worker {
  const started = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<HighlightResult>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  });
  return started;
}

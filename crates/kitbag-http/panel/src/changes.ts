// What came in and what fell out between two packs. A chunk is the same where its file, its lines and
// its kind are; between packs of a repository that changed in the meantime, lines may have moved.

import type { Chunk, Report } from "./types";

export interface Change {
  chunk: Chunk;
  /** Its place in the ranking then and now, from 1, where it was in. */
  before: number | null;
  after: number | null;
  /** Why it is out now, or was out then. */
  reason: string;
}

export interface Changes {
  came: Change[];
  went: Change[];
  /** In both, but shown in another form: whole before, an outline now. */
  changed: Change[];
  /** In both, in the same form. */
  kept: number;
  /** How many of those stand at another rank. */
  moved: number;
}

export function chunkKey(chunk: Chunk): string {
  return JSON.stringify([chunk.path, chunk.start_line, chunk.end_line, chunk.kind]);
}

export function changes(before: Report, after: Report): Changes {
  const then = places(before.included);
  const now = places(after.included);
  const outThen = new Map(before.excluded.map((chunk) => [chunkKey(chunk), chunk]));
  const outNow = new Map(after.excluded.map((chunk) => [chunkKey(chunk), chunk]));
  const result: Changes = { came: [], went: [], changed: [], kept: 0, moved: 0 };
  for (const [key, { chunk, place }] of now) {
    const old = then.get(key);
    if (!old) {
      const reason = told(outThen.get(key), "not a candidate");
      result.came.push({ chunk, before: null, after: place, reason });
    } else if (old.chunk.form !== chunk.form) {
      const reason = `${old.chunk.form ?? "full"} before, ${chunk.form ?? "full"} now`;
      result.changed.push({ chunk, before: old.place, after: place, reason });
    } else {
      result.kept += 1;
      if (old.place !== place) result.moved += 1;
    }
  }
  for (const [key, { chunk, place }] of then) {
    if (now.has(key)) continue;
    const out = outNow.get(key);
    const reason = told(out, "not a candidate any more");
    result.went.push({ chunk: out ?? chunk, before: place, after: null, reason });
  }
  return result;
}

function places(chunks: Chunk[]): Map<string, { chunk: Chunk; place: number }> {
  return new Map(chunks.map((chunk, at) => [chunkKey(chunk), { chunk, place: at + 1 }]));
}

function told(chunk: Chunk | undefined, otherwise: string): string {
  return chunk ? (chunk.detail ?? chunk.reason ?? "") : otherwise;
}

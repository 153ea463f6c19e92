// Differences between two packs. Chunks are matched by file, lines and kind, so edits between the two
// packs that shift lines make chunks look new.

import type { Chunk, Report } from "./types";

export interface Change {
  chunk: Chunk;
  /** Rank in each pack, from 1; null where the chunk is excluded. */
  before: number | null;
  after: number | null;
  /** Why the chunk is excluded in one of the packs, or how its form differs. */
  reason: string;
}

export interface Changes {
  added: Change[];
  removed: Change[];
  /** Chunks in both packs that are shown in another form, such as full and outline. */
  reshaped: Change[];
  /** Number of chunks in both packs in the same form. */
  unchanged: number;
  /** Number of those with another rank. */
  reranked: number;
}

export function chunkKey(chunk: Chunk): string {
  return JSON.stringify([chunk.path, chunk.start_line, chunk.end_line, chunk.kind]);
}

export function compare(before: Report, after: Report): Changes {
  const ranksBefore = byKey(before.included);
  const ranksAfter = byKey(after.included);
  const excludedBefore = byKey(before.excluded);
  const excludedAfter = byKey(after.excluded);
  const result: Changes = { added: [], removed: [], reshaped: [], unchanged: 0, reranked: 0 };
  for (const [key, { chunk, rank }] of ranksAfter) {
    const old = ranksBefore.get(key);
    if (!old) {
      const reason = exclusionReason(excludedBefore.get(key)?.chunk, "not a candidate");
      result.added.push({ chunk, before: null, after: rank, reason });
    } else if (old.chunk.form !== chunk.form) {
      const reason = `${old.chunk.form ?? "full"} before, ${chunk.form ?? "full"} now`;
      result.reshaped.push({ chunk, before: old.rank, after: rank, reason });
    } else {
      result.unchanged += 1;
      if (old.rank !== rank) result.reranked += 1;
    }
  }
  for (const [key, { chunk, rank }] of ranksBefore) {
    if (ranksAfter.has(key)) continue;
    const excluded = excludedAfter.get(key)?.chunk;
    const reason = exclusionReason(excluded, "no longer a candidate");
    result.removed.push({ chunk: excluded ?? chunk, before: rank, after: null, reason });
  }
  return result;
}

function byKey(chunks: Chunk[]): Map<string, { chunk: Chunk; rank: number }> {
  return new Map(chunks.map((chunk, index) => [chunkKey(chunk), { chunk, rank: index + 1 }]));
}

function exclusionReason(chunk: Chunk | undefined, fallback: string): string {
  return chunk ? (chunk.detail ?? chunk.reason ?? "") : fallback;
}

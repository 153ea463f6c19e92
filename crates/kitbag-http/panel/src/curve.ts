// What each thousand tokens adds: the sum of the relevance of the chunks, in the order in which they were tried.
// Relevance is the chance that a chunk matters, so the sum is the number of chunks expected to matter.

import type { Chunk, Report } from "./types";

export interface CurvePoint {
  tokens: number;
  value: number;
}

/** Reasons of chunks that a larger budget, or filling it, would include. */
const WAITING_REASONS = new Set(["budget", "below_stop"]);

/** Returns the cumulative curve, from no tokens to all candidates. */
export function curveOf({ included, excluded }: Pick<Report, "included" | "excluded">): CurvePoint[] {
  const waiting = excluded.filter((chunk) => WAITING_REASONS.has(chunk.reason));
  const points: CurvePoint[] = [{ tokens: 0, value: 0 }];
  let [tokens, value] = [0, 0];
  for (const chunk of [...included, ...waiting] as Chunk[]) {
    tokens += chunk.tokens;
    value += chunk.factors?.relevance ?? 0;
    points.push({ tokens, value });
  }
  return points;
}

/** Returns the value of the curve at a number of tokens. */
export function valueAt(points: CurvePoint[], tokens: number): number {
  const after = points.findIndex((point) => point.tokens >= tokens);
  const next = points[after] ?? points.at(-1);
  const before = points[after - 1];
  if (!next || !before || after < 0) return next?.value ?? 0;
  const share = (tokens - before.tokens) / Math.max(1, next.tokens - before.tokens);
  return before.value + share * (next.value - before.value);
}

/** Returns what the next thousand tokens add. */
export const gainAt = (points: CurvePoint[], tokens: number): number => valueAt(points, tokens + 1000) - valueAt(points, tokens);

/** Returns the number of chunks of a list that are expected to matter. */
export const expectedRelevant = (chunks: Chunk[]): number => chunks.reduce((sum, chunk) => sum + (chunk.factors?.relevance ?? 0), 0);

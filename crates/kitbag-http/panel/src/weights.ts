// The three weights of a score. They are whole hundredths, so that they always sum to exactly 1.

import { FACTORS, type Factor, type Factors, type PackRequest, type Settings } from "./types";

export type Weights = Record<Factor, number>;

export const DEFAULT_WEIGHTS: Weights = { relevance: 50, recency: 30, source: 20 };

/** Sets one weight; the others share the rest as they did before. */
export function rebalance(weights: Weights, moved: Factor, value: number): Weights {
  const set = Math.min(100, Math.max(0, Math.round(value)));
  const [first, second] = FACTORS.filter((factor) => factor !== moved) as [Factor, Factor];
  const rest = 100 - set;
  const before = weights[first] + weights[second];
  const part = before > 0 ? weights[first] / before : 0.5;
  const firstShare = Math.round(rest * part);
  return { ...weights, [moved]: set, [first]: firstShare, [second]: rest - firstShare };
}

/** The weights as options of a request. */
export function weightOptions(weights: Weights): Record<string, number> {
  const entries = FACTORS.map((factor) => [`ranking.${factor}_weight`, weights[factor] / 100]);
  return Object.fromEntries(entries) as Record<string, number>;
}

/** The weights that a request asks for, on top of those that hold without it. */
export function weightsOf(request: PackRequest, otherwise: Weights): Weights {
  const options = request.options ?? {};
  const found = { ...otherwise };
  for (const factor of FACTORS) {
    const key = `ranking.${factor}_weight`;
    const value = options[key] ?? options[`context.${key}`];
    if (typeof value === "number") found[factor] = Math.round(value * 100);
  }
  return found;
}

/** What each factor adds to a score. */
export function contributions(factors: Factors, weights: Weights): Factors {
  return {
    relevance: (factors.relevance * weights.relevance) / 100,
    recency: (factors.recency * weights.recency) / 100,
    source: (factors.source * weights.source) / 100,
  };
}

/** The weights of settings. */
export function settingWeights(settings: Settings): Weights {
  const found = { ...DEFAULT_WEIGHTS };
  for (const factor of FACTORS) {
    const value = settings.get(`context.ranking.${factor}_weight`);
    if (typeof value === "number") found[factor] = Math.round(value * 100);
  }
  const sum = FACTORS.reduce((total, factor) => total + found[factor], 0);
  return sum === 100 ? found : DEFAULT_WEIGHTS;
}

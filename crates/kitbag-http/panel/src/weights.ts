// The ranking weights, as whole percentages so that they sum to exactly 100.

import { FACTORS, type Factor, type Factors, type PackRequest, type Settings } from "./types";

export type Weights = Record<Factor, number>;

export const DEFAULT_WEIGHTS: Weights = { relevance: 50, recency: 30, source: 20 };

/** Sets one weight and scales the others to the remainder. */
export function rebalance(weights: Weights, moved: Factor, value: number): Weights {
  const set = Math.min(100, Math.max(0, Math.round(value)));
  const [first, second] = FACTORS.filter((factor) => factor !== moved) as [Factor, Factor];
  const rest = 100 - set;
  const before = weights[first] + weights[second];
  const ratio = before > 0 ? weights[first] / before : 0.5;
  const firstWeight = Math.round(rest * ratio);
  return { ...weights, [moved]: set, [first]: firstWeight, [second]: rest - firstWeight };
}

/** Converts weights to request options. */
export function weightOptions(weights: Weights): Record<string, number> {
  return Object.fromEntries(FACTORS.map((factor) => [`ranking.${factor}_weight`, weights[factor] / 100]));
}

/** Returns the weights of a request, with those it does not set taken from `base`. */
export function weightsOf(request: PackRequest, base: Weights): Weights {
  const options = request.options ?? {};
  return readWeights(base, (key) => options[key] ?? options[`context.${key}`]);
}

/** Returns the configured weights. */
export function settingWeights(settings: Settings): Weights {
  const weights = readWeights(DEFAULT_WEIGHTS, (key) => settings.get(`context.${key}`));
  const sum = FACTORS.reduce((total, factor) => total + weights[factor], 0);
  return sum === 100 ? weights : DEFAULT_WEIGHTS;
}

function readWeights(base: Weights, read: (key: string) => unknown): Weights {
  const weights = { ...base };
  for (const factor of FACTORS) {
    const value = read(`ranking.${factor}_weight`);
    if (typeof value === "number") weights[factor] = Math.round(value * 100);
  }
  return weights;
}

/** Returns the contribution of each factor to a score. */
export function contributions(factors: Factors, weights: Weights): Factors {
  return {
    relevance: (factors.relevance * weights.relevance) / 100,
    recency: (factors.recency * weights.recency) / 100,
    source: (factors.source * weights.source) / 100,
  };
}

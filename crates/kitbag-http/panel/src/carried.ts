// What a request has beyond the fields of the form. Where a request is taken over, that is kept, shown
// and sent along, until it is dropped.

import type { Factor, PackRequest } from "./types";
import { FACTORS } from "./types";
import type { Weights } from "./weights";

/** The fields that the form has itself, and those that belong to whoever asked. */
const OWN = new Set([
  "task", "repo", "profile", "budget", "model", "format", "providers", "no_providers", "agent_id", "correlation_id",
]);

/** What can be packed without a task. */
const ENOUGH = ["sources", "document", "references", "open_files", "tool_results", "diagnostics", "situation"];

/** What a request has beyond the form, where the sliders can have its weights. */
export function beyondForm(request: PackRequest, isWeighted: boolean): PackRequest {
  const rest = Object.entries(request).filter(([name, value]) => !OWN.has(name) && isThere(value));
  const carried: PackRequest = Object.fromEntries(rest);
  if (!carried.options || !isWeighted) return carried;
  const options = withoutWeights(carried.options);
  if (Object.keys(options).length > 0) return { ...carried, options };
  const { options: _none, ...others } = carried;
  return others;
}

/** Options without the weights of a score, however they are spelled. */
export function withoutWeights(options: Record<string, unknown>): Record<string, unknown> {
  const keys = new Set(FACTORS.flatMap((factor) => spellings(factor)));
  return Object.fromEntries(Object.entries(options).filter(([key]) => !keys.has(key)));
}

/** Whether sliders can show these weights: whole hundredths that sum to 1. */
export function fitSliders(request: PackRequest, weights: Weights): boolean {
  const options = request.options ?? {};
  const given = FACTORS.flatMap((factor) => spellings(factor).map((key) => options[key]));
  const isWhole = given.every((value) => value === undefined || (typeof value === "number" && Math.abs(value * 100 - Math.round(value * 100)) < 1e-9));
  return isWhole && FACTORS.reduce((sum, factor) => sum + weights[factor], 0) === 100;
}

/** Whether there is something to pack without a task. */
export const isEnough = (carried: PackRequest): boolean => ENOUGH.some((name) => isThere(carried[name]));

/** What is carried, each field with how much it is: `references 2`. */
export function carriedFields(carried: PackRequest): { name: string; label: string; value: string }[] {
  return Object.entries(carried).map(([name, value]) => ({
    name,
    label: `${name.replaceAll("_", " ")}${amount(value)}`,
    value: JSON.stringify(value, null, 1).slice(0, 600),
  }));
}

function amount(value: unknown): string {
  if (Array.isArray(value)) return ` ${value.length}`;
  if (typeof value === "object" && value !== null) return ` ${Object.keys(value).length}`;
  return ` ${String(value)}`.slice(0, 40);
}

function isThere(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

const spellings = (factor: Factor): string[] => [`ranking.${factor}_weight`, `context.ranking.${factor}_weight`];

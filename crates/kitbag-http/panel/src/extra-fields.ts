// Request fields that the form has no input for. A request that is loaded into the form keeps them
// until the user removes them.

import { FACTORS, type Factor, type PackRequest } from "./types";
import type { Weights } from "./weights";

/** Fields with an input of their own, and those that identify the sender. */
const FORM_FIELDS = new Set([
  "task", "repo", "profile", "budget", "model", "format", "providers", "no_providers", "agent_id", "correlation_id",
]);

/** Fields that can be packed without a task. */
const CONTENT_FIELDS = ["sources", "document", "references", "open_files", "tool_results", "diagnostics", "situation"] as const;

/** Returns the fields without an input. Weights are left out if the sliders can show them. */
export function extraFieldsOf(request: PackRequest, areWeightsOnSliders: boolean): PackRequest {
  const entries = Object.entries(request).filter(([name, value]) => !FORM_FIELDS.has(name) && isPresent(value));
  const extra: PackRequest = Object.fromEntries(entries);
  if (!extra.options || !areWeightsOnSliders) return extra;
  extra.options = withoutWeights(extra.options);
  if (Object.keys(extra.options).length === 0) delete extra.options;
  return extra;
}

/** Removes the ranking weights from options, in either spelling of their keys. */
export function withoutWeights(options: Record<string, unknown>): Record<string, unknown> {
  const keys = new Set(FACTORS.flatMap(weightKeys));
  return Object.fromEntries(Object.entries(options).filter(([key]) => !keys.has(key)));
}

/** Returns whether the sliders can show these weights: whole percentages that sum to 100. */
export function fitsSliders(request: PackRequest, weights: Weights): boolean {
  const options = request.options ?? {};
  const isWholePercentage = (value: unknown) => typeof value === "number" && Math.abs(value * 100 - Math.round(value * 100)) < 1e-9;
  const given = FACTORS.flatMap(weightKeys).map((key) => options[key]).filter((value) => value !== undefined);
  return given.every(isWholePercentage) && FACTORS.reduce((sum, factor) => sum + weights[factor], 0) === 100;
}

/** Returns whether a request can be packed without a task. */
export const hasContent = (request: PackRequest): boolean => CONTENT_FIELDS.some((name) => isPresent(request[name]));

/** Describes each field by its name and size, such as `references 2`. */
export function describeExtraFields(extra: PackRequest): { name: keyof PackRequest; label: string; value: string }[] {
  return Object.entries(extra).map(([name, value]) => ({
    name: name as keyof PackRequest,
    label: `${name.replaceAll("_", " ")} ${size(value)}`,
    value: JSON.stringify(value, null, 1).slice(0, 600),
  }));
}

function size(value: unknown): string {
  if (typeof value === "object" && value !== null) return String(Object.keys(value).length);
  return String(value).slice(0, 40);
}

function isPresent(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

const weightKeys = (factor: Factor): string[] => [`ranking.${factor}_weight`, `context.ranking.${factor}_weight`];

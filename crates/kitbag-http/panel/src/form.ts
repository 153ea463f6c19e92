// The form's values, and their conversion from and to a request. Fields without an input of their own are
// kept as `extra`, so that a request that is loaded into the form stays complete.

import { parseTokens } from "./format";
import { FACTORS, type Factor, type PackRequest } from "./types";
import { weightOptions, weightsOf, type Weights } from "./weights";

export interface Form {
  task: string;
  repo: string;
  profile: string;
  /** Text of the field: a number, or a number with a unit such as `32k`. */
  budget: string;
  model: string;
  format: string;
  /** Weights of the sliders, once moved. */
  weights: Weights | null;
  /** Providers that the user switched on or off. */
  switches: Record<string, boolean>;
  /** Files and line ranges that go in first: `src/a.rs:10-40`. */
  pins: string[];
  /** Globs, and line ranges of files, that are left out. */
  excludes: string[];
  fill: boolean;
  extra: PackRequest;
}

export const DEFAULT_PROFILE = "agent";

export const EMPTY_FORM: Form = {
  task: "", repo: "", profile: DEFAULT_PROFILE, budget: "", model: "", format: "", weights: null, switches: {}, pins: [], excludes: [], fill: false,
  extra: {},
};

/** Fields with an input of their own, and those that identify the sender. */
const FORM_FIELDS = new Set([
  "task", "repo", "profile", "budget", "model", "format", "providers", "no_providers", "references", "exclude", "fill", "agent_id", "correlation_id",
]);

/** Fields that can be packed without a task. */
const CONTENT_FIELDS = ["sources", "document", "references", "open_files", "tool_results", "diagnostics", "situation", "diff"] as const;

/** Returns the request of a form. An unreadable budget is left out; `problemOf` reports it. */
export function toRequest(form: Form): PackRequest {
  const request: PackRequest = { ...form.extra, agent_id: "page" };
  if (form.task.trim()) request.task = form.task.trim();
  if (form.repo) request.repo = form.repo;
  if (form.profile && form.profile !== DEFAULT_PROFILE) request.profile = form.profile;
  const tokens = parseTokens(form.budget);
  if (tokens !== null) request.budget = tokens;
  if (form.model.trim()) request.model = form.model.trim();
  if (form.format) request.format = form.format as NonNullable<PackRequest["format"]>;
  if (form.weights) request.options = { ...withoutWeights(request.options ?? {}), ...weightOptions(form.weights) };
  const switched = (isOn: boolean) => Object.keys(form.switches).filter((id) => form.switches[id] === isOn);
  if (switched(true).length > 0) request.providers = switched(true);
  if (switched(false).length > 0) request.no_providers = switched(false);
  if (form.pins.length > 0) request.references = form.pins;
  if (form.excludes.length > 0) request.exclude = form.excludes;
  if (form.fill) request.fill = true;
  return request;
}

/** Loads a request into a form. `base` are the configured weights, which the request may override. */
export function fromRequest(request: PackRequest, base: Weights): Form {
  const weights = weightsOf(request, base);
  const isOnSliders = fitsSliders(request, weights);
  const switches = [
    ...(request.providers ?? []).map((id): [string, boolean] => [id, true]),
    ...(request.no_providers ?? []).map((id): [string, boolean] => [id, false]),
  ];
  return {
    task: request.task ?? "",
    repo: request.repo ?? "",
    profile: request.profile ?? DEFAULT_PROFILE,
    budget: String(request.budget ?? ""),
    model: request.model ?? "",
    format: request.format ?? "",
    weights: isOnSliders && hasWeights(request) ? weights : null,
    switches: Object.fromEntries(switches),
    pins: request.references ?? [],
    excludes: request.exclude ?? [],
    fill: request.fill ?? false,
    extra: extraFieldsOf(request, isOnSliders),
  };
}

/** An input that cannot be sent, and why. */
export interface FieldProblem {
  field: "task" | "budget";
  message: string;
}

export function problemOf(form: Form): FieldProblem | null {
  const tokens = form.budget.trim() === "" ? undefined : parseTokens(form.budget);
  if (tokens === null || tokens === 0) return { field: "budget", message: "Enter a number of tokens, such as 8000 or 32k." };
  if (form.task.trim() === "" && !hasContent(toRequest(form))) {
    return { field: "task", message: "Enter a task: a question, a bug report, a stack trace." };
  }
  return null;
}

/** Removes the fields that identify the sender, and sorts the rest. */
export function withoutSender(request: PackRequest): PackRequest {
  const { agent_id: _agent, correlation_id: _correlation, ...rest } = request;
  const present = Object.entries(rest).filter(([, value]) => isPresent(value));
  return Object.fromEntries(present.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns whether two requests ask for the same pack. The default profile can be named or not. */
export function isSameRequest(a: PackRequest, b: PackRequest): boolean {
  const text = (request: PackRequest) => JSON.stringify(withoutSender({ ...request, profile: request.profile ?? DEFAULT_PROFILE }));
  return text(a) === text(b);
}

/** Returns the fields without an input. Weights are left out if the sliders can show them. */
export function extraFieldsOf(request: PackRequest, areWeightsOnSliders: boolean): PackRequest {
  const entries = Object.entries(request).filter(([name, value]) => !FORM_FIELDS.has(name) && isPresent(value));
  const extra: PackRequest = Object.fromEntries(entries);
  if (!extra.options || !areWeightsOnSliders) return extra;
  extra.options = withoutWeights(extra.options);
  if (Object.keys(extra.options).length === 0) delete extra.options;
  return extra;
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

/** Describes each field by its name and size, such as `open files 2`. */
export function describeExtraFields(extra: PackRequest): { name: keyof PackRequest; label: string; value: string }[] {
  return Object.entries(extra).map(([name, value]) => ({
    name: name as keyof PackRequest,
    label: `${name.replaceAll("_", " ")} ${size(value)}`,
    value: JSON.stringify(value, null, 1).slice(0, 600),
  }));
}

function hasWeights(request: PackRequest): boolean {
  return FACTORS.flatMap(weightKeys).some((key) => request.options?.[key] !== undefined);
}

/** Removes the ranking weights from options, in either spelling of their keys. */
function withoutWeights(options: Record<string, unknown>): Record<string, unknown> {
  const keys = new Set(FACTORS.flatMap(weightKeys));
  return Object.fromEntries(Object.entries(options).filter(([key]) => !keys.has(key)));
}

function size(value: unknown): string {
  if (typeof value === "object" && value !== null) return String(Object.keys(value).length);
  return String(value).slice(0, 40);
}

function isPresent(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

const weightKeys = (factor: Factor): string[] => [`ranking.${factor}_weight`, `context.ranking.${factor}_weight`];

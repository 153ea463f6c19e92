// What the page knows, and the few ways in which that changes. Views read it and are told of changes;
// none of them changes it but through these functions.

import { changes, type Changes } from "./changes";
import type { Problem } from "./api";
import type { Pack, PackRequest, Provider, Settings, Summary } from "./types";
import { DEFAULT_WEIGHTS, type Weights } from "./weights";

export interface State {
  /** The pack that is looked at, and the one that it is held against. */
  pack: Pack | null;
  last: Pack | null;
  changes: Changes | null;
  /** Whether what is looked at is only what would be packed. */
  isPreview: boolean;
  /** Where the pack is from, where it is not what the form asked for last. */
  visiting: Summary | null;
  isBusy: boolean;
  problem: Problem | null;
  /** The settings that hold without a request's own, for the form's repository and profile. */
  settings: Settings;
  /** The providers of the form's repository and profile. */
  providers: Provider[];
  /** The weights that hold without a request's own, and those of the sliders where they were moved. */
  baseWeights: Weights;
  weights: Weights | null;
  /** Providers that were switched by hand. */
  switched: Map<string, boolean>;
  /** What a request that was taken over has beyond the form. */
  carried: PackRequest;
  feed: Summary[];
  /** The ids of the packs that this page had made. */
  mine: Set<string>;
}

export const state: State = {
  pack: null,
  last: null,
  changes: null,
  isPreview: false,
  visiting: null,
  isBusy: false,
  problem: null,
  settings: new Map(),
  providers: [],
  baseWeights: DEFAULT_WEIGHTS,
  weights: null,
  switched: new Map(),
  carried: {},
  feed: [],
  mine: new Set(),
};

type Topic = "pack" | "busy" | "problem" | "weights" | "providers" | "feed" | "carried";
const listeners: [Topic, () => void][] = [];

/** Calls back whenever something of that topic has changed. */
export function on(topic: Topic, listener: () => void): void {
  listeners.push([topic, listener]);
}

export function tell(...topics: Topic[]): void {
  for (const [topic, listener] of listeners) if (topics.includes(topic)) listener();
}

export interface Showing {
  /** The pack to hold it against, where both are of the same task. */
  against?: Pack | null;
  visiting?: Summary | null;
  isPreview?: boolean;
}

/** Shows a pack. */
export function show(pack: Pack, { against = null, visiting = null, isPreview = false }: Showing = {}): void {
  const last = against !== null && isSameTask(against.request, pack.request) ? against : null;
  state.last = last;
  state.changes = last ? changes(last.report, pack.report) : null;
  state.pack = pack;
  state.isPreview = isPreview;
  state.visiting = visiting;
  state.problem = null;
  tell("pack", "problem", "providers", "weights", "feed");
}

/** Shows no pack. */
export function showNothing(): void {
  Object.assign(state, { pack: null, last: null, changes: null, isPreview: false, visiting: null });
  tell("pack", "feed", "providers");
}

/** Whether two requests are about the same task in the same repository: others are not worth comparing. */
export function isSameTask(one: PackRequest, other: PackRequest): boolean {
  const task = (request: PackRequest) => (request.task ?? "").trim();
  return task(one) !== "" && task(one) === task(other) && (one.repo ?? "") === (other.repo ?? "");
}

/** The newest first, each once. */
export function remember(summaries: Summary[]): void {
  const known = new Set(state.feed.map((summary) => summary.id));
  const fresh = summaries.filter((summary) => !known.has(summary.id));
  if (fresh.length === 0) return;
  state.feed = [...fresh, ...state.feed].sort((a, b) => moment(b) - moment(a)).slice(0, 100);
  tell("feed");
}

function moment(summary: Summary): number {
  const time = summary.time;
  if (typeof time === "number") return time;
  return new Date(time).getTime() || 0;
}

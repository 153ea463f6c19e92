// What the page knows, and the few ways in which that changes. Views read it and are told of changes;
// none of them changes it but through these functions.

import { changes, type Changes } from "./changes";
import type { Problem } from "./api";
import type { Pack, Summary } from "./types";
import { DEFAULT_WEIGHTS, type Weights } from "./weights";

export interface State {
  /** The pack that is looked at, and the one before it. */
  pack: Pack | null;
  last: Pack | null;
  changes: Changes | null;
  /** Where the pack is from, where it is not the page's own. */
  visiting: Summary | null;
  isBusy: boolean;
  problem: Problem | null;
  /** The settings that hold without a request's own, and the profile that they are of. */
  settings: Map<string, unknown>;
  settingsOf: string;
  /** The weights that hold without a request's own, and those of the sliders where they were moved. */
  baseWeights: Weights;
  weights: Weights | null;
  /** Providers that were switched by hand. */
  switched: Map<string, boolean>;
  feed: Summary[];
}

export const state: State = {
  pack: null,
  last: null,
  changes: null,
  visiting: null,
  isBusy: false,
  problem: null,
  settings: new Map(),
  settingsOf: "",
  baseWeights: DEFAULT_WEIGHTS,
  weights: null,
  switched: new Map(),
  feed: [],
};

type Topic = "pack" | "busy" | "problem" | "weights" | "providers" | "feed";
const listeners: [Topic, () => void][] = [];

/** Calls back whenever something of that topic has changed. */
export function on(topic: Topic, listener: () => void): void {
  listeners.push([topic, listener]);
}

export function tell(...topics: Topic[]): void {
  for (const [topic, listener] of listeners) if (topics.includes(topic)) listener();
}

/** Shows a pack. It is held against the last one where both are of the same repository. */
export function show(pack: Pack, visiting: Summary | null = null): void {
  const before = state.pack;
  const isComparable = before !== null && (before.request.repo ?? "") === (pack.request.repo ?? "");
  state.last = isComparable ? before : null;
  state.changes = isComparable ? changes(before.report, pack.report) : null;
  state.pack = pack;
  state.visiting = visiting;
  state.problem = null;
  tell("pack", "problem", "providers", "weights", "feed");
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

// State of the page. Views subscribe to topics and render again when one changes.

import { compare, type Changes } from "./changes";
import type { Problem } from "./client";
import type { Pack, PackRequest, PackSummary, Provider, Settings } from "./types";
import { DEFAULT_WEIGHTS, type Weights } from "./weights";

const MAX_FEED_LENGTH = 100;

export interface State {
  /** Pack on screen, and the pack it is compared with. */
  pack: Pack | null;
  baseline: Pack | null;
  changes: Changes | null;
  isPreview: boolean;
  /** Summary of the pack on screen, if it is not the form's last one. */
  viewing: PackSummary | null;
  isBusy: boolean;
  problem: Problem | null;
  /** Settings and providers of the repository and profile in the form. */
  settings: Settings;
  providers: Provider[];
  /** Configured weights, and those of the sliders once moved. */
  baseWeights: Weights;
  weights: Weights | null;
  /** Providers switched by the user. */
  providerOverrides: Map<string, boolean>;
  /** Fields of a loaded request that the form has no input for. */
  extraFields: PackRequest;
  feed: PackSummary[];
  /** Ids of the packs this page made. */
  ownPackIds: Set<string>;
}

export const state: State = {
  pack: null,
  baseline: null,
  changes: null,
  isPreview: false,
  viewing: null,
  isBusy: false,
  problem: null,
  settings: new Map(),
  providers: [],
  baseWeights: DEFAULT_WEIGHTS,
  weights: null,
  providerOverrides: new Map(),
  extraFields: {},
  feed: [],
  ownPackIds: new Set(),
};

type Topic = "pack" | "busy" | "problem" | "weights" | "providers" | "feed" | "extraFields";
const listeners: [Topic, () => void][] = [];

/** Calls `listener` whenever `topic` changes. */
export function on(topic: Topic, listener: () => void): void {
  listeners.push([topic, listener]);
}

export function notify(...topics: Topic[]): void {
  for (const [topic, listener] of listeners) if (topics.includes(topic)) listener();
}

export interface ShowOptions {
  /** Pack to compare with; ignored if its task differs. */
  baseline?: Pack | null;
  viewing?: PackSummary | null;
  isPreview?: boolean;
}

export function showPack(pack: Pack, { baseline = null, viewing = null, isPreview = false }: ShowOptions = {}): void {
  const comparable = baseline !== null && isSameTask(baseline.request, pack.request) ? baseline : null;
  const changes = comparable ? compare(comparable.report, pack.report) : null;
  Object.assign(state, { pack, baseline: comparable, changes, isPreview, viewing, problem: null });
  notify("pack", "problem", "providers", "weights", "feed");
}

export function clearPack(): void {
  Object.assign(state, { pack: null, baseline: null, changes: null, isPreview: false, viewing: null });
  notify("pack", "feed", "providers");
}

function isSameTask(a: PackRequest, b: PackRequest): boolean {
  const task = (request: PackRequest) => (request.task ?? "").trim();
  return task(a) !== "" && task(a) === task(b) && (a.repo ?? "") === (b.repo ?? "");
}

/** Adds packs to the feed, newest first and each once. */
export function addToFeed(summaries: PackSummary[]): void {
  const known = new Set(state.feed.map((summary) => summary.id));
  const added = summaries.filter((summary) => !known.has(summary.id));
  if (added.length === 0) return;
  const time = (summary: PackSummary) => new Date(summary.created_at).getTime() || 0;
  state.feed = [...added, ...state.feed].sort((a, b) => time(b) - time(a)).slice(0, MAX_FEED_LENGTH);
  notify("feed");
}

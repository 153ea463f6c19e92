// State of the page. Components render it as a whole; functions elsewhere replace parts of it.

import { useEffect, useState } from "preact/hooks";
import { compare, type Changes } from "./changes";
import type { Problem } from "./client";
import { EMPTY_FORM, isSameRequest, toRequest, type Form } from "./form";
import type { Chunk, Model, Pack, PackRequest, PackSummary, Profile, Provider, Repository, Settings } from "./types";
import { DEFAULT_WEIGHTS, type Weights } from "./weights";

const MAX_FEED_LENGTH = 200;
export const PRICE_KEY = "kitbag.price";

export const TABS = ["included", "files", "excluded", "changes", "text", "rules", "details"] as const;
export type TabName = (typeof TABS)[number];

/** The pack on screen. */
export interface Shown {
  pack: Pack;
  /** Pack that it is compared with. */
  baseline: Pack | null;
  changes: Changes | null;
  isPreview: boolean;
  /** Summary of a pack that was opened from the history. */
  summary: PackSummary | null;
}

export interface State {
  repositories: Repository[];
  models: Model[];
  profiles: Profile[];
  /** Providers, settings and weights of the repository and profile in the form. */
  providers: Provider[];
  settings: Settings;
  baseWeights: Weights;
  form: Form;
  /** Input of the form that cannot be sent. */
  invalid: { field: string; message: string } | null;
  shown: Shown | null;
  isBusy: boolean;
  /** Progress of indexing, if the running request waits for it. */
  indexing: { done: number; total: number } | null;
  problem: Problem | null;
  connection: "connecting" | "live" | "lost";
  feed: PackSummary[];
  examples: string[];
  tab: TabName;
  /** Selected chunk, by its key, and the line to scroll to. */
  selected: string;
  line: number | null;
  filter: string;
  /** Price of a million tokens in dollars; 0 if the user has not set one. */
  price: number;
  /** Number of chunks that the last move of each weight changed. */
  moved: { weight: string; changed: number; reranked: number } | null;
  message: string;
}

let state: State = {
  repositories: [], models: [], profiles: [], providers: [], settings: new Map(), baseWeights: DEFAULT_WEIGHTS, form: EMPTY_FORM, invalid: null,
  shown: null, isBusy: false, indexing: null, problem: null, connection: "connecting", feed: [], examples: [], tab: "included", selected: "", line: null,
  filter: "", price: Number(localStorage.getItem(PRICE_KEY)) || 0, moved: null, message: "",
};
const listeners = new Set<(state: State) => void>();

export const getState = (): State => state;

export function update(changes: Partial<State>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener(state);
}

/** Changes values of the form. Problems of the fields that changed are cleared. */
export function updateForm(changes: Partial<Form>): void {
  const isFixed = state.invalid !== null && state.invalid.field in changes;
  update({ form: { ...state.form, ...changes }, ...(isFixed && { invalid: null, problem: null }) });
}

/** Returns the state, and renders the component again when it changes. */
export function useStore(): State {
  const [current, setCurrent] = useState(state);
  useEffect(() => {
    listeners.add(setCurrent);
    setCurrent(state);
    return () => void listeners.delete(setCurrent);
  }, []);
  return current;
}

/** Returns what is on screen once a pack is shown, compared with another one. */
export function shownPack(pack: Pack, baseline: Pack | null, more: Partial<Shown> = {}): Shown {
  return { pack, baseline, changes: baseline ? compare(baseline.report, pack.report) : null, isPreview: false, summary: null, ...more };
}

/** Returns whether two requests have the same task and repository. */
export function isSameTask(a: PackRequest, b: PackRequest): boolean {
  const task = (request: PackRequest) => (request.task ?? "").trim();
  return task(a) !== "" && task(a) === task(b) && (a.repo ?? "") === (b.repo ?? "");
}

/** Returns whether the form has changed since the pack on screen. */
export function isOutdated({ shown, form }: State): boolean {
  return shown !== null && shown.summary === null && !shown.isPreview && !isSameRequest(shown.pack.request, toRequest(form));
}

/** Returns summaries with the tasks that the page still knows. Records of a restarted server have other ids and no tasks. */
export function withTasks(feed: PackSummary[], summaries: PackSummary[]): PackSummary[] {
  const known = new Map(feed.filter(({ has_task: hasTask }) => hasTask).map(({ correlation_id: id, task }) => [id, task]));
  return summaries.map((summary) => {
    const task = summary.has_task || !summary.correlation_id ? undefined : known.get(summary.correlation_id);
    return task === undefined ? summary : { ...summary, task, has_task: true };
  });
}

/** Returns the packs of the feed with others added, newest first and each once. */
export function withFeed(feed: PackSummary[], summaries: PackSummary[]): PackSummary[] {
  const known = new Set(summaries.map(({ id }) => id));
  const time = (summary: PackSummary) => new Date(summary.created_at).getTime() || 0;
  const all = [...summaries, ...feed.filter(({ id }) => !known.has(id))];
  return all.sort((a, b) => time(b) - time(a)).slice(0, MAX_FEED_LENGTH);
}

/** Returns the chunks of the list that is open. */
export const chunksOf = (pack: Pack, tab: TabName): Chunk[] => (tab === "excluded" ? pack.report.excluded : pack.report.included);

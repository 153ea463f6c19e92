// Requests of this page: packs of the form, previews while a slider moves, and packs of the history. A newer
// request supersedes the one in flight. Each pack has an entry in the history of the browser.

import { chunkKey } from "./changes";
import * as client from "./client";
import { Problem } from "./client";
import { clearFileCache } from "./file-cache";
import { fromRequest, isSameRequest, problemOf, toRequest, type Form } from "./form";
import { count, integer } from "./format";
import { packFragment, readFragment, requestFragment } from "./fragment";
import { loadChoices } from "./choices";
import { getState, isSameTask, shownPack, update, withFeed, type Shown, type State } from "./store";
import type { Pack, PackRequest, PackSummary } from "./types";

/** Packs that back and forward return to without another request. */
const MAX_VISITED = 30;
/** Interval at which the progress of indexing is asked for; most packs are faster. */
const PROGRESS_INTERVAL_MS = 400;
/** Fields of the form that an error code is about. */
const FIELD_OF_CODE: Record<string, string> = {
  unknown_model: "model", needs_tokenizer: "model", budget: "budget", unknown_repository: "repo", nothing_to_pack: "task", reference: "pins",
  not_found: "pins", not_a_file: "pins", glob: "excludes",
};

let running: AbortController | null = null;
let previewing: AbortController | null = null;
let nextPreview: { request: PackRequest; weight: string } | null = null;
/** Name of the weight that is being moved, if any. */
let movedWeight = "";
/** The last pack of the form, which previews are compared with. */
let own: Pack | null = null;
const visited = new Map<string, Shown>();

export const hasOwnPack = (): boolean => own !== null;

/** Packs the form, or marks its invalid input. Returns whether a pack was made. */
export async function submit(form: Form = getState().form): Promise<boolean> {
  const invalid = problemOf(form);
  if (invalid) {
    update({ form, invalid });
    document.getElementById(invalid.field)?.focus();
    return false;
  }
  update({ form, invalid: null });
  return pack(toRequest(form));
}

/** Packs a request. `summary` marks a variant of a pack of the history, which does not become the form's. */
export async function pack(request: PackRequest, summary: PackSummary | null = null): Promise<boolean> {
  const before = getState().shown;
  const previous = before?.isPreview ? own : (before?.pack ?? null);
  const made = await run((signal) => client.pack(request, signal));
  if (!made) return false;
  made.settings = summary ? (before?.pack.settings ?? new Map()) : getState().settings;
  clearFileCache();
  if (!summary) own = made;
  const baseline = previous && isSameTask(previous.request, made.request) ? previous : null;
  const shown = shownPack(made, baseline, { summary });
  show(shown, { message: announcement(shown), moved: null });
  visit(requestFragment(request), shown);
  return true;
}

/** Previews a request against the form's last pack. While one preview runs, only the newest request waits. */
export async function preview(request: PackRequest, weight = ""): Promise<void> {
  nextPreview = { request, weight };
  movedWeight = weight;
  if (previewing) return;
  const controller = new AbortController();
  previewing = controller;
  while (nextPreview !== null) {
    const next: { request: PackRequest; weight: string } = nextPreview;
    nextPreview = null;
    // Errors are ignored here: the pack that follows reports them.
    const made = await client.preview(next.request, controller.signal).catch(() => null);
    if (previewing !== controller) return;
    if (!made || !own) continue;
    made.settings = getState().settings;
    const shown = shownPack(made, isSameTask(own.request, made.request) ? own : null, { isPreview: true });
    show(shown, { moved: effectOf(next.weight, shown) });
  }
  previewing = null;
}

export function stopPreviews(): void {
  previewing?.abort();
  previewing = null;
  nextPreview = null;
}

/** Ends the previews of a slider that was released: packs, unless it is back where it was. */
export function release(): void {
  const { form } = getState();
  if (!own) return;
  stopPreviews();
  const weight = movedWeight;
  movedWeight = "";
  const last = visited.get(requestFragment(own.request));
  if (isSameRequest(own.request, toRequest(form))) return void (last && show(last, { moved: null }));
  void submit().then((isDone) => isDone && update({ moved: effectOf(weight, getState().shown) }));
}

/** Returns how many chunks a moved weight changes, compared with the pack before. */
function effectOf(weight: string, shown: Shown | null): State["moved"] {
  if (weight === "" || !shown?.changes) return null;
  const { added, removed, reranked } = shown.changes;
  return { weight, changed: added.length + removed.length, reranked };
}

/** Shows a pack of the history. */
export async function open(id: string, isVisit = true): Promise<boolean> {
  stopPreviews();
  const found = await run((signal) => client.packById(id, signal));
  if (!found) return false;
  const settings = await client.settings(found.request.repo ?? "", found.request.profile ?? "").catch(() => null);
  const pack = { ...found, ...(settings && { settings }) };
  const summary = getState().feed.find((it) => it.id === id) ?? null;
  clearFileCache();
  const shown = shownPack(pack, own && isSameTask(own.request, pack.request) && own.id !== id ? own : null, { summary });
  show(shown, { message: announcement(shown) });
  if (isVisit) visit(packFragment(id), shown);
  return true;
}

/** Compares the pack on screen with any other. */
export async function compareWith(id: string): Promise<void> {
  const { shown } = getState();
  if (!shown) return;
  const baseline = id === "" ? null : await client.packById(id).catch((error: unknown) => void showProblem(error));
  if (baseline === undefined) return;
  const current = getState().shown;
  if (current?.pack === shown.pack) update({ shown: { ...shownPack(shown.pack, baseline), summary: shown.summary }, tab: "changes" });
}

/** Loads the request of the pack on screen into the form. */
export async function adopt(): Promise<void> {
  const { shown } = getState();
  if (!shown) return;
  const { task } = shown.pack.request;
  await loadForm(shown.pack.request);
  own = shown.pack;
  update({ shown: { ...shown, summary: null }, ...(!task && { invalid: { field: "task", message: "The task of this pack is unknown. Enter it again." } }) });
  if (task) visit(requestFragment(shown.pack.request), { ...shown, summary: null });
  document.getElementById("task")?.focus();
}

/** Returns from a pack of the history to the form's last pack. */
export function closeViewed(): void {
  if (!own) {
    history.pushState(null, "", location.pathname);
    return update({ shown: null });
  }
  const fragment = requestFragment(own.request);
  const shown = visited.get(fragment) ?? shownPack(own, null);
  show(shown);
  visit(fragment, shown);
}

/** Shows what the address of the page names. Called on start, and when the user goes back or forward. */
export async function restore(): Promise<void> {
  const fragment = location.hash.slice(1);
  const known = visited.get(fragment);
  const address = readFragment(fragment);
  stopPreviews();
  running?.abort();
  if (address && "packId" in address) return void (known ? show(known) : await open(address.packId, false));
  if (!address) return update({ shown: null, isBusy: false, problem: null });
  await loadForm(address.request);
  if (known) {
    own = known.pack;
    return show(known);
  }
  const form = getState().form;
  if (problemOf(form)) return;
  // A reload shows the same pack again, as long as the server has it.
  const { packId } = (history.state ?? {}) as { packId?: string };
  const kept = packId ? await client.packById(packId).catch(() => null) : null;
  if (!kept) return void (await submit());
  kept.settings = getState().settings;
  own = kept;
  const shown = shownPack(kept, null);
  visited.set(fragment, shown);
  show(shown);
}

export async function loadForm(request: PackRequest): Promise<void> {
  const { form, repositories } = getState();
  const repo = request.repo ?? repositories[0]?.name ?? form.repo;
  update({ form: { ...fromRequest(request, getState().baseWeights), repo }, invalid: null });
  await loadChoices(true);
  update({ form: { ...fromRequest(request, getState().baseWeights), repo } });
}

export function showProblem(error: unknown): void {
  const problem = error instanceof Problem ? error : new Problem("Page error", String(error));
  const field = FIELD_OF_CODE[problem.code] ?? (/profile `/.test(problem.detail) ? "profile" : "");
  update({
    problem, invalid: field ? { field, message: problem.detail } : null,
    ...(problem.status === 0 && error instanceof Problem && { connection: "lost" as const }),
  });
}

/** Adds packs to the list of packs. */
export const addToFeed = (summaries: PackSummary[]): void => update({ feed: withFeed(getState().feed, summaries) });

/** Runs a request that replaces the one in flight. Returns null if it failed or was superseded. */
async function run(call: (signal: AbortSignal) => Promise<Pack>): Promise<Pack | null> {
  running?.abort();
  stopPreviews();
  const controller = new AbortController();
  running = controller;
  update({ isBusy: true, indexing: null });
  const timer = window.setInterval(() => void showProgress(controller), PROGRESS_INTERVAL_MS);
  try {
    const made = await call(controller.signal);
    return running === controller ? made : null;
  } catch (error) {
    if (running === controller) showProblem(error);
    return null;
  } finally {
    clearInterval(timer);
    if (running === controller) update({ isBusy: false, indexing: null });
  }
}

/** Shows how far indexing is, while a request waits for it. */
async function showProgress(controller: AbortController): Promise<void> {
  const progress = await client.progress().catch(() => null);
  if (running !== controller || !getState().isBusy) return;
  update({ indexing: progress && progress.done < progress.total ? progress : null });
}

function show(shown: Shown, more: Parameters<typeof update>[0] = {}): void {
  const { selected, shown: before, filter } = getState();
  const keys = new Set([...shown.pack.report.included, ...shown.pack.report.excluded].map(chunkKey));
  const isOther = before !== null && !isSameTask(before.pack.request, shown.pack.request);
  update({
    shown, problem: null, invalid: null, selected: keys.has(selected) ? selected : "", line: null, filter: isOther ? "" : filter, ...more,
  });
}

/** Adds an entry to the history of the browser. */
function visit(fragment: string, shown: Shown): void {
  visited.delete(fragment);
  visited.set(fragment, shown);
  const [oldest] = visited.keys();
  if (visited.size > MAX_VISITED && oldest !== undefined) visited.delete(oldest);
  const url = `${location.pathname}#${fragment}`;
  const isSame = location.hash.slice(1) === fragment || location.hash === "";
  history[isSame ? "replaceState" : "pushState"]({ packId: shown.pack.id }, "", url);
}

/** Returns the message for screen readers. */
function announcement({ pack: { report }, changes }: Shown): string {
  const changed = changes ? `, ${changes.added.length} added, ${changes.removed.length} removed` : "";
  return `Packed ${count(report.total_tokens, "token")} of ${integer(report.budget)}, ${count(report.included.length, "chunk")}${changed}.`;
}


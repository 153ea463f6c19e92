// Packs of this page: those the form requested, previews while a slider moves, and viewing other packs.
// A newer request supersedes the one in flight.

import * as client from "./client";
import { Problem } from "./client";
import { clearFileCache } from "./file-cache";
import { clearPack, notify, showPack, state } from "./state";
import type { Pack, PackRequest, PackSummary, Settings } from "./types";

/** The last pack of the form, and the one before it. */
let own: { pack: Pack; previous: Pack | null } | null = null;
let packing: AbortController | null = null;
let previewing: AbortController | null = null;
let nextPreview: PackRequest | null = null;
let viewCount = 0;

/** Returns whether the form has made a pack yet. */
export const hasOwnPack = (): boolean => own !== null;

/** Returns whether the form's last pack is of this request. */
export function isOwnRequest(request: PackRequest): boolean {
  return own !== null && JSON.stringify(withoutSender(own.pack.request)) === JSON.stringify(withoutSender(request));
}

/** Removes the fields that identify the sender, and sorts the rest. */
export function withoutSender(request: PackRequest): PackRequest {
  const { agent_id: _agent, correlation_id: _correlation, ...rest } = request;
  const present = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Packs. With `viewing`, the pack is a variant of the viewed one and does not become the form's own. */
export async function pack(request: PackRequest, viewing: PackSummary | null = null): Promise<void> {
  packing?.abort();
  stopPreviews();
  const controller = new AbortController();
  packing = controller;
  state.isBusy = true;
  notify("busy");
  const shown = state.pack;
  try {
    const made = await client.pack(request, controller.signal);
    if (packing !== controller) return;
    const settings = viewing ? shown?.settings : state.settings;
    if (settings) made.settings = settings;
    clearFileCache();
    state.ownPackIds.add(made.id);
    if (viewing) {
      showPack(made, { viewing, baseline: shown });
    } else {
      own = { pack: made, previous: own?.pack ?? null };
      showOwn();
    }
  } catch (error) {
    if (packing !== controller) return;
    if (state.isPreview) showOwn();
    showProblem(error);
  }
  state.isBusy = false;
  notify("busy");
}

/** Previews a request against the form's last pack. While one preview runs, only the newest request
 * waits. */
export async function preview(request: PackRequest): Promise<void> {
  nextPreview = request;
  if (previewing) return;
  const controller = new AbortController();
  previewing = controller;
  while (nextPreview !== null) {
    const next: PackRequest = nextPreview;
    nextPreview = null;
    // Errors are ignored here: the pack that follows reports them.
    const made = await client.preview(next, controller.signal).catch(() => null);
    if (previewing !== controller) return;
    if (!made || !own) continue;
    made.settings = state.settings;
    showPack(made, { baseline: own.pack, isPreview: true });
  }
  previewing = null;
}

export function stopPreviews(): void {
  previewing?.abort();
  previewing = null;
  nextPreview = null;
}

/** Shows the form's last pack, or nothing. */
export function showOwn(): void {
  if (own) showPack(own.pack, { baseline: own.previous });
  else clearPack();
}

/** Shows a pack of the feed. Returns false if that failed or was superseded. */
export async function view(summary: PackSummary): Promise<boolean> {
  viewCount += 1;
  const turn = viewCount;
  stopPreviews();
  if (own && own.pack.id === summary.id) {
    showOwn();
    return true;
  }
  try {
    const found = await client.packById(summary.id);
    const settings = await settingsOf(found.request);
    if (turn !== viewCount) return false;
    clearFileCache();
    showPack({ ...found, ...(settings && { settings }) }, { viewing: summary, baseline: own?.pack ?? null });
    return true;
  } catch (error) {
    if (turn === viewCount) showProblem(error);
    return false;
  }
}

/** Makes the viewed pack the form's own. */
export function adopt(pack: Pack): void {
  own = { pack, previous: null };
  showOwn();
}

export function showProblem(error: unknown): void {
  state.problem = error instanceof Problem ? error : new Problem("Page error", String(error));
  notify("problem");
}

function settingsOf(request: PackRequest): Promise<Settings | null> {
  return client.settings(request.repo ?? "", request.profile ?? "").catch(() => null);
}

// The packs of this page: what the form asks for, previews while a weight is moved, and looking into
// packs of others. Only the last of several requests counts.

import * as api from "./api";
import { Problem } from "./api";
import { forgetFiles } from "./files";
import { show, showNothing, state, tell } from "./state";
import type { Pack, PackRequest, Settings, Summary } from "./types";

/** What the form asked for last, and the pack that it is held against. */
let own: { pack: Pack; before: Pack | null } | null = null;
let running: AbortController | null = null;
let previewing: AbortController | null = null;
let wanted: PackRequest | null = null;
let visits = 0;

/** Whether the form has asked for anything yet. */
export const hasOwn = (): boolean => own !== null;

/** Whether a request asks for what the form asked for last. */
export function isOwnRequest(request: PackRequest): boolean {
  return own !== null && JSON.stringify(plain(own.pack.request)) === JSON.stringify(plain(request));
}

/** A request to be sent again: whoever sent it first, and as what, is left out. */
export function plain(request: PackRequest): PackRequest {
  const { agent_id: _agent, correlation_id: _correlation, ...rest } = request;
  const there = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(there.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Packs. Where it is a variation of a pack that is only looked into, that stays what it is. */
export async function run(request: PackRequest, visiting: Summary | null = null): Promise<void> {
  running?.abort();
  stopPreviews();
  const mine = new AbortController();
  running = mine;
  state.isBusy = true;
  tell("busy");
  const shown = state.pack;
  try {
    const made = await api.pack(request, mine.signal);
    if (running !== mine) return;
    const settings = visiting ? shown?.settings : state.settings;
    if (settings) made.settings = settings;
    forgetFiles();
    state.mine.add(made.id);
    if (visiting) {
      show(made, { visiting, against: shown });
    } else {
      own = { pack: made, before: own?.pack ?? null };
      showOwn();
    }
  } catch (error) {
    if (running !== mine) return;
    if (state.isPreview) showOwn();
    fail(error);
  }
  state.isBusy = false;
  tell("busy");
}

/** Shows what a request would pack, held against the last pack. While one is asked for, only the newest
 * of those that come meanwhile is kept. */
export async function preview(request: PackRequest): Promise<void> {
  wanted = request;
  if (previewing) return;
  const mine = new AbortController();
  previewing = mine;
  while (wanted !== null) {
    const next: PackRequest = wanted;
    wanted = null;
    // What is wrong with it, the pack that follows tells.
    const seen = await api.preview(next, mine.signal).catch(() => null);
    if (previewing !== mine) return;
    if (!seen || !own) continue;
    seen.settings = state.settings;
    show(seen, { against: own.pack, isPreview: true });
  }
  previewing = null;
}

export function stopPreviews(): void {
  previewing?.abort();
  previewing = null;
  wanted = null;
}

/** Shows what the form asked for last, or nothing. */
export function showOwn(): void {
  if (own) show(own.pack, { against: own.before });
  else showNothing();
}

/** Looks into a pack of the list. */
export async function visit(summary: Summary): Promise<boolean> {
  visits += 1;
  const turn = visits;
  stopPreviews();
  if (own && own.pack.id === summary.id) {
    showOwn();
    return true;
  }
  try {
    const found = await api.packById(summary.id);
    const settings = await settingsOf(found.request);
    if (turn !== visits) return false;
    forgetFiles();
    show({ ...found, id: summary.id, ...(settings && { settings }) }, { visiting: summary, against: own?.pack ?? null });
    return true;
  } catch (error) {
    if (turn === visits) fail(error);
    return false;
  }
}

/** Makes the pack that is looked into the form's own. */
export function keepAsOwn(pack: Pack): void {
  own = { pack, before: null };
  showOwn();
}

export function fail(error: unknown): void {
  state.problem = error instanceof Problem ? error : new Problem("The page failed", String(error));
  tell("problem");
}

function settingsOf(request: PackRequest): Promise<Settings | null> {
  return api.settings(request.repo ?? "", request.profile ?? "").catch(() => null);
}

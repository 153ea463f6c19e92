// Starts the page: reads what the server offers, listens for packs, and ties request and result
// together.

import * as api from "./api";
import { Problem } from "./api";
import { byId, fill } from "./dom";
import { listen } from "./events";
import { startKeys } from "./keys";
import { remember, show, state, tell, on } from "./state";
import { startTheme, toggleTheme } from "./theme";
import { FACTORS, type Pack, type PackRequest, type Summary } from "./types";
import { feedView } from "./views/feed";
import { formView } from "./views/form";
import { problemView } from "./views/problem";
import { knowProviders, providersView } from "./views/providers";
import { resultView, spoken } from "./views/result";
import { copy } from "./views/text";
import { weightsView } from "./views/weights";
import { DEFAULT_WEIGHTS, type Weights } from "./weights";

/** How long the page waits for the next movement of a slider before it packs. */
const PAUSE = 180;

let running: AbortController | null = null;
let pause = 0;
/** The page's own pack, to come back to from one of another's. */
let own: Pack | null = null;

startTheme();
const form = formView(() => void submit(), () => void readSettings());
const result = resultView({ repack, leave, adopt });
weightsView(packSoon);
providersView(packSoon);
feedView((summary) => void visit(summary));
problemView(() => void packNow(), () => void start());
on("busy", () => {
  byId("result").setAttribute("aria-busy", String(state.isBusy));
  byId("progress").hidden = !state.isBusy;
  byId("pack-label").textContent = state.isBusy ? "Packing …" : "Pack";
});
on("pack", () => {
  byId("result").dataset["pack"] = state.pack?.id ?? "";
  byId("announce").textContent = state.pack ? spoken(state.pack) : "";
});
if (isNarrow()) for (const block of document.querySelectorAll<HTMLDetailsElement>("details.block")) block.open = false;
byId("theme").addEventListener("click", toggleTheme);

const digits = ["1", "2", "3", "4", "5", "6", "7", "8"];
const keys = startKeys(
  [
    { keys: ["t", "T"], label: "T", does: "Write the task", act: () => byId("task").focus() },
    { keys: ["p", "P"], label: "P", does: "Pack", act: () => void packNow() },
    { keys: ["w", "W"], label: "W", does: "Weights", act: () => byId("weight-relevance").focus() },
    { keys: ["/"], label: "/", does: "Filter the list", act: () => result.filter() },
    { keys: ["j", "J"], label: "J", does: "Next chunk", act: () => result.move(1) },
    { keys: ["k", "K"], label: "K", does: "Previous chunk", act: () => result.move(-1) },
    { keys: ["c", "C"], label: "C", does: "Copy the text", act: () => void copyText() },
    { keys: digits, label: "1 – 8", does: "The tabs", act: (key: string) => result.tabAt(Number(key)) },
    { keys: ["d", "D"], label: "D", does: "Light or dark", act: toggleTheme },
    { keys: ["?"], label: "?", does: "These keys", act: () => keys.help() },
  ],
  () => void (result.back() || (state.visiting && leave())),
);
byId("help").addEventListener("click", keys.help);
void start();
void listen("/v1/events", { onEvent, onState });

/** Packs, and where the result stands below the form, goes there. */
async function submit(): Promise<void> {
  await packNow();
  if (isNarrow()) byId("result").scrollIntoView();
}

function isNarrow(): boolean {
  return window.matchMedia("(max-width: 820px)").matches;
}

/** Packs what the form asks for. Only the last of several requests counts. */
async function packNow(): Promise<void> {
  clearTimeout(pause);
  const request = form.request();
  if (request) await run(request);
}

async function run(request: PackRequest): Promise<void> {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  state.isBusy = true;
  tell("busy");
  try {
    const made = await api.pack(request, mine.signal);
    if (running !== mine) return;
    own = made;
    show(made);
  } catch (error) {
    if (running !== mine) return;
    fail(error);
  }
  state.isBusy = false;
  tell("busy");
}

/** Packs after a short pause, where there is something to pack. */
function packSoon(): void {
  clearTimeout(pause);
  if (!state.pack) return;
  pause = window.setTimeout(() => void packNow(), PAUSE);
}

function repack(format: string): void {
  form.format = format;
  if (state.visiting && state.pack) void run({ ...state.pack.request, format, agent_id: "page" });
  else void packNow();
}

async function visit(summary: Summary): Promise<void> {
  try {
    const found = await api.packById(summary.id);
    show({ ...found, id: summary.id }, summary.agent_id === "page" ? null : summary);
    byId("result").focus({ preventScroll: !isNarrow() });
  } catch (error) {
    fail(error);
  }
}

function leave(): void {
  if (own) return show(own);
  state.pack = null;
  state.visiting = null;
  state.changes = null;
  tell("pack", "feed", "providers");
}

/** Takes over another's request into the form. */
function adopt(): void {
  if (!state.pack) return;
  form.adopt(state.pack.request);
  state.visiting = null;
  own = state.pack;
  tell("weights", "providers", "pack");
  byId("task").focus();
}

async function copyText(): Promise<void> {
  const text = state.pack?.report.content;
  if (!text) return;
  const isDone = await copy(text);
  byId("announce").textContent = isDone ? "Copied the text." : "The browser did not allow copying.";
  result.openTab("text");
}

function fail(error: unknown): void {
  state.problem = error instanceof Problem ? error : new Problem("The page failed", String(error));
  tell("problem");
}

/** Reads what there is to choose from. What cannot be read leaves its field plain. */
async function start(): Promise<void> {
  const none = <T>(list: Promise<T[]>) => list.catch((error: unknown): T[] => {
    if (error instanceof Problem && (error.status === 401 || error.status === 0)) fail(error);
    return [];
  });
  const [repositories, profiles, models, providers] = await Promise.all([
    none(api.repositories()), none(api.profiles()), none(api.models()), none(api.providers()),
  ]);
  form.offer(repositories, profiles, models);
  knowProviders(providers);
  await readSettings();
  remember(await none(api.recent()));
}

async function readSettings(): Promise<void> {
  try {
    const profile = form.profile();
    state.settings = await api.settings(form.repo(), profile);
    state.settingsOf = profile;
  } catch {
    state.settings = new Map();
  }
  state.baseWeights = baseWeights(state.settings);
  tell("weights");
}

function baseWeights(settings: Map<string, unknown>): Weights {
  const found = { ...DEFAULT_WEIGHTS };
  for (const factor of FACTORS) {
    const value = settings.get(`context.ranking.${factor}_weight`);
    if (typeof value === "number") found[factor] = Math.round(value * 100);
  }
  const sum = FACTORS.reduce((total, factor) => total + found[factor], 0);
  return sum === 100 ? found : DEFAULT_WEIGHTS;
}

function onEvent(name: string, data: string): void {
  if (name === "context_assembled") remember([JSON.parse(data) as Summary]);
  // Anything else tells that events were missed, or that the server began anew and has forgotten.
  if (name === "restarted") state.feed = [];
  if (name !== "context_assembled") void api.recent().then(remember, () => undefined);
}

function onState(isLive: boolean): void {
  byId("live").classList.toggle("is-live", isLive);
  fill(byId("live-text"), isLive ? "live" : "reconnecting");
  if (isLive) void api.recent().then(remember, () => undefined);
}


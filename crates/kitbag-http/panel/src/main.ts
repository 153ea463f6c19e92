// Entry point: loads the choices of the form, subscribes to events, and connects the views.

import * as client from "./client";
import { Problem } from "./client";
import { byId, fill } from "./dom";
import { subscribe } from "./events";
import { startKeys } from "./keys";
import * as session from "./session";
import { addToFeed, notify, on, state } from "./state";
import { startTheme, toggleTheme } from "./theme";
import type { PackRequest, PackSummary, Settings } from "./types";
import { feedView } from "./views/feed";
import { formView } from "./views/form";
import { problemView } from "./views/problem";
import { providersView } from "./views/providers";
import { announcement, resultView } from "./views/result";
import { copy } from "./views/text";
import { weightsView } from "./views/weights";
import { settingWeights } from "./weights";

/** Delay before packing after a provider was switched or an arrow key moved a slider, so that several
 * changes make one pack. */
const SWITCH_DELAY_MS = 180;
const SLIDER_KEY_DELAY_MS = 600;

let packTimer = 0;
let choicesCount = 0;

startTheme();
const form = formView(() => void submit(), (isRepository) => void loadChoices(isRepository));
const result = resultView({ repack, leave: session.showOwn, adopt: () => void adopt(), enableProvider });
weightsView({ onMove: previewWeights, onRelease: packWeights });
providersView(() => packAfter(SWITCH_DELAY_MS));
feedView((summary) => void view(summary));
problemView(() => void packNow(), () => void start());
on("busy", () => {
  byId("result").setAttribute("aria-busy", String(state.isBusy));
  byId("progress").hidden = !state.isBusy;
  byId("pack-label").textContent = state.isBusy ? "Packing…" : "Pack";
});
on("pack", () => {
  const { dataset } = byId("result");
  if (state.isPreview) {
    dataset["preview"] = state.pack?.id ?? "";
    return;
  }
  delete dataset["preview"];
  dataset["pack"] = state.pack?.id ?? "";
  byId("announce").textContent = state.pack ? announcement(state.pack) : "";
});
if (isNarrow()) for (const block of document.querySelectorAll<HTMLDetailsElement>("details.block")) block.open = false;
byId("theme").addEventListener("click", toggleTheme);

const digits = ["1", "2", "3", "4", "5", "6", "7", "8"];
const keys = startKeys(
  [
    { keys: ["t", "T"], label: "T", description: "Edit the task", run: () => byId("task").focus() },
    { keys: ["p", "P"], label: "P", description: "Pack", run: () => void packNow() },
    { keys: ["w", "W"], label: "W", description: "Go to the weights", run: () => focusInRail("weight-relevance") },
    { keys: ["r", "R"], label: "R", description: "Go to the recent packs", run: () => focusInRail("feed") },
    { keys: digits, label: "1 – 8", description: "Open a tab", run: (key: string) => result.openTabAt(Number(key)) },
    { keys: ["/"], label: "/", description: "Filter the list", run: () => result.focusFilter() },
    { keys: ["j", "J"], label: "J", description: "Next chunk", run: () => result.moveSelection(1) },
    { keys: ["k", "K"], label: "K", description: "Previous chunk", run: () => result.moveSelection(-1) },
    { keys: ["l", "L"], label: "L", description: "Toggle line wrapping", run: () => result.toggleWrap() },
    { keys: ["c", "C"], label: "C", description: "Copy the text", run: () => void copyText() },
    { keys: ["d", "D"], label: "D", description: "Toggle dark mode", run: toggleTheme },
    { keys: ["?"], label: "?", description: "Show keyboard shortcuts", run: () => keys.showHelp() },
  ],
  () => void (result.goBack() || (state.viewing && session.showOwn())),
);
byId("help").addEventListener("click", keys.showHelp);
void start();
void subscribe("/v1/events", { onEvent, onConnection });

/** Packs, and scrolls to the result where it is below the form. */
async function submit(): Promise<void> {
  if (await packNow() && isNarrow()) byId("result").scrollIntoView();
}

function isNarrow(): boolean {
  return window.matchMedia("(max-width: 820px)").matches;
}

/** Focuses an element of the rail, and opens the section it is in. */
function focusInRail(id: string): void {
  const element = byId(id);
  const section = element.closest("details");
  if (section) section.open = true;
  (element.matches("input") ? element : element.querySelector<HTMLElement>("[tabindex='0']"))?.focus();
}

/** Packs the request of the form. Returns false if the form is invalid. */
async function packNow(): Promise<boolean> {
  clearTimeout(packTimer);
  const request = form.request();
  if (!request) return false;
  await session.pack(request);
  return true;
}

/** Packs after a delay, unless nothing was packed before. */
function packAfter(delayMs: number): void {
  clearTimeout(packTimer);
  if (!session.hasOwnPack()) return;
  packTimer = window.setTimeout(() => void packNow(), delayMs);
}

function previewWeights(): void {
  clearTimeout(packTimer);
  const request = session.hasOwnPack() ? form.request({ keepFocus: true }) : null;
  if (request) void session.preview(request);
}

/** Packs with the weights of the sliders, unless they are back where they were. */
function packWeights(isByPointer: boolean): void {
  const request = session.hasOwnPack() ? form.request({ keepFocus: true }) : null;
  if (!request) return;
  if (!session.isOwnRequest(request)) return packAfter(isByPointer ? 0 : SLIDER_KEY_DELAY_MS);
  clearTimeout(packTimer);
  session.stopPreviews();
  session.showOwn();
}

/** Packs the request on screen in another format, whatever the form contains now. */
function repack(format: string): void {
  const { pack, viewing } = state;
  if (!pack) return;
  if (!viewing) form.format = format;
  const request = { ...session.withoutSender(pack.request), format: format as NonNullable<PackRequest["format"]>, agent_id: "page" };
  void session.pack(request, viewing);
}

function enableProvider(id: string): void {
  state.providerOverrides.set(id, true);
  notify("providers");
  packAfter(0);
}

async function view(summary: PackSummary): Promise<void> {
  clearTimeout(packTimer);
  if (await session.view(summary)) byId("result").focus({ preventScroll: !isNarrow() });
}

/** Loads the request of the viewed pack into the form. */
async function adopt(): Promise<void> {
  const { pack } = state;
  if (!pack) return;
  await form.load(pack.request, () => loadChoices(true));
  session.adopt(pack);
  byId("task").focus();
}

async function copyText(): Promise<void> {
  const text = state.pack?.report.content;
  if (!text) return;
  const isCopied = await copy(text);
  byId("announce").textContent = isCopied ? "Text copied." : "The browser blocked access to the clipboard.";
  result.openTab("text");
}

async function start(): Promise<void> {
  const [repositories, models] = await Promise.all([orEmpty(client.repositories()), orEmpty(client.models())]);
  // Everything else needs the token too; the page starts again once it is entered.
  if (state.problem?.status === 401) return;
  form.setChoices(repositories, models);
  await loadChoices(true);
  addToFeed(await orEmpty(client.recentPacks()));
}

function orEmpty<T>(list: Promise<T[]>): Promise<T[]> {
  return list.catch((error: unknown): T[] => {
    if (error instanceof Problem && (error.status === 401 || error.status === 0)) session.showProblem(error);
    return [];
  });
}

/** Loads what depends on the repository and profile: profiles, providers and settings. */
async function loadChoices(isRepository: boolean): Promise<void> {
  choicesCount += 1;
  const turn = choicesCount;
  const profiles = isRepository ? await orEmpty(client.profiles(form.repo())) : null;
  if (turn !== choicesCount) return;
  if (profiles) form.setProfiles(profiles);
  const [providers, settings] = await Promise.all([
    orEmpty(client.providers(form.repo(), form.profile())),
    client.settings(form.repo(), form.profile()).catch((): Settings => new Map()),
  ]);
  if (turn !== choicesCount) return;
  state.providers = providers;
  state.settings = settings;
  state.baseWeights = settingWeights(settings);
  notify("weights", "providers");
}

function onEvent(name: string, data: string): void {
  if (name === "context_assembled") return addToFeed([JSON.parse(data) as PackSummary]);
  // Otherwise events were missed, or the server restarted and has lost its packs.
  if (name === "restarted") state.feed = [];
  refreshFeed();
}

function onConnection(isConnected: boolean): void {
  byId("live").classList.toggle("is-live", isConnected);
  fill(byId("live-text"), isConnected ? "live" : "reconnecting");
  if (isConnected) refreshFeed();
}

function refreshFeed(): void {
  void client.recentPacks().then(addToFeed, () => undefined);
}

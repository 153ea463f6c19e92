// Starts the page: reads what the server offers, listens for packs, and ties request and result
// together.

import * as api from "./api";
import { Problem } from "./api";
import { byId, fill } from "./dom";
import { listen } from "./events";
import { startKeys } from "./keys";
import * as session from "./session";
import { on, remember, state, tell } from "./state";
import { startTheme, toggleTheme } from "./theme";
import type { Settings, Summary } from "./types";
import { feedView } from "./views/feed";
import { formView } from "./views/form";
import { problemView } from "./views/problem";
import { providersView } from "./views/providers";
import { resultView, spoken } from "./views/result";
import { copy } from "./views/text";
import { weightsView } from "./views/weights";
import { settingWeights } from "./weights";

/** How long the page waits for the next switch, and for the next key on a slider, before it packs. */
const PAUSE = 180;
const KEY_PAUSE = 600;

let pause = 0;
let choices = 0;

startTheme();
const form = formView(() => void submit(), (isRepository) => void readChoices(isRepository));
const result = resultView({ repack, leave: session.showOwn, adopt: () => void adopt(), switchOn });
weightsView({ moving, moved });
providersView(() => packSoon(PAUSE));
feedView((summary) => void visit(summary));
problemView(() => void packNow(), () => void start());
on("busy", () => {
  byId("result").setAttribute("aria-busy", String(state.isBusy));
  byId("progress").hidden = !state.isBusy;
  byId("pack-label").textContent = state.isBusy ? "Packing …" : "Pack";
});
on("pack", () => {
  const shown = byId("result").dataset;
  if (!state.isPreview) shown["pack"] = state.pack?.id ?? "";
  if (state.isPreview) shown["preview"] = state.pack?.id ?? "";
  else delete shown["preview"];
  if (!state.isPreview) byId("announce").textContent = state.pack ? spoken(state.pack) : "";
});
if (isNarrow()) for (const block of document.querySelectorAll<HTMLDetailsElement>("details.block")) block.open = false;
byId("theme").addEventListener("click", toggleTheme);

const digits = ["1", "2", "3", "4", "5", "6", "7", "8"];
const keys = startKeys(
  [
    { keys: ["t", "T"], label: "T", does: "Write the task", act: () => byId("task").focus() },
    { keys: ["p", "P"], label: "P", does: "Pack", act: () => void packNow() },
    { keys: ["w", "W"], label: "W", does: "Weights", act: () => focusIn("weight-relevance") },
    { keys: ["r", "R"], label: "R", does: "Recent packs", act: () => focusIn("feed") },
    { keys: digits, label: "1 – 8", does: "The tabs", act: (key: string) => result.tabAt(Number(key)) },
    { keys: ["/"], label: "/", does: "Filter the list", act: () => result.filter() },
    { keys: ["j", "J"], label: "J", does: "Next chunk", act: () => result.move(1) },
    { keys: ["k", "K"], label: "K", does: "Previous chunk", act: () => result.move(-1) },
    { keys: ["l", "L"], label: "L", does: "Wrap long lines, or not", act: () => result.wrap() },
    { keys: ["c", "C"], label: "C", does: "Copy the text", act: () => void copyText() },
    { keys: ["d", "D"], label: "D", does: "Light or dark", act: toggleTheme },
    { keys: ["?"], label: "?", does: "These keys", act: () => keys.help() },
  ],
  () => void (result.back() || (state.visiting && session.showOwn())),
);
byId("help").addEventListener("click", keys.help);
void start();
void listen("/v1/events", { onEvent, onState });

/** Packs, and where the result stands below the form, goes there. */
async function submit(): Promise<void> {
  if (await packNow() && isNarrow()) byId("result").scrollIntoView();
}

function isNarrow(): boolean {
  return window.matchMedia("(max-width: 820px)").matches;
}

/** Puts the focus to a place of the rail, which may be folded. */
function focusIn(id: string): void {
  const place = byId(id);
  const block = place.closest("details");
  if (block) block.open = true;
  (place.matches("input") ? place : place.querySelector<HTMLElement>("[tabindex='0']"))?.focus();
}

/** Packs what the form asks for, where that can be sent. */
async function packNow(): Promise<boolean> {
  clearTimeout(pause);
  const request = form.request();
  if (!request) return false;
  await session.run(request);
  return true;
}

/** Packs after a short pause, where something was packed before. */
function packSoon(wait: number): void {
  clearTimeout(pause);
  if (!session.hasOwn()) return;
  pause = window.setTimeout(() => void packNow(), wait);
}

function moving(): void {
  clearTimeout(pause);
  const request = session.hasOwn() ? form.request(true) : null;
  if (request) void session.preview(request);
}

/** A weight that was moved and moved back asks for nothing new. */
function moved(isByHand: boolean): void {
  const request = session.hasOwn() ? form.request(true) : null;
  if (!request) return;
  if (!session.isOwnRequest(request)) return packSoon(isByHand ? 0 : KEY_PAUSE);
  clearTimeout(pause);
  session.stopPreviews();
  session.showOwn();
}

/** The pack that is shown, in another format: whatever the form says by now. */
function repack(format: string): void {
  const { pack, visiting } = state;
  if (!pack) return;
  if (!visiting) form.format = format;
  void session.run({ ...session.plain(pack.request), format, agent_id: "page" }, visiting);
}

/** Switches a provider on, and packs. */
function switchOn(provider: string): void {
  state.switched.set(provider, true);
  tell("providers");
  packSoon(0);
}

async function visit(summary: Summary): Promise<void> {
  clearTimeout(pause);
  if (await session.visit(summary)) byId("result").focus({ preventScroll: !isNarrow() });
}

/** Takes over another's request into the form. */
async function adopt(): Promise<void> {
  const { pack } = state;
  if (!pack) return;
  await form.adopt(pack.request, () => readChoices(true));
  session.keepAsOwn(pack);
  byId("task").focus();
}

async function copyText(): Promise<void> {
  const text = state.pack?.report.content;
  if (!text) return;
  const isDone = await copy(text);
  byId("announce").textContent = isDone ? "Copied the text." : "The browser did not allow copying.";
  result.openTab("text");
}

/** Reads what there is to choose from. What cannot be read leaves its field plain. */
async function start(): Promise<void> {
  const [repositories, models] = await Promise.all([orNone(api.repositories()), orNone(api.models())]);
  // Without a token there is nothing more to read; it starts anew once there is one.
  if (state.problem?.status === 401) return;
  form.offer(repositories, models);
  await readChoices(true);
  remember(await orNone(api.recent()));
}

function orNone<T>(list: Promise<T[]>): Promise<T[]> {
  return list.catch((error: unknown): T[] => {
    if (error instanceof Problem && (error.status === 401 || error.status === 0)) session.fail(error);
    return [];
  });
}

/** Reads what depends on the repository and on the profile: profiles, providers, settings. */
async function readChoices(isRepository: boolean): Promise<void> {
  choices += 1;
  const turn = choices;
  const profiles = isRepository ? await orNone(api.profiles(form.repo())) : null;
  if (turn !== choices) return;
  if (profiles) form.offerProfiles(profiles);
  const [providers, settings] = await Promise.all([
    orNone(api.providers(form.repo(), form.profile())),
    api.settings(form.repo(), form.profile()).catch((): Settings => new Map()),
  ]);
  if (turn !== choices) return;
  state.providers = providers;
  state.settings = settings;
  state.baseWeights = settingWeights(settings);
  tell("weights", "providers");
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

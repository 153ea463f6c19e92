// The result: totals, budget bar, warnings, changes and tabs of the pack on screen.

import { chunkKey } from "../changes";
import { byId, fill, h } from "../dom";
import { hasContent } from "../extra-fields";
import { colors, folders } from "../folders";
import { count, duration, integer, percent } from "../format";
import { closeSheet, openSheet } from "../sheet";
import { on, state } from "../state";
import { tabs, type Tab, type Tabs } from "../tabs";
import type { Chunk, ListName, Pack, PackSummary } from "../types";
import { visible } from "../visible";
import { settingWeights, weightsOf, type Weights } from "../weights";
import { budgetBar } from "./budget-bar";
import { changesSummary, changesView } from "./changes";
import { bestScore, ChunkList } from "./chunks";
import { codeView } from "./code";
import { applyWrap, toggleWrap } from "./code-lines";
import { interfaceLabel, taskLabel } from "./feed";
import { mapView } from "./map";
import { redactionsView } from "./redactions";
import { rulesView } from "./rules";
import { splitter } from "./splitter";
import { textView } from "./text";
import { timingsView } from "./timings";

export interface ResultActions {
  repack: (format: string) => void;
  leave: () => void;
  adopt: () => void;
  enableProvider: (id: string) => void;
}

export interface Result {
  openTab: (id: string) => void;
  /** Opens a tab by its number, from 1. */
  openTabAt: (number: number) => void;
  focusFilter: () => void;
  moveSelection: (offset: number) => void;
  toggleWrap: () => void;
  /** Closes the sheet. Returns whether it was open. */
  goBack: () => boolean;
}

const TAB_ORDER = ["included", "excluded", "changes", "map", "text", "timings", "redactions", "rules"];
const WIDE = "(min-width: 1100px)";

/** Renders the pack on screen, and renders again when it changes. */
export function resultView(actions: ResultActions): Result {
  const body = byId("body");
  let view: Tabs | null = null;
  let lists: Partial<Record<ListName, ChunkList>> = {};
  let openId = "included";
  let selectedKey = "";

  const render = () => {
    const { pack } = state;
    if (!pack) return fill(body, welcome());
    closeSheet();
    const filters = { included: lists.included?.filter.value ?? "", excluded: lists.excluded?.filter.value ?? "" };
    const focused = focusSelector(body);
    lists = {};
    const context = renderContext(pack);
    const pickFile = (path: string) => {
      rendered.open("included");
      lists.included?.setFilter(path);
    };
    const list = (name: ListName) => {
      const built = splitView(name, context, { selectedKey, filter: filters[name] }, {
        remember: (key) => (selectedKey = key), openText: () => rendered.open("text", true),
      });
      lists[name] = built.list;
      return built.element;
    };
    const pickChunk = (chunk: Chunk) => {
      const name = chunk.reason === undefined ? "included" : "excluded";
      const found = pack.report[name].find((it: Chunk) => chunkKey(it) === chunkKey(chunk));
      rendered.open(found ? name : "excluded");
      if (found) lists[name]?.select(found);
    };
    const rendered = tabs(tabsOf(pack, { list, pickFile, pickChunk }, actions), openId, (id) => (openId = id));
    view = rendered;
    const baseline = state.viewing ? "your last pack" : "the last pack";
    fill(
      body,
      viewingBanner(pack, actions),
      headline(pack),
      budgetBar(pack, folders(pack.report), pickFile),
      warningList(pack),
      changesSummary(state.changes, baseline, () => rendered.open("changes", true)),
      rendered.element,
    );
    if (focused) body.querySelector<HTMLElement>(focused)?.focus();
    return undefined;
  };
  on("pack", render);
  render();
  applyWrap();
  // On a wide screen the code is shown next to the list again.
  window.matchMedia(WIDE).addEventListener("change", () => closeSheet());

  const openList = () => (openId === "included" || openId === "excluded" ? lists[openId] : undefined);
  return {
    openTab: (id) => view?.open(id),
    openTabAt: (number) => view?.open(TAB_ORDER[number - 1] ?? "", true),
    focusFilter: () => {
      if (!openList()) view?.open("included");
      const filter = openList()?.filter;
      filter?.focus();
      filter?.select();
    },
    moveSelection: (offset) => openList()?.moveSelection(offset),
    toggleWrap,
    goBack: closeSheet,
  };
}

interface TabActions {
  list: (name: ListName) => HTMLElement;
  pickFile: (path: string) => void;
  pickChunk: (chunk: Chunk) => void;
}

function tabsOf(pack: Pack, { list, pickFile, pickChunk }: TabActions, actions: ResultActions): Tab[] {
  const { report } = pack;
  const { changes, isPreview } = state;
  const repack = canRepack(pack) ? actions.repack : null;
  return [
    { id: "included", label: "Included", count: report.included.length, content: () => list("included") },
    { id: "excluded", label: "Excluded", count: report.excluded.length, content: () => list("excluded") },
    { id: "changes", label: "Changes", ...(changes && { count: changes.added.length + changes.removed.length }), content: () => changesView(changes, pickChunk) },
    { id: "map", label: "Map", content: () => mapView(folders(report), pickFile) },
    { id: "text", label: "Text", content: () => textView(pack, isPreview, repack) },
    { id: "timings", label: "Timings", content: () => timingsView(report) },
    { id: "redactions", label: "Redactions", count: report.redactions.length, content: () => redactionsView(report, pickFile) },
    { id: "rules", label: "Rules", ...(report.rules && { count: report.rules.length }), content: () => rulesView(report, () => actions.enableProvider("rules")) },
  ];
}

/** What all chunks of a pack are rendered with. */
interface RenderContext {
  pack: Pack;
  weights: Weights;
  bestScore: number;
  colors: Map<string, number>;
  newKeys: Set<string>;
}

function renderContext(pack: Pack): RenderContext {
  const { report, request, settings } = pack;
  // With another profile nearly everything would be new.
  const isSameProfile = (state.baseline?.request.profile ?? "agent") === (request.profile ?? "agent");
  const added = isSameProfile ? (state.changes?.added ?? []) : [];
  return {
    pack,
    weights: weightsOf(request, settings ? settingWeights(settings) : state.baseWeights),
    bestScore: bestScore(report.included, report.excluded),
    colors: colors(report),
    newKeys: new Set(added.map((change) => chunkKey(change.chunk))),
  };
}

interface SplitActions {
  remember: (key: string) => void;
  openText: () => void;
}

/** Renders a list with the code of the selected chunk next to it, or on narrow screens on a sheet. */
function splitView(name: ListName, context: RenderContext, restored: { selectedKey: string; filter: string }, actions: SplitActions) {
  const { pack, weights } = context;
  const chunks: Chunk[] = pack.report[name];
  let isUserSelection = true;
  const code = codeView({
    close: () => void closeSheet(),
    openText: () => { closeSheet(); actions.openText(); },
  });
  const list = new ChunkList({
    ...context, name, chunks, task: pack.request.task ?? "",
    isNew: (chunk) => name === "included" && context.newKeys.has(chunkKey(chunk)),
    onSelect: (chunk) => {
      code.show(pack, chunk, weights, name === "included" ? chunks.indexOf(chunk) + 1 : null);
      if (!isUserSelection) return;
      actions.remember(chunkKey(chunk));
      if (!isWide()) openSheet(code.element, () => list.element.querySelector<HTMLElement>("button[aria-current]")?.focus({ preventScroll: true }));
    },
  });
  if (restored.filter) list.setFilter(restored.filter);
  const remembered = chunks.find((chunk) => chunkKey(chunk) === restored.selectedKey);
  const first = remembered ?? (restored.filter ? undefined : list.first());
  if (first && isWide()) {
    isUserSelection = false;
    list.select(first);
    isUserSelection = true;
  }
  return { element: h("div", { class: "split" }, list.element, splitter(), code.element), list };
}

const isWide = (): boolean => window.matchMedia(WIDE).matches;

/** Returns whether the request is complete enough to be sent again. */
function canRepack(pack: Pack): boolean {
  return !state.isPreview && (Boolean(pack.request.task) || hasContent(pack.request));
}

function headline({ report }: Pack): HTMLElement {
  const files = new Set(report.included.map((chunk) => chunk.path)).size;
  const total = report.timings.find((it) => it.stage === "total")?.ms;
  const fact = (value: string, name: string) => h("div", { class: "fact" }, h("dd", { class: "number" }, value), h("dt", {}, name));
  return h("header", { class: "headline" },
    h("p", { class: "big number" }, h("b", { id: "total" }, integer(report.total_tokens)), h("span", { class: "of" }, ` of ${integer(report.budget)} tokens`),
      state.isPreview && h("span", { class: "chip preview" }, "preview")),
    h("dl", { class: "facts-line" },
      fact(percent(report.total_tokens, report.budget), "used"),
      fact(integer(report.included.length), report.included.length === 1 ? "chunk" : "chunks"),
      fact(integer(files), files === 1 ? "file" : "files"),
      fact(integer(report.excluded.length), "excluded"),
      total !== undefined && fact(duration(total), "time"),
      fact(report.tokenizer.name, report.tokenizer.exact ? "exact count" : "estimate")));
}

function warningList({ report }: Pack): HTMLElement | null {
  const deadline = report.partial ? ["The pack is partial: a deadline or a parser limit cut something off."] : [];
  const warnings = [...deadline, ...report.warnings];
  if (warnings.length === 0) return null;
  return h("ul", { class: "warnings" }, ...warnings.map((text) => h("li", {}, visible(text))));
}

function viewingBanner(pack: Pack, actions: ResultActions): HTMLElement | null {
  const { viewing } = state;
  if (!viewing) return null;
  const { task } = pack.request;
  const label = taskLabel(task ? { ...viewing, task, has_task: true } : viewing);
  return h("div", { class: "viewing", role: "note" },
    h("p", {}, h("b", {}, originLabel(viewing)), ": ", h("span", { class: "viewing-task" }, label)),
    h("div", { class: "viewing-tools" },
      h("button", { type: "button", class: "quiet", onclick: actions.adopt }, "Use this request"),
      h("button", { type: "button", class: "quiet", onclick: actions.leave }, "Close")));
}

function originLabel(summary: PackSummary): string {
  if (state.ownPackIds.has(summary.id)) return "Your earlier pack";
  if (summary.agent_id === "page") return "Pack from another page";
  const agent = summary.agent_id ? ` by ${visible(summary.agent_id)}` : "";
  if (summary.interface === "cli") return `Pack from the command line${agent}`;
  return ["http", "mcp"].includes(summary.interface) ? `Pack over ${interfaceLabel(summary)}${agent}` : `Pack from another program${agent}`;
}

function welcome(): HTMLElement {
  const step = (title: string, text: string) => h("li", {}, h("b", {}, title), h("span", {}, text));
  return h("div", { class: "welcome" },
    h("h2", {}, "See what the model will see"),
    h("p", { class: "lead" }, "Enter a task and pack. Kitbag finds the code that matters and fills the token budget with the best of it."),
    h("ol", {},
      step("Included", "every chunk with its lines, tokens and score"),
      step("Excluded", "every chunk that was left out, and why"),
      step("Changes", "change a weight or a provider to see which chunks are added and removed")),
    h("p", { class: "muted" }, "Press ", h("kbd", {}, "T"), " to edit the task, ", h("kbd", {}, "?"), " for all shortcuts."));
}

/** Returns a selector that finds the focused element again after rendering. */
function focusSelector(body: HTMLElement): string {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !body.contains(focused)) return "";
  if (focused.id) return `#${CSS.escape(focused.id)}`;
  const format = focused.dataset["format"];
  return format ? `[data-format="${CSS.escape(format)}"]` : "";
}

/** Returns the message for screen readers after packing. */
export function announcement({ report }: Pack): string {
  const { changes } = state;
  const changed = changes ? `, ${changes.added.length} added, ${changes.removed.length} removed` : "";
  return `Packed ${count(report.total_tokens, "token")} of ${integer(report.budget)}, ${count(report.included.length, "chunk")}${changed}.`;
}

// The right side of the page: what a pack came to, its budget, and the tabs that take it apart.

import { isEnough } from "../carried";
import { chunkKey } from "../changes";
import { byId, fill, h } from "../dom";
import { colours, folders } from "../folders";
import { count, duration, share, whole } from "../numbers";
import { on, state } from "../state";
import { tabs, type Tabs } from "../tabs";
import type { Chunk, Pack, Summary } from "../types";
import { visible } from "../visible";
import { closeSheet, openSheet } from "../sheet";
import { settingWeights, weightsOf, type Weights } from "../weights";
import { barView } from "./bar";
import { bestScore, listView, type ListView } from "./chunks";
import { codeView, type CodeView } from "./code";
import { differenceLine, differenceView } from "./differences";
import { taskOf, via } from "./feed";
import { applyWrap, toggleWrap } from "./lines";
import { mapView } from "./map";
import { redactionsView, rulesView } from "./safety";
import { splitter } from "./splitter";
import { textView } from "./text";
import { timingsView } from "./timings";

export interface ResultActions {
  repack: (format: string) => void;
  leave: () => void;
  adopt: () => void;
  /** Switches a provider on for the page's packs. */
  switchOn: (provider: string) => void;
}

export interface Result {
  openTab: (id: string) => void;
  tabAt: (number: number) => void;
  filter: () => void;
  move: (by: number) => void;
  /** Wraps long lines of code, or not. */
  wrap: () => void;
  back: () => boolean;
}

const ORDER = ["in", "out", "changes", "map", "text", "timings", "redactions", "rules"];
const WIDE = "(min-width: 1100px)";

/** Shows the pack that is looked at, and keeps up with it. */
export function resultView(actions: ResultActions): Result {
  const body = byId("body");
  let shown: Tabs | null = null;
  let lists: Partial<Record<"in" | "out", ListView>> = {};
  let openId = "in";
  let selected = "";

  const render = () => {
    const { pack } = state;
    if (!pack) return fill(body, welcome());
    const { report } = pack;
    closeSheet();
    const weights = weightsOf(pack.request, pack.settings ? settingWeights(pack.settings) : state.baseWeights);
    const grouped = folders(report);
    const colour = colours(report);
    const fresh = new Set(isSameProfile() ? state.changes?.came.map((change) => chunkKey(change.chunk)) : []);
    const best = bestScore(report.included, report.excluded);
    const filters = { in: lists.in?.filter.value ?? "", out: lists.out?.filter.value ?? "" };
    const focused = focusMark(body);
    lists = {};

    const pickFile = (path: string) => {
      shown?.open("in");
      lists.in?.only(path);
    };
    const pickChunk = (chunk: Chunk) => {
      const name = chunk.reason === undefined ? "in" : "out";
      const found = (name === "in" ? report.included : report.excluded).find((it) => chunkKey(it) === chunkKey(chunk));
      shown?.open(found ? name : "out");
      if (found) lists[name]?.choose(found);
    };
    const split = (name: "in" | "out", chunks: Chunk[]) => {
      const parts = { pack, weights, best, colour, fresh, selected, filter: filters[name] };
      const built = splitView(name, chunks, parts, { remember: (key) => (selected = key), openText: () => made.open("text", true) });
      lists[name] = built.list;
      return built.element;
    };
    const made = tabs(
      [
        { id: "in", label: "In", count: report.included.length, content: () => split("in", report.included) },
        { id: "out", label: "Out", count: report.excluded.length, content: () => split("out", report.excluded) },
        { id: "changes", label: "Changes", ...(state.changes && { count: state.changes.came.length + state.changes.went.length }), content: () => differenceView(state.changes, pickChunk) },
        { id: "map", label: "Map", content: () => mapView(grouped, pickFile) },
        { id: "text", label: "Text", content: () => textView(pack, state.isPreview, canRepack(pack) ? actions.repack : null) },
        { id: "timings", label: "Timings", content: () => timingsView(report) },
        { id: "redactions", label: "Redactions", count: report.redactions.length, content: () => redactionsView(report, pickFile) },
        { id: "rules", label: "Rules", ...(report.rules && { count: report.rules.length }), content: () => rulesView(report, () => actions.switchOn("rules")) },
      ],
      openId,
      (id) => (openId = id),
    );
    shown = made;
    fill(
      body,
      visitLine(pack, actions),
      headline(pack),
      barView(pack, grouped, pickFile),
      warnings(pack),
      differenceLine(state.changes, state.visiting ? "your last pack" : "the last pack", () => made.open("changes", true)),
      made.element,
    );
    if (focused) body.querySelector<HTMLElement>(focused)?.focus();
    return undefined;
  };
  on("pack", render);
  render();
  applyWrap();
  // Where there is room again, the code goes back beside the list.
  window.matchMedia(WIDE).addEventListener("change", () => closeSheet());

  return {
    openTab: (id) => shown?.open(id),
    tabAt: (number) => shown?.open(ORDER[number - 1] ?? "", true),
    filter: () => {
      if (openId !== "in" && openId !== "out") shown?.open("in");
      const filter = lists[openId as "in" | "out"]?.filter;
      filter?.focus();
      filter?.select();
    },
    move: (by) => lists[openId as "in" | "out"]?.move(by),
    wrap: toggleWrap,
    back: closeSheet,
  };
}

interface SplitParts {
  pack: Pack;
  weights: Weights;
  best: number;
  colour: Map<string, number>;
  fresh: Set<string>;
  selected: string;
  filter: string;
}

interface SplitActions {
  remember: (key: string) => void;
  openText: () => void;
}

/** A list with the chunk's code beside it, or on narrow screens on a sheet above it. */
function splitView(name: "in" | "out", chunks: Chunk[], parts: SplitParts, actions: SplitActions) {
  const { pack, weights, best, colour, fresh } = parts;
  // What the page itself picks to begin with need not be kept for the next pack.
  let isByHand = true;
  const code: CodeView = codeView({
    close: () => void closeSheet(),
    openText: () => { closeSheet(); actions.openText(); },
  });
  const list = listView({
    name, chunks, weights, best, colours: colour, task: pack.request.task ?? "",
    isNew: (chunk) => name === "in" && fresh.has(chunkKey(chunk)),
    select: (chunk) => {
      if (isByHand) actions.remember(chunkKey(chunk));
      code.show(pack, chunk, weights, name === "in" ? chunks.indexOf(chunk) + 1 : null);
      if (isByHand && !isWide()) openSheet(code.element, () => list.element.querySelector<HTMLElement>("button[aria-current]")?.focus({ preventScroll: true }));
    },
  });
  const element = h("div", { class: "split" }, list.element, splitter(), code.element);
  if (parts.filter) list.only(parts.filter);
  const again = chunks.find((chunk) => chunkKey(chunk) === parts.selected);
  const first = again ?? (parts.filter ? undefined : list.first());
  if (first && isWide()) {
    isByHand = false;
    list.choose(first);
    isByHand = true;
  }
  return { element, list };
}

const isWide = (): boolean => window.matchMedia(WIDE).matches;

/** Whether the pack is held against one of the same profile: otherwise all of it would be new. */
function isSameProfile(): boolean {
  return (state.last?.request.profile ?? "agent") === (state.pack?.request.profile ?? "agent");
}

/** Whether the request of a pack is known well enough to be sent again. */
function canRepack(pack: Pack): boolean {
  return !state.isPreview && (Boolean(pack.request.task) || isEnough(pack.request));
}

function headline(pack: Pack): HTMLElement {
  const { report } = pack;
  const files = new Set(report.included.map((chunk) => chunk.path)).size;
  const total = report.timings.find((it) => it.stage === "total")?.ms;
  const fact = (value: string, name: string) => h("div", { class: "fact" }, h("dd", { class: "number" }, value), h("dt", {}, name));
  return h("header", { class: "headline" },
    h("p", { class: "big number" }, h("b", { id: "total" }, whole(report.total_tokens)), h("span", { class: "of" }, ` of ${whole(report.budget)} tokens`),
      state.isPreview && h("span", { class: "chip preview" }, "preview")),
    h("dl", { class: "facts-line" },
      fact(share(report.total_tokens, report.budget), "used"),
      fact(whole(report.included.length), report.included.length === 1 ? "chunk" : "chunks"),
      fact(whole(files), files === 1 ? "file" : "files"),
      fact(whole(report.excluded.length), "left out"),
      total !== undefined && fact(duration(total), "time"),
      fact(report.tokenizer.name, report.tokenizer.exact ? "exact count" : "estimate")));
}

function warnings({ report }: Pack): HTMLElement | null {
  const told = [...(report.partial ? ["The deadline came first: the pack has what had arrived by then."] : []), ...report.warnings];
  if (told.length === 0) return null;
  return h("ul", { class: "warnings" }, ...told.map((text) => h("li", {}, visible(text))));
}

function visitLine(pack: Pack, actions: ResultActions): HTMLElement | null {
  const { visiting } = state;
  if (!visiting) return null;
  const { task } = pack.request;
  const told = taskOf(task ? { ...visiting, task, has_task: true } : visiting);
  return h("div", { class: "visit", role: "note" },
    h("p", {}, h("b", {}, whose(visiting)), ": ", h("span", { class: "visit-task" }, told)),
    h("div", { class: "visit-tools" },
      h("button", { type: "button", class: "quiet", onclick: actions.adopt }, "Use its request"),
      h("button", { type: "button", class: "quiet", onclick: actions.leave }, "Close")));
}

function whose(summary: Summary): string {
  if (state.mine.has(summary.id)) return "An earlier pack of yours";
  if (summary.agent_id === "page") return "A pack of another page";
  const by = summary.agent_id ? ` by ${visible(summary.agent_id)}` : "";
  if (summary.source === "cli") return `A pack of the command line${by}`;
  return ["http", "mcp"].includes(summary.source ?? "http") ? `A pack made over ${via(summary)}${by}` : `A pack of another program${by}`;
}

function welcome(): HTMLElement {
  const step = (title: string, text: string) => h("li", {}, h("b", {}, title), h("span", {}, text));
  return h("div", { class: "welcome" },
    h("h2", {}, "See what the model will see"),
    h("p", { class: "lead" }, "Write what the agent is doing, and pack. Kitbag finds the code that matters and fills the budget with the best of it, to the token."),
    h("ol", {},
      step("What is in", "each chunk with its lines, its tokens and the score that brought it there"),
      step("What is out", "and the reason, for every chunk that was left out"),
      step("What if", "move a weight or switch a provider: what came in and fell out shows at once")),
    h("p", { class: "muted" }, "Press ", h("kbd", {}, "T"), " for the task, ", h("kbd", {}, "?"), " for all keys."));
}

/** How to find the element that has the focus again after a new rendering. */
function focusMark(body: HTMLElement): string {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !body.contains(focused)) return "";
  if (focused.id) return `#${CSS.escape(focused.id)}`;
  const format = focused.dataset["format"];
  return format ? `[data-format="${CSS.escape(format)}"]` : "";
}

/** What is said to those who do not see the page. */
export function spoken(pack: Pack): string {
  const { report } = pack;
  const found = state.changes;
  const moved = found ? `, ${found.came.length} came in, ${found.went.length} fell out` : "";
  return `Packed ${count(report.total_tokens, "token")} of ${whole(report.budget)}, ${count(report.included.length, "chunk")}${moved}.`;
}

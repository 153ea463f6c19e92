// A list of chunks, those that are in or those that are out, with a filter, an order, and one row that
// is selected. The table keeps its roles also where a narrow screen lays its rows out as cards.

import { fill, h, property } from "../dom";
import { count, score, whole } from "../numbers";
import { FACTORS, type Chunk } from "../types";
import { lineRange, phrase, placeName, symbolName, visible } from "../visible";
import { contributions, type Weights } from "../weights";
import { saysKind, why } from "../why";

export type Column = "rank" | "path" | "tokens" | "score";

export interface Listing {
  /** `in` or `out`: what the list is called in ids. */
  name: "in" | "out";
  chunks: Chunk[];
  weights: Weights;
  /** What the request was about, and the best score of the pack, which fills a bar. */
  task: string;
  best: number;
  colours: Map<string, number>;
  /** Keys of rows that are new against the last pack. */
  isNew: (chunk: Chunk) => boolean;
  select: (chunk: Chunk) => void;
}

export interface ListView {
  element: HTMLElement;
  filter: HTMLInputElement;
  /** Shows only what is of this file, or everything. */
  only: (path: string) => void;
  /** Moves the selection by so many rows, and shows it. */
  move: (by: number) => void;
  choose: (chunk: Chunk) => void;
  first: () => Chunk | undefined;
}

interface Row {
  chunk: Chunk;
  rank: number;
  words: string;
}

const PAGE = 200;
/** The kind that nearly everything has, and that is therefore not told. */
const USUAL = "search_result";

export function listView(listing: Listing): ListView {
  const rows = inOrder(listing).map((chunk, at): Row => ({ chunk, rank: at + 1, words: words(chunk) }));
  let column: Column = "rank";
  let isReverse = false;
  let group = "";
  let limit = PAGE;
  let visibleRows: Row[] = [];
  let current: Chunk | null = null;
  const elements = new Map<Chunk, HTMLElement>();

  const body = h("tbody", { role: "rowgroup" });
  const more = h("button", { type: "button", class: "quiet more", onclick: () => { limit += PAGE; draw(); } });
  const nothing = h("div", { class: "empty" });
  const note = h("p", { class: "muted list-note number", role: "status" });
  const filter = h("input", {
    type: "search", class: "filter", placeholder: "Filter by path, symbol, kind, reason",
    "aria-label": listing.name === "in" ? "Filter what is in" : "Filter what is out",
    oninput: () => { limit = PAGE; draw(); },
  });
  const chips = h("div", { class: "chips", role: "group", "aria-label": "Show only" });
  const head = header(listing.name, (to) => {
    isReverse = to === column ? !isReverse : to === "tokens" || to === "score";
    column = to;
    draw();
  });
  const table = h("table", { class: `chunks ${listing.name}`, role: "table", "aria-label": listing.name === "in" ? "What is in" : "What is out" }, head.element, body);

  const mark = (chunk: Chunk) => {
    current = chunk;
    for (const [other, element] of elements) {
      const isCurrent = other === chunk;
      element.classList.toggle("is-selected", isCurrent);
      const button = element.querySelector("button");
      button?.setAttribute("tabindex", isCurrent ? "0" : "-1");
      button?.toggleAttribute("aria-current", isCurrent);
    }
  };
  const choose = (chunk: Chunk) => {
    mark(chunk);
    listing.select(chunk);
  };
  const move = (by: number) => {
    const at = visibleRows.findIndex((row) => row.chunk === current);
    const to = visibleRows[Math.min(visibleRows.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
    if (!to) return;
    choose(to.chunk);
    elements.get(to.chunk)?.querySelector("button")?.focus({ preventScroll: true });
    elements.get(to.chunk)?.scrollIntoView({ block: "nearest" });
  };
  body.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e6, End: 1e6 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  });

  const draw = () => {
    const needle = filter.value.trim().toLowerCase();
    const found = rows.filter((row) =>
      (!group || groupOf(row.chunk) === group) && needle.split(/\s+/).every((word) => row.words.includes(word)));
    found.sort((a, b) => compare(a, b, column) * (isReverse ? -1 : 1) || a.rank - b.rank);
    visibleRows = found.slice(0, limit);
    elements.clear();
    for (const row of visibleRows) elements.set(row.chunk, rowView(row, listing, choose));
    fill(body, ...elements.values());
    head.mark(column, isReverse);
    more.hidden = found.length <= limit;
    more.textContent = `Show ${whole(Math.min(PAGE, found.length - limit))} more of ${whole(found.length)}`;
    table.hidden = found.length === 0;
    const isFiltered = found.length < rows.length;
    const tokens = found.reduce((sum, row) => sum + row.chunk.tokens, 0);
    note.textContent = isFiltered ? `${whole(found.length)} of ${count(rows.length, "chunk")} · ${count(tokens, "token")}` : "";
    fill(nothing, ...(found.length > 0 ? [] : emptyNote(listing.name, rows.length, clear)));
    nothing.hidden = found.length > 0;
    const start = visibleRows.find((row) => row.chunk === current) ?? visibleRows[0];
    if (start) {
      const wasCurrent = current === start.chunk;
      elements.get(start.chunk)?.querySelector("button")?.setAttribute("tabindex", "0");
      if (wasCurrent) mark(start.chunk);
    }
    drawChips();
  };
  const clear = () => { filter.value = ""; group = ""; draw(); filter.focus(); };
  const drawChips = () => {
    const counts = new Map<string, number>();
    for (const { chunk } of rows) counts.set(groupOf(chunk), (counts.get(groupOf(chunk)) ?? 0) + 1);
    if (counts.size < 2) return fill(chips);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]);
    const focused = chips.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["group"] : undefined;
    fill(chips, ...sorted.map(([name, number]) => h("button", {
      type: "button", class: "chip-button", "data-group": name, "aria-pressed": String(group === name),
      onclick: () => { group = group === name ? "" : name; limit = PAGE; draw(); },
    }, visible(name).replaceAll("_", " "), " ", h("span", { class: "number" }, whole(number)))));
    if (focused !== undefined) [...chips.children].find((it): it is HTMLElement => it instanceof HTMLElement && it.dataset["group"] === focused)?.focus();
    return undefined;
  };

  draw();
  const element = h("div", { class: "list" }, h("div", { class: "list-tools" }, filter, chips), note, table, nothing, more);
  const only = (path: string) => { filter.value = path; group = ""; limit = PAGE; draw(); };
  return { element, filter, only, move, choose, first: () => visibleRows[0]?.chunk };
}

/** What is in comes in rank order. What is out has the best first, and then what was never scored. */
function inOrder({ name, chunks }: Listing): Chunk[] {
  if (name === "in") return chunks;
  return [...chunks].sort((a, b) => (b.score ?? -1) - (a.score ?? -1));
}

function header(name: "in" | "out", sort: (column: Column) => void) {
  const columns: [Column, string][] = [
    ["rank", "#"], ["path", name === "in" ? "What, and why" : "What, and why not"], ["tokens", "Tokens"], ["score", "Score"],
  ];
  const cells = columns.map(([column, label]) => h("th", { role: "columnheader", scope: "col", class: `c-${column}` },
    h("button", { type: "button", class: "sort", title: column === "rank" ? "In rank order" : undefined, onclick: () => sort(column) },
      column === "rank" ? h("span", {}, h("span", { "aria-hidden": "true" }, "#"), h("span", { class: "unseen-text" }, "Rank")) : label)));
  const element = h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...cells));
  const mark = (column: Column, isReverse: boolean) => {
    columns.forEach(([other], at) => {
      const value = other === column ? (isReverse ? "descending" : "ascending") : "none";
      cells[at]?.setAttribute("aria-sort", value);
    });
  };
  return { element, mark };
}

function rowView({ chunk, rank }: Row, listing: Listing, choose: (chunk: Chunk) => void): HTMLElement {
  const colour = listing.colours.get(chunk.path);
  const name = h("button", { type: "button", class: "where", tabindex: -1 },
    placeName(chunk.path, chunk.start_line, chunk.end_line));
  return h("tr", { role: "row", class: listing.isNew(chunk) ? "is-new" : "", onclick: () => choose(chunk) },
    h("td", { role: "cell", class: "c-rank number" }, whole(rank)),
    h("td", { role: "cell", class: "c-path" },
      h("span", { class: "where-line" }, h("span", { class: `swatch ${colour === undefined ? "none" : `folder-${colour}`}` }), name),
      h("span", { class: "about" }, ...about(chunk, listing))),
    h("td", { role: "cell", class: "c-tokens number" }, chunk.tokens > 0 ? whole(chunk.tokens) : "–"),
    h("td", { role: "cell", class: "c-score" }, scoreView(chunk, listing.weights, listing.best)),
  );
}

function about(chunk: Chunk, listing: Listing): (HTMLElement | false)[] {
  const isOut = listing.name === "out";
  const cut = chunk.form && chunk.form !== "full" ? chunk.form : "";
  const reasons = isOut ? [] : why(chunk, listing.weights, listing.task);
  return [
    listing.isNew(chunk) && h("span", { class: "chip new" }, "new"),
    isOut && h("span", { class: "verdict-line" }, h("span", { class: `chip reason reason-${chunk.reason ?? ""}` }, visible(chunk.reason ?? "").replaceAll("_", " ")), h("span", { class: "detail" }, visible(chunk.detail ?? ""))),
    cut !== "" && h("span", { class: "chip form" }, visible(cut)),
    chunk.symbol !== null && symbolName(chunk.symbol),
    chunk.part !== undefined && h("span", { class: "muted" }, `part ${visible(chunk.part)}`),
    chunk.kind !== USUAL && (isOut || !saysKind(chunk)) && h("span", { class: "muted" }, visible(chunk.kind).replaceAll("_", " ")),
    reasons.length > 0 && h("span", { class: "muted why" }, ...reasons.flatMap((reason, at) => [...(at > 0 ? [" · "] : []), ...phrase(reason)])),
  ];
}

/** A score as a number, and as a bar of what each factor adds to it. The best of the pack fills the bar. */
function scoreView(chunk: Chunk, weights: Weights, best: number): HTMLElement {
  if (chunk.score === null || !chunk.factors) return h("span", { class: "muted" }, "–");
  const added = contributions(chunk.factors, weights);
  const parts = FACTORS.map((factor) => {
    const part = h("span", { class: `part ${factor}` });
    property(part, "--share", `${(100 * added[factor]) / best}%`);
    return part;
  });
  const title = FACTORS.map((factor) => `${factor} ${score(added[factor])}`).join(" + ");
  return h("span", { class: "score", title },
    h("span", { class: "number" }, score(chunk.score)),
    h("span", { class: "factors", "aria-hidden": "true" }, ...parts));
}

/** The best score of a pack, that of what is in or of what is out. */
export function bestScore(...lists: Chunk[][]): number {
  return lists.flat().reduce((best, chunk) => Math.max(best, chunk.score ?? 0), 0) || 1;
}

function emptyNote(name: "in" | "out", all: number, clear: () => void): HTMLElement[] {
  if (all > 0) {
    return [h("h3", {}, "No chunk matches the filter"), h("button", { type: "button", class: "quiet", onclick: clear }, "Clear the filter")];
  }
  if (name === "in") return [h("h3", {}, "The pack is empty"), h("p", {}, "Nothing was found for the task, or nothing fits the budget. What is out tells why.")];
  return [h("h3", {}, "Nothing was left out"), h("p", {}, "Everything that was found is in the pack.")];
}

const groupOf = (chunk: Chunk): string => chunk.reason ?? (chunk.form && chunk.form !== "full" ? chunk.form : chunk.kind);

function words(chunk: Chunk): string {
  const { path, symbol, kind, provider, reason, detail, form } = chunk;
  const all = [path + lineRange(chunk.start_line, chunk.end_line), symbol, kind, provider, reason, detail, form, ...(chunk.why ?? [])];
  return all.filter(Boolean).join(" ").toLowerCase();
}

function compare(a: Row, b: Row, column: Column): number {
  if (column === "tokens") return a.chunk.tokens - b.chunk.tokens;
  if (column === "score") return (a.chunk.score ?? -1) - (b.chunk.score ?? -1);
  if (column === "rank") return a.rank - b.rank;
  const [x, y] = [a.chunk, b.chunk];
  if (x.path !== y.path) return x.path < y.path ? -1 : 1;
  return (x.start_line ?? 0) - (y.start_line ?? 0);
}

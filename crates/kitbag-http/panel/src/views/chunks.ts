// A list of included or excluded chunks, with a filter, sortable columns and a selected row. Table roles
// are explicit, because narrow screens lay out the rows as cards.

import { fill, h, property } from "../dom";
import { count, integer, score } from "../format";
import { FACTORS, type Chunk, type ListName } from "../types";
import { lineRange, locationElement, symbolElement, visible, withInlineCode } from "../visible";
import { contributions, type Weights } from "../weights";
import { impliesKind, reasonsFor } from "../why";

type Column = "rank" | "path" | "tokens" | "score";

export interface ChunkListOptions {
  name: ListName;
  chunks: Chunk[];
  weights: Weights;
  task: string;
  /** Best score of the pack, which fills the score bar. */
  bestScore: number;
  colors: Map<string, number>;
  /** Returns whether a chunk was added since the last pack. */
  isNew: (chunk: Chunk) => boolean;
  onSelect: (chunk: Chunk) => void;
}

interface Row {
  chunk: Chunk;
  rank: number;
  /** Text that the filter searches. */
  text: string;
}

const PAGE_SIZE = 200;
/** The kind of nearly all chunks, which is therefore not shown. */
const DEFAULT_KIND = "search_result";

export class ChunkList {
  readonly element: HTMLElement;
  readonly filter: HTMLInputElement;
  private readonly rows: Row[];
  private readonly header: Header;
  private readonly body = h("tbody", { role: "rowgroup" });
  private readonly table: HTMLElement;
  private readonly empty = h("div", { class: "empty" });
  private readonly note = h("p", { class: "muted list-note number", role: "status" });
  private readonly chips = h("div", { class: "chips", role: "group", "aria-label": "Show only" });
  private readonly more = h("button", { type: "button", class: "quiet more", onclick: () => { this.limit += PAGE_SIZE; this.render(); } });
  private readonly elements = new Map<Chunk, HTMLElement>();
  private column: Column = "rank";
  private isDescending = false;
  private group = "";
  private limit = PAGE_SIZE;
  private shownRows: Row[] = [];
  private selected: Chunk | null = null;

  constructor(private readonly options: ChunkListOptions) {
    const { name } = options;
    this.rows = inRankOrder(options).map((chunk, index) => ({ chunk, rank: index + 1, text: searchText(chunk) }));
    this.filter = h("input", {
      type: "search", class: "filter", placeholder: "Filter by path, symbol, kind, reason",
      "aria-label": `Filter ${name} chunks`, oninput: () => this.renderFromStart(),
    });
    this.header = headerView(name, (column) => this.sortBy(column));
    const label = name === "included" ? "Included chunks" : "Excluded chunks";
    this.table = h("table", { class: `chunks ${name}`, role: "table", "aria-label": label }, this.header.element, this.body);
    this.body.addEventListener("keydown", (event) => {
      const offset = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
      if (offset === undefined) return;
      event.preventDefault();
      this.moveSelection(offset);
    });
    this.render();
    const tools = h("div", { class: "list-tools" }, this.filter, this.chips);
    this.element = h("div", { class: "list" }, tools, this.note, this.table, this.empty, this.more);
  }

  /** Filters the list by a text, such as a path. */
  setFilter(text: string): void {
    this.filter.value = text;
    this.group = "";
    this.renderFromStart();
  }

  select(chunk: Chunk): void {
    this.markSelected(chunk);
    this.options.onSelect(chunk);
  }

  /** Moves the selection by a number of rows, and scrolls to it. */
  moveSelection(offset: number): void {
    const index = this.shownRows.findIndex((row) => row.chunk === this.selected);
    const target = index < 0 ? 0 : Math.min(this.shownRows.length - 1, Math.max(0, index + offset));
    const row = this.shownRows[target];
    if (!row) return;
    this.select(row.chunk);
    this.button(row.chunk)?.focus({ preventScroll: true });
    this.elements.get(row.chunk)?.scrollIntoView({ block: "nearest" });
  }

  first(): Chunk | undefined {
    return this.shownRows[0]?.chunk;
  }

  private sortBy(column: Column): void {
    const isDescendingByDefault = column === "tokens" || column === "score";
    this.isDescending = column === this.column ? !this.isDescending : isDescendingByDefault;
    this.column = column;
    this.render();
  }

  private renderFromStart(): void {
    this.limit = PAGE_SIZE;
    this.render();
  }

  private render(): void {
    const words = this.filter.value.trim().toLowerCase().split(/\s+/);
    const found = this.rows.filter((row) =>
      (!this.group || groupOf(row.chunk) === this.group) && words.every((word) => row.text.includes(word)));
    found.sort((a, b) => compareRows(a, b, this.column) * (this.isDescending ? -1 : 1) || a.rank - b.rank);
    this.shownRows = found.slice(0, this.limit);
    this.elements.clear();
    for (const row of this.shownRows) this.elements.set(row.chunk, rowView(row, this.options, (chunk) => this.select(chunk)));
    fill(this.body, ...this.elements.values());
    this.header.markSorted(this.column, this.isDescending);
    this.more.hidden = found.length <= this.limit;
    this.more.textContent = `Show ${integer(Math.min(PAGE_SIZE, found.length - this.limit))} more of ${integer(found.length)}`;
    const tokens = found.reduce((sum, row) => sum + row.chunk.tokens, 0);
    const isFiltered = found.length < this.rows.length;
    this.note.textContent = isFiltered ? `${integer(found.length)} of ${count(this.rows.length, "chunk")} · ${count(tokens, "token")}` : "";
    this.table.hidden = found.length === 0;
    this.empty.hidden = found.length > 0;
    fill(this.empty, ...(found.length > 0 ? [] : this.emptyNote()));
    this.restoreSelection();
    this.renderChips();
  }

  /** Makes the selected row, or else the first, the tab stop of the list. */
  private restoreSelection(): void {
    const row = this.shownRows.find(({ chunk }) => chunk === this.selected);
    if (row) return this.markSelected(row.chunk);
    const first = this.first();
    if (first) this.button(first)?.setAttribute("tabindex", "0");
  }

  private markSelected(chunk: Chunk): void {
    this.selected = chunk;
    for (const [other, element] of this.elements) {
      const isSelected = other === chunk;
      element.classList.toggle("is-selected", isSelected);
      const button = this.button(other);
      button?.setAttribute("tabindex", isSelected ? "0" : "-1");
      button?.toggleAttribute("aria-current", isSelected);
    }
  }

  private button(chunk: Chunk): HTMLElement | null | undefined {
    return this.elements.get(chunk)?.querySelector("button");
  }

  private renderChips(): void {
    const counts = new Map<string, number>();
    for (const { chunk } of this.rows) counts.set(groupOf(chunk), (counts.get(groupOf(chunk)) ?? 0) + 1);
    if (counts.size < 2) return fill(this.chips);
    const focused = this.chips.contains(document.activeElement) ? document.activeElement : null;
    const buttons = [...counts].sort((a, b) => b[1] - a[1]).map(([name, number]) => h("button", {
      type: "button", class: "chip-button", "data-group": name, "aria-pressed": String(this.group === name),
      onclick: () => { this.group = this.group === name ? "" : name; this.renderFromStart(); },
    }, visible(name).replaceAll("_", " "), " ", h("span", { class: "number" }, integer(number))));
    fill(this.chips, ...buttons);
    if (focused instanceof HTMLElement) buttons.find((button) => button.dataset["group"] === focused.dataset["group"])?.focus();
    return undefined;
  }

  private emptyNote(): HTMLElement[] {
    if (this.rows.length > 0) {
      const clear = () => { this.setFilter(""); this.filter.focus(); };
      return [h("h3", {}, "No chunk matches the filter"), h("button", { type: "button", class: "quiet", onclick: clear }, "Clear the filter")];
    }
    if (this.options.name === "included") {
      return [h("h3", {}, "The pack is empty"), h("p", {}, "Nothing was found for the task, or nothing fits the budget. See the excluded chunks for the reasons.")];
    }
    return [h("h3", {}, "No chunks were excluded"), h("p", {}, "Everything that was found is in the pack.")];
  }
}

/** Included chunks are in rank order already. Excluded ones are sorted by score, unscored ones last. */
function inRankOrder({ name, chunks }: ChunkListOptions): Chunk[] {
  if (name === "included") return chunks;
  return [...chunks].sort((a, b) => (b.score ?? -1) - (a.score ?? -1));
}

interface Header {
  element: HTMLElement;
  markSorted: (column: Column, isDescending: boolean) => void;
}

function headerView(name: ListName, onSort: (column: Column) => void): Header {
  const columns: [Column, string][] = [
    ["rank", "#"], ["path", name === "included" ? "Chunk and why it is included" : "Chunk and why it is excluded"], ["tokens", "Tokens"], ["score", "Score"],
  ];
  const rankLabel = () => h("span", {}, h("span", { "aria-hidden": "true" }, "#"), h("span", { class: "visually-hidden" }, "Rank"));
  const cells = columns.map(([column, label]) => h("th", { role: "columnheader", scope: "col", class: `c-${column}` },
    h("button", { type: "button", class: "sort", title: column === "rank" ? "Sort by rank" : undefined, onclick: () => onSort(column) },
      column === "rank" ? rankLabel() : label)));
  const element = h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...cells));
  const markSorted = (column: Column, isDescending: boolean) => {
    columns.forEach(([other], index) => {
      const value = other === column ? (isDescending ? "descending" : "ascending") : "none";
      cells[index]?.setAttribute("aria-sort", value);
    });
  };
  return { element, markSorted };
}

function rowView({ chunk, rank }: Row, options: ChunkListOptions, onSelect: (chunk: Chunk) => void): HTMLElement {
  const color = options.colors.get(chunk.path);
  const location = h("button", { type: "button", class: "where", tabindex: -1 },
    locationElement(chunk.path, chunk.start_line, chunk.end_line));
  return h("tr", { role: "row", class: options.isNew(chunk) ? "is-new" : "", onclick: () => onSelect(chunk) },
    h("td", { role: "cell", class: "c-rank number" }, integer(rank)),
    h("td", { role: "cell", class: "c-path" },
      h("span", { class: "where-line" }, h("span", { class: `swatch ${color === undefined ? "none" : `folder-${color}`}` }), location),
      h("span", { class: "about" }, ...details(chunk, options))),
    h("td", { role: "cell", class: "c-tokens number" }, chunk.tokens > 0 ? integer(chunk.tokens) : "–"),
    h("td", { role: "cell", class: "c-score" }, scoreView(chunk, options.weights, options.bestScore)),
  );
}

function details(chunk: Chunk, options: ChunkListOptions): (HTMLElement | false)[] {
  const isExcluded = options.name === "excluded";
  const form = chunk.form && chunk.form !== "full" ? chunk.form : "";
  const reasons = isExcluded ? [] : reasonsFor(chunk, options.weights, options.task);
  return [
    options.isNew(chunk) && h("span", { class: "chip new" }, "new"),
    isExcluded && h("span", { class: "verdict-line" }, h("span", { class: `chip reason reason-${chunk.reason ?? ""}` }, visible(chunk.reason ?? "").replaceAll("_", " ")), h("span", { class: "detail" }, visible(chunk.detail ?? ""))),
    form !== "" && h("span", { class: "chip form" }, visible(form)),
    chunk.symbol != null && symbolElement(chunk.symbol),
    chunk.part != null && h("span", { class: "muted" }, `part ${visible(chunk.part)}`),
    chunk.kind !== DEFAULT_KIND && (isExcluded || !impliesKind(chunk)) && h("span", { class: "muted" }, visible(chunk.kind).replaceAll("_", " ")),
    reasons.length > 0 && h("span", { class: "muted why" }, ...reasons.flatMap((reason, index) => [...(index > 0 ? [" · "] : []), ...withInlineCode(reason)])),
  ];
}

/** Renders a score as a number and as a bar of its factors. */
function scoreView(chunk: Chunk, weights: Weights, best: number): HTMLElement {
  if (chunk.score == null || !chunk.factors) return h("span", { class: "muted" }, "–");
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

/** Returns the best score of all lists, or 1 if nothing has a score. */
export function bestScore(...lists: Chunk[][]): number {
  return lists.flat().reduce((best, chunk) => Math.max(best, chunk.score ?? 0), 0) || 1;
}

const groupOf = (chunk: Chunk): string => chunk.reason ?? (chunk.form && chunk.form !== "full" ? chunk.form : chunk.kind);

function searchText(chunk: Chunk): string {
  const { path, symbol, kind, provider, reason, detail, form } = chunk;
  const fields = [path + lineRange(chunk.start_line, chunk.end_line), symbol, kind, provider, reason, detail, form, ...(chunk.why ?? [])];
  return fields.filter(Boolean).join(" ").toLowerCase();
}

function compareRows(a: Row, b: Row, column: Column): number {
  if (column === "tokens") return a.chunk.tokens - b.chunk.tokens;
  if (column === "score") return (a.chunk.score ?? -1) - (b.chunk.score ?? -1);
  if (column === "rank") return a.rank - b.rank;
  if (a.chunk.path !== b.chunk.path) return a.chunk.path < b.chunk.path ? -1 : 1;
  return (a.chunk.start_line ?? 0) - (b.chunk.start_line ?? 0);
}

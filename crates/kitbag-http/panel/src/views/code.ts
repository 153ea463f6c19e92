// A chunk in its place in the file: the lines around it, which of them stand in the pack, and why the
// chunk is in or out, factor by factor.

import { file, Problem } from "../api";
import { fill, h } from "../dom";
import { highlight } from "../highlight";
import { count, score } from "../numbers";
import { FACTORS, type Chunk, type Factor, type FileLines, type Pack } from "../types";
import { lineRange, marked, pathName, visible } from "../visible";
import { contributions, type Weights } from "../weights";

const AROUND = 12;
const MORE = 60;
/** What the server gives at most at once is up to it; the page asks for no more than this. */
const MOST = 1500;
/** Reasons for which a file was never read, and is not shown either. */
const UNREAD = new Set(["denied", "outside_root", "binary", "too_large", "unreadable"]);

export interface CodeView {
  element: HTMLElement;
  show: (pack: Pack, chunk: Chunk, weights: Weights, rank: number | null) => void;
  clear: () => void;
}

export function codeView(close: () => void): CodeView {
  const element = h("section", { class: "code", "aria-label": "The chunk in its file" });
  let turn = 0;

  const clear = () => {
    turn += 1;
    fill(element, h("div", { class: "empty" }, h("p", {}, "Pick a chunk to see it in its file.")));
  };

  const show = (pack: Pack, chunk: Chunk, weights: Weights, rank: number | null) => {
    turn += 1;
    const mine = turn;
    const lines = h("div", { class: "code-lines" });
    const back = h("button", { type: "button", class: "quiet back", onclick: close }, "← Back to the list");
    fill(element, back, heading(chunk, rank), calculation(chunk, weights), alsoView(chunk), lines);
    element.scrollTop = 0;
    if (UNREAD.has(chunk.reason ?? "")) {
      fill(lines, h("p", { class: "muted pad" }, "The file was not read, so there is nothing to show."));
      return;
    }
    if (chunk.start_line === null || chunk.end_line === null) {
      fill(lines, h("p", { class: "muted pad" }, "No lines are known for it."));
      return;
    }
    const from = Math.max(1, chunk.start_line - AROUND);
    const to = Math.min(chunk.end_line + AROUND, from + MOST);
    void load(pack, chunk, from, to, lines, () => mine === turn);
  };
  clear();
  return { element, show, clear };
}

async function load(
  pack: Pack, chunk: Chunk, from: number, to: number, into: HTMLElement, isWanted: () => boolean,
): Promise<void> {
  into.setAttribute("aria-busy", "true");
  try {
    const found = await file(pack.request.repo ?? "", chunk.path, from, to);
    if (!isWanted()) return;
    fill(into, ...linesView(pack, chunk, found, (first, last) =>
      void load(pack, chunk, first, last, into, isWanted)));
  } catch (error) {
    if (!isWanted()) return;
    const told = error instanceof Problem ? error : new Problem("The file could not be shown", String(error));
    fill(into, h("div", { class: "pad" },
      h("p", {}, h("b", {}, told.title)), h("p", { class: "muted" }, visible(told.detail)),
      told.hint !== "" && h("p", { class: "muted" }, visible(told.hint))));
  }
  into.removeAttribute("aria-busy");
}

function linesView(
  pack: Pack, chunk: Chunk, found: FileLines, more: (from: number, to: number) => void,
): HTMLElement[] {
  const { start_line: first, end_line: last, line_count: all, content } = found;
  if (last < first || first === 0) return [h("p", { class: "muted pad" }, "The file does not have these lines any more.")];
  const lines = content.split("\n").slice(0, last - first + 1).map((line) => line.replace(/\r$/, ""));
  const shown = shownLines(pack, chunk.path);
  const redacted = new Set(pack.report.redactions.filter((it) => it.path === chunk.path).map((it) => it.line));
  const tokens = highlight(chunk.path, lines);
  const rows = lines.map((_, at) => {
    const number = first + at;
    const isOwn = number >= (chunk.start_line ?? 0) && number <= (chunk.end_line ?? 0);
    const classes = ["line", isOwn && "own", shown(number) && "shown", redacted.has(number) && "redacted"];
    const text = (tokens[at] ?? []).map(({ text, kind }) => kind ? h("span", { class: `t-${kind}` }, ...marked(text)) : h("span", {}, ...marked(text)));
    return h("div", { class: classes.filter(Boolean).join(" ") },
      h("span", { class: "line-number number", "aria-hidden": "true" }, number), h("code", {}, ...text, "\n"));
  });
  const button = (label: string, act: () => void) => h("button", { type: "button", class: "quiet stretch", onclick: act }, label);
  const box = h("div", { class: "line-box", tabindex: 0, role: "region", "aria-label": "Lines of the file" }, ...rows);
  return [
    ...(first > 1 ? [button("↑ Lines above", () => more(Math.max(1, first - MORE), last))] : []),
    box,
    ...(last >= all ? [] : [button("↓ Lines below", () => more(first, last + MORE))]),
  ];
}

/** Whether a line of the file stands in the pack's text. */
function shownLines(pack: Pack, path: string): (line: number) => boolean {
  const spans = pack.report.included.filter((chunk) => chunk.path === path).flatMap((chunk) => chunk.shown ?? []);
  return (line) => spans.some(([start, end]) => start <= line && line <= end);
}

function heading(chunk: Chunk, rank: number | null): HTMLElement {
  const place = rank === null ? "" : `rank ${rank} · `;
  return h("header", { class: "code-head" },
    h("h3", {}, pathName(chunk.path), h("span", { class: "lines number" }, lineRange(chunk.start_line, chunk.end_line))),
    h("p", { class: "muted" },
      chunk.symbol !== null && h("span", { class: "symbol" }, visible(chunk.symbol)),
      chunk.symbol !== null && " · ",
      `${place}${count(chunk.tokens, "token")} · ${visible(chunk.kind).replaceAll("_", " ")}`,
      chunk.provider !== undefined && ` by ${visible(chunk.provider)}`,
      chunk.form !== undefined && chunk.form !== "full" && ` · ${visible(chunk.form)}`,
    ),
    chunk.reason !== undefined && h("p", { class: "verdict out" },
      h("b", {}, "Out: "), visible(chunk.detail || chunk.reason)));
}

/** The score as it is calculated. Where the sum is not the score, the factors alone are shown. */
function calculation(chunk: Chunk, weights: Weights): HTMLElement | null {
  const { factors } = chunk;
  if (!factors || chunk.score === null) return null;
  const added = contributions(factors, weights);
  const sum = added.relevance + added.recency + added.source;
  const isSum = Math.abs(sum - chunk.score) < 0.006;
  const row = (factor: Factor) => h("tr", {},
    h("th", { scope: "row" }, h("span", { class: `swatch ${factor}` }), factor),
    h("td", { class: "number" }, score(factors[factor])),
    isSum && h("td", { class: "number muted" }, `× ${(weights[factor] / 100).toFixed(2)}`),
    isSum && h("td", { class: "number" }, score(added[factor])));
  const total = h("tr", { class: "sum" }, h("th", { scope: "row" }, "score"),
    isSum && h("td"), isSum && h("td"), h("td", { class: "number" }, score(chunk.score)));
  return h("table", { class: "calculation", "aria-label": "How the score is made" }, h("tbody", {}, ...FACTORS.map(row), total));
}

function alsoView(chunk: Chunk): HTMLElement | null {
  const also = chunk.also ?? [];
  if (also.length === 0) return null;
  return h("div", { class: "also" }, h("p", { class: "muted" }, "It also stands for"),
    h("ul", {}, ...also.map((it) => h("li", {}, pathName(it.path), h("span", { class: "number" }, lineRange(it.start_line, it.end_line)), ` ${visible(it.kind)}`))));
}

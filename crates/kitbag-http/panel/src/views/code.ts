// A chunk in its place in the file: the lines around it, which of them stand in the pack, and why the
// chunk is in or out, factor by factor. A chunk that is no file of the repository, such as a rule or a
// change of the history, is shown as it came.

import { Problem } from "../api";
import { fill, h } from "../dom";
import { linesOf } from "../files";
import { count, score } from "../numbers";
import { FACTORS, type Chunk, type Factor, type FileLines, type Pack } from "../types";
import { phrase, placeName, symbolName, visible } from "../visible";
import { contributions, type Weights } from "../weights";
import { why } from "../why";
import { lineBox, scrollToLine, wrapButton, type Lines } from "./lines";

const AROUND = 12;
/** So many lines stand above the chunk's own when it is opened; the others are a little up. */
const BEFORE = 3;
const MORE = 60;
/** What the server gives at most at once is up to it; the page asks for no more than this. */
const MOST = 1500;
/** Reasons for which a file was never read, and is not shown either. */
const UNREAD = new Set(["denied", "outside_root", "binary", "too_large", "unreadable"]);
/** Providers whose chunks are made and not read from a file. */
const MADE = new Set(["rules", "history", "tool_results", "sources", "diagnostics", "style"]);

/** Whether the calculation is unfolded, for all chunks alike. */
let isUnfolded = true;

export interface CodeView {
  element: HTMLElement;
  show: (pack: Pack, chunk: Chunk, weights: Weights, rank: number | null) => void;
}

export interface CodeActions {
  close: () => void;
  /** Shows the text of the pack. */
  openText: () => void;
}

export function codeView(actions: CodeActions): CodeView {
  const body = h("div", { class: "code-body" });
  const back = h("button", { type: "button", class: "quiet back", onclick: actions.close }, "← Back to the list");
  const element = h("section", { class: "code", "aria-label": "The chunk" },
    h("div", { class: "code-tools" }, back, wrapButton()), body);
  let turn = 0;

  const show = (pack: Pack, chunk: Chunk, weights: Weights, rank: number | null) => {
    turn += 1;
    const mine = turn;
    const lines = h("div", { class: "code-lines" });
    fill(body, heading(chunk, rank), reasons(pack, chunk, weights), calculation(chunk, weights), alsoView(chunk), lines);
    body.scrollTop = 0;
    if (chunk.text !== undefined) return fill(lines, lineBox(givenLines(chunk, chunk.text)));
    if (UNREAD.has(chunk.reason ?? "")) return fill(lines, said("The file was not read, so there is nothing to show."));
    if (chunk.start_line === null || chunk.end_line === null) return fill(lines, said("No lines are known for it."));
    const from = Math.max(1, chunk.start_line - AROUND);
    const to = Math.min(chunk.end_line + AROUND, from + MOST);
    void load({ pack, chunk, into: lines, isWanted: () => mine === turn, openText: actions.openText }, from, to);
    return undefined;
  };
  fill(body, h("div", { class: "empty" }, h("p", {}, "Pick a chunk to see it in its file.")));
  return { element, show };
}

interface Loading {
  pack: Pack;
  chunk: Chunk;
  into: HTMLElement;
  isWanted: () => boolean;
  openText: () => void;
}

/** Shows lines, and goes to the chunk's own or to the line that is named. */
async function load(loading: Loading, from: number, to: number, at?: number): Promise<void> {
  const { pack, chunk, into, isWanted } = loading;
  into.setAttribute("aria-busy", "true");
  try {
    const found = await linesOf(pack.request.repo ?? "", chunk.path, from, to);
    if (!isWanted()) return;
    fill(into, ...fileView(loading, found));
    scrollToLine(into, at ?? (chunk.start_line ?? 1) - BEFORE);
  } catch (error) {
    if (!isWanted()) return;
    fill(into, failure(loading, error));
  }
  into.removeAttribute("aria-busy");
}

/** Why there are no lines to show. */
function failure({ pack, chunk, openText }: Loading, error: unknown): HTMLElement {
  const told = error instanceof Problem ? error : new Problem("The file cannot be shown", String(error));
  if (told.code !== "not_found") {
    return h("div", { class: "pad" }, h("p", {}, h("b", {}, told.title)), h("p", { class: "muted" }, visible(told.detail)),
      told.hint !== "" && h("p", { class: "muted" }, visible(told.hint)));
  }
  const isMade = MADE.has(chunk.provider ?? "") || chunk.path.startsWith(`${chunk.kind}/`);
  const hasText = chunk.reason === undefined && (pack.report.content ?? "") !== "";
  return h("div", { class: "pad" },
    h("p", {}, h("b", {}, isMade ? "It is no file of the repository" : "The file is not there any more")),
    h("p", { class: "muted" }, isMade ? `It was made by ${visible(chunk.provider ?? "a provider")} for this pack.` : "It was there when the pack was made."),
    hasText && h("button", { type: "button", class: "quiet see-text", onclick: openText }, "See the text of the pack"));
}

function fileView(loading: Loading, found: FileLines): HTMLElement[] {
  const { pack, chunk } = loading;
  const { start_line: first, end_line: last, line_count: all, content } = found;
  if (last < first || first === 0) return [said("The file does not have these lines any more.")];
  const spans = pack.report.included.filter((it) => it.path === chunk.path && it.text === undefined).flatMap((it) => it.shown ?? []);
  const redacted = new Set(pack.report.redactions.filter((it) => it.path === chunk.path).map((it) => it.line));
  const button = (label: string, act: () => void) => h("button", { type: "button", class: "quiet stretch", onclick: act }, label);
  const box = lineBox({
    name: chunk.path, first, lines: content.split("\n").slice(0, last - first + 1),
    isOwn: (line) => line >= (chunk.start_line ?? 0) && line <= (chunk.end_line ?? 0),
    isShown: within(spans), isRedacted: (line) => redacted.has(line),
  });
  return [
    ...(first > 1 ? [button("↑ Lines above", () => void load(loading, Math.max(1, first - MORE), last, first - BEFORE))] : []),
    box,
    ...(last >= all ? [] : [button("↓ Lines below", () => void load(loading, first, last + MORE, last - MORE / 2))]),
  ];
}

/** The lines of a chunk that came with its text. */
function givenLines(chunk: Chunk, text: string): Lines {
  const lines = text.replace(/\n$/, "").split("\n");
  const isDiff = lines.some((line) => line.startsWith("@@ "));
  return {
    name: isDiff ? "a.diff" : chunk.path, first: chunk.start_line ?? 1, lines,
    isOwn: () => true, isShown: chunk.shown ? within(chunk.shown) : () => true, isRedacted: () => false,
  };
}

const within = (spans: [number, number][]) => (line: number): boolean =>
  spans.some(([start, end]) => start <= line && line <= end);

const said = (text: string): HTMLElement => h("p", { class: "muted pad" }, text);

function heading(chunk: Chunk, rank: number | null): HTMLElement {
  const place = rank === null ? "" : `rank ${rank} · `;
  return h("header", { class: "code-head" },
    h("h3", {}, placeName(chunk.path, chunk.start_line, chunk.end_line)),
    h("p", { class: "muted" },
      chunk.symbol !== null && symbolName(chunk.symbol),
      chunk.symbol !== null && " · ",
      `${place}${count(chunk.tokens, "token")} · ${visible(chunk.kind).replaceAll("_", " ")}`,
      chunk.provider !== undefined && !chunk.provider.startsWith(chunk.kind) && ` by ${visible(chunk.provider)}`,
      chunk.form !== undefined && chunk.form !== "full" && ` · ${visible(chunk.form)}`,
    ),
    chunk.reason !== undefined && h("p", { class: "verdict out" },
      h("b", {}, "Out: "), visible(chunk.detail || chunk.reason)));
}

/** Why it is in, all of it. */
function reasons(pack: Pack, chunk: Chunk, weights: Weights): HTMLElement | null {
  const told = chunk.reason === undefined ? why(chunk, weights, pack.request.task ?? "") : (chunk.why ?? []);
  if (told.length === 0) return null;
  return h("ul", { class: "reasons", "aria-label": "Why" }, ...told.map((reason) => h("li", {}, ...phrase(reason))));
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
  const table = h("table", { class: "calculation", "aria-label": "How the score is made" }, h("tbody", {}, ...FACTORS.map(row)));
  const fold = h("details", { class: "fold score-fold", ontoggle: () => (isUnfolded = fold.open) },
    h("summary", {}, "score ", h("b", { class: "number" }, score(chunk.score))), table);
  fold.open = isUnfolded;
  return fold;
}

function alsoView(chunk: Chunk): HTMLElement | null {
  const also = chunk.also ?? [];
  if (also.length === 0) return null;
  return h("div", { class: "also" }, h("p", { class: "muted" }, "It also stands for"),
    h("ul", {}, ...also.map((it) => h("li", {}, placeName(it.path, it.start_line, it.end_line), ` ${visible(it.kind)}`))));
}

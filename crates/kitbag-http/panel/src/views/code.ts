// A chunk in the context of its file: which lines are in the pack, why the chunk is included or excluded,
// and its score. A chunk that is not from a file, such as a rule or a commit, is shown as it is.

import { Problem } from "../client";
import { fill, h } from "../dom";
import { cachedLines } from "../file-cache";
import { count, score } from "../format";
import { FACTORS, type Chunk, type Factor, type FileLines, type Pack } from "../types";
import { locationElement, symbolElement, visible, withInlineCode } from "../visible";
import { contributions, type Weights } from "../weights";
import { reasonsFor } from "../why";
import { codeLines, scrollToLine, wrapButton, type CodeLines } from "./code-lines";

/** Lines loaded around the chunk, and how many of them are scrolled into view above it. */
const CONTEXT_LINES = 12;
const LINES_ABOVE = 3;
/** Lines loaded by the buttons above and below. */
const MORE_LINES = 60;
const MAX_LINES = 1500;
/** Reasons that mean that a file was never read. */
const UNREAD_REASONS = new Set(["denied", "outside_root", "binary", "too_large", "unreadable"]);
/** Providers whose chunks are not parts of files. */
const VIRTUAL_PROVIDERS = new Set(["rules", "history", "tool_results", "sources", "diagnostics", "style"]);

/** Whether the score calculation is open, for all chunks. */
let isCalculationOpen = true;

export interface CodeView {
  element: HTMLElement;
  show: (pack: Pack, chunk: Chunk, weights: Weights, rank: number | null) => void;
}

export interface CodeActions {
  close: () => void;
  openText: () => void;
}

export function codeView(actions: CodeActions): CodeView {
  const body = h("div", { class: "code-body" });
  const back = h("button", { type: "button", class: "quiet back", onclick: actions.close }, "← Back to the list");
  const element = h("section", { class: "code", "aria-label": "Selected chunk" },
    h("div", { class: "code-tools" }, back, wrapButton()), body);
  let turn = 0;

  const show = (pack: Pack, chunk: Chunk, weights: Weights, rank: number | null) => {
    turn += 1;
    const request = turn;
    const lines = h("div", { class: "code-lines" });
    fill(body, heading(chunk, rank), reasonList(pack, chunk, weights), calculation(chunk, weights), alsoView(chunk), lines);
    body.scrollTop = 0;
    if (chunk.text != null) return fill(lines, codeLines(ownLines(chunk, chunk.text)));
    if (UNREAD_REASONS.has(chunk.reason ?? "")) return fill(lines, note("The file was not read."));
    if (chunk.start_line == null || chunk.end_line == null) return fill(lines, note("The lines of this source are unknown."));
    const from = Math.max(1, chunk.start_line - CONTEXT_LINES);
    const to = Math.min(chunk.end_line + CONTEXT_LINES, from + MAX_LINES);
    void load({ pack, chunk, into: lines, isCurrent: () => request === turn, openText: actions.openText }, from, to);
    return undefined;
  };
  fill(body, h("div", { class: "empty" }, h("p", {}, "Select a chunk to see it in its file.")));
  return { element, show };
}

interface LoadOptions {
  pack: Pack;
  chunk: Chunk;
  into: HTMLElement;
  isCurrent: () => boolean;
  openText: () => void;
}

/** Loads and shows lines, and scrolls to `line`, or else to the chunk. */
async function load(options: LoadOptions, from: number, to: number, line?: number): Promise<void> {
  const { pack, chunk, into, isCurrent } = options;
  into.setAttribute("aria-busy", "true");
  try {
    const found = await cachedLines(pack.request.repo ?? "", chunk.path, from, to);
    if (!isCurrent()) return;
    fill(into, ...fileView(options, found));
    scrollToLine(into, line ?? (chunk.start_line ?? 1) - LINES_ABOVE);
  } catch (error) {
    if (!isCurrent()) return;
    fill(into, failureView(options, error));
  }
  into.removeAttribute("aria-busy");
}

function failureView({ pack, chunk, openText }: LoadOptions, error: unknown): HTMLElement {
  const problem = error instanceof Problem ? error : new Problem("The file cannot be shown", String(error));
  if (problem.code !== "not_found") {
    return h("div", { class: "pad" }, h("p", {}, h("b", {}, problem.title)), h("p", { class: "muted" }, visible(problem.detail)),
      problem.hint !== "" && h("p", { class: "muted" }, visible(problem.hint)));
  }
  const isVirtual = VIRTUAL_PROVIDERS.has(chunk.provider ?? "") || chunk.path.startsWith(`${chunk.kind}/`);
  const hasText = chunk.reason === undefined && (pack.report.content ?? "") !== "";
  return h("div", { class: "pad" },
    h("p", {}, h("b", {}, isVirtual ? "Not a file of the repository" : "The file no longer exists")),
    h("p", { class: "muted" }, isVirtual ? `Provided by ${visible(chunk.provider ?? "a provider")} for this pack.` : "It existed when the pack was made."),
    hasText && h("button", { type: "button", class: "quiet see-text", onclick: openText }, "Show the text of the pack"));
}

function fileView(options: LoadOptions, found: FileLines): HTMLElement[] {
  const { pack, chunk } = options;
  const { start_line: first, end_line: last, line_count: all, content } = found;
  if (last < first || first === 0) return [note("The file no longer has these lines.")];
  const spans = pack.report.included.filter((it) => it.path === chunk.path && it.text == null).flatMap((it) => it.shown ?? []);
  const redacted = new Set(pack.report.redactions.filter((it) => it.path === chunk.path).map((it) => it.line));
  const button = (label: string, act: () => void) => h("button", { type: "button", class: "quiet stretch", onclick: act }, label);
  const lines = codeLines({
    name: chunk.path, first, lines: content.split("\n").slice(0, last - first + 1),
    isOwn: (line) => line >= (chunk.start_line ?? 0) && line <= (chunk.end_line ?? 0),
    isShown: within(spans), isRedacted: (line) => redacted.has(line),
  });
  return [
    ...(first > 1 ? [button("↑ More lines above", () => void load(options, Math.max(1, first - MORE_LINES), last, first - LINES_ABOVE))] : []),
    lines,
    ...(last >= all ? [] : [button("↓ More lines below", () => void load(options, first, last + MORE_LINES, last - MORE_LINES / 2))]),
  ];
}

/** Returns the lines of a chunk that has a text of its own. */
function ownLines(chunk: Chunk, text: string): CodeLines {
  const lines = text.replace(/\n$/, "").split("\n");
  const isDiff = lines.some((line) => line.startsWith("@@ "));
  return {
    name: isDiff ? "a.diff" : chunk.path, first: chunk.start_line ?? 1, lines,
    isOwn: () => true, isShown: chunk.shown ? within(chunk.shown) : () => true, isRedacted: () => false,
  };
}

const within = (spans: [number, number][]) => (line: number): boolean =>
  spans.some(([start, end]) => start <= line && line <= end);

const note = (text: string): HTMLElement => h("p", { class: "muted pad" }, text);

function heading(chunk: Chunk, rank: number | null): HTMLElement {
  const rankLabel = rank === null ? "" : `rank ${rank} · `;
  return h("header", { class: "code-head" },
    h("h3", {}, locationElement(chunk.path, chunk.start_line, chunk.end_line)),
    h("p", { class: "muted" },
      chunk.symbol != null && symbolElement(chunk.symbol),
      chunk.symbol != null && " · ",
      `${rankLabel}${count(chunk.tokens, "token")} · ${visible(chunk.kind).replaceAll("_", " ")}`,
      chunk.provider != null && !chunk.provider.startsWith(chunk.kind) && ` by ${visible(chunk.provider)}`,
      chunk.form !== undefined && chunk.form !== "full" && ` · ${visible(chunk.form)}`,
    ),
    chunk.reason !== undefined && h("p", { class: "verdict excluded" },
      h("b", {}, "Excluded: "), visible(chunk.detail || chunk.reason)));
}

function reasonList(pack: Pack, chunk: Chunk, weights: Weights): HTMLElement | null {
  const reasons = chunk.reason === undefined ? reasonsFor(chunk, weights, pack.request.task ?? "") : (chunk.why ?? []);
  if (reasons.length === 0) return null;
  return h("ul", { class: "reasons", "aria-label": "Why" }, ...reasons.map((reason) => h("li", {}, ...withInlineCode(reason))));
}

/** Renders how the score is calculated. If the weighted sum is not the score, only the factors are shown. */
function calculation(chunk: Chunk, weights: Weights): HTMLElement | null {
  const { factors } = chunk;
  if (!factors || chunk.score == null) return null;
  const added = contributions(factors, weights);
  const sum = added.relevance + added.recency + added.source;
  const isSum = Math.abs(sum - chunk.score) < 0.006;
  const row = (factor: Factor) => h("tr", {},
    h("th", { scope: "row" }, h("span", { class: `swatch ${factor}` }), factor),
    h("td", { class: "number" }, score(factors[factor])),
    isSum && h("td", { class: "number muted" }, `× ${(weights[factor] / 100).toFixed(2)}`),
    isSum && h("td", { class: "number" }, score(added[factor])));
  const table = h("table", { class: "calculation", "aria-label": "Score calculation" }, h("tbody", {}, ...FACTORS.map(row)));
  const fold = h("details", { class: "fold score-fold", ontoggle: () => (isCalculationOpen = fold.open) },
    h("summary", {}, "score ", h("b", { class: "number" }, score(chunk.score))), table);
  fold.open = isCalculationOpen;
  return fold;
}

function alsoView(chunk: Chunk): HTMLElement | null {
  const duplicates = chunk.duplicates ?? [];
  if (duplicates.length === 0) return null;
  return h("div", { class: "also" }, h("p", { class: "muted" }, "Also represents"),
    h("ul", {}, ...duplicates.map((it) => h("li", {}, locationElement(it.path, it.start_line, it.end_line), ` ${visible(it.kind)}`))));
}

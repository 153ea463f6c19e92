// Durations of stages and providers, outcomes of providers, and statistics.

import { h, property } from "../dom";
import { count, duration, integer } from "../format";
import type { ProviderOutcome, Report } from "../types";
import { visible } from "../visible";

export function timingsView(report: Report): HTMLElement {
  return h("div", { class: "timings" }, stages(report), providers(report), facts(report));
}

function stages(report: Report): HTMLElement {
  const total = report.timings.find((it) => it.stage === "total")?.ms ?? 0;
  const all = report.timings.filter((it) => it.stage !== "total");
  const sum = Math.max(total, all.reduce((ms, it) => ms + it.ms, 0), Number.EPSILON);
  let before = 0;
  const rows = all.map(({ stage, ms }) => {
    const track = h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "span" }));
    property(track, "--from", `${(100 * before) / sum}%`);
    property(track, "--share", `${(100 * ms) / sum}%`);
    before += ms;
    return h("tr", {}, h("th", { scope: "row" }, visible(stage)), h("td", { class: "track-cell" }, track), h("td", { class: "number" }, duration(ms)));
  });
  return h("section", { class: "card" }, h("h3", {}, "Stages ", h("span", { class: "number muted" }, duration(total))),
    h("table", { class: "figures", "aria-label": "Stages" }, h("tbody", {}, ...rows)));
}

function providers(report: Report): HTMLElement {
  const longest = Math.max(...report.providers.map((it) => it.ms), Number.EPSILON);
  const rows = [...report.providers].sort((a, b) => order(a) - order(b)).map((it) => {
    const track = h("span", { class: "track", "aria-hidden": "true" }, it.ms > 0 && h("span", { class: "span" }));
    property(track, "--from", "0%");
    property(track, "--share", `${(100 * it.ms) / longest}%`);
    return h("tr", { class: it.outcome === "off" ? "is-off" : "" },
      h("th", { scope: "row" }, visible(it.id), it.detail != null && h("span", { class: "muted block-text" }, visible(it.detail))),
      h("td", {}, h("span", { class: `chip outcome-${it.outcome}` }, visible(it.outcome).replace("_", " "))),
      ...[it.sources, it.chunks, it.tokens].map((value, at) => h("td", { class: `${zeroClass(value)}${at === 0 ? " of-sources" : ""}` }, value > 0 ? integer(value) : "–")),
      h("td", { class: "track-cell short" }, track), h("td", { class: zeroClass(it.ms) }, it.ms > 0 ? duration(it.ms) : "–"));
  });
  const head = h("thead", {}, h("tr", {}, ...["Provider", "Outcome", "Sources", "Chunks", "Tokens"].map((name, at) =>
    h("th", { scope: "col", class: `${at > 1 ? "number" : ""}${at === 2 ? " of-sources" : ""}` }, name)), h("th", { scope: "col", colspan: 2, class: "number" }, "Time")));
  return h("section", { class: "card providers-card" }, h("h3", {}, "Providers"),
    h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Providers" }, h("table", { class: "figures" }, head, h("tbody", {}, ...rows))));
}

/** Sorts providers with results first, then failed, empty and disabled ones. */
function order({ outcome, tokens, chunks }: ProviderOutcome): number {
  if (tokens > 0 || chunks > 0) return 0;
  const at = ["failed", "timed_out", "late", "ok", "empty", "off"].indexOf(outcome);
  return at < 0 ? 4 : at + 1;
}

const zeroClass = (value: number): string => (value > 0 ? "number" : "number zero");

function facts(report: Report): HTMLElement {
  const { stats, tokenizer } = report;
  const rows: [string, string][] = [
    ["Files searched", integer(stats.files_searched)],
    ["Candidates", `${count(stats.sources, "source")} in ${count(stats.files, "file")}, ${count(stats.chunks, "chunk")}`],
    ["Duplicates excluded", `${integer(stats.duplicates)} exact, ${integer(stats.overlaps)} overlapping, ${integer(stats.near_duplicates)} near`],
    ["Mean relevance", stats.average_relevance.toFixed(3)],
    ["Token cache hits", `${(100 * stats.cache_hit_rate).toFixed(0)} %`],
    ["Tokenizer", tokenizer.exact ? `${tokenizer.name}, exact` : `${tokenizer.name}, estimate${tokenizer.error ? `: ${tokenizer.error}` : ""}`],
  ];
  if (report.correlation_id) rows.push(["Correlation id", report.correlation_id]);
  return h("section", { class: "card" }, h("h3", {}, "Statistics"),
    h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { class: "number" }, visible(value))])));
}

// How long the stages and the providers took, and what became of each provider.

import { h, property } from "../dom";
import { count, duration, whole } from "../numbers";
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
      h("th", { scope: "row" }, visible(it.id), it.detail !== undefined && h("span", { class: "muted block-text" }, visible(it.detail))),
      h("td", {}, h("span", { class: `chip outcome-${it.outcome}` }, visible(it.outcome).replace("_", " "))),
      ...[it.sources, it.chunks, it.tokens].map((value, at) => h("td", { class: `${nought(value)}${at === 0 ? " of-sources" : ""}` }, value > 0 ? whole(value) : "–")),
      h("td", { class: "track-cell short" }, track), h("td", { class: nought(it.ms) }, it.ms > 0 ? duration(it.ms) : "–"));
  });
  const head = h("thead", {}, h("tr", {}, ...["Provider", "Outcome", "Sources", "Chunks", "Tokens"].map((name, at) =>
    h("th", { scope: "col", class: `${at > 1 ? "number" : ""}${at === 2 ? " of-sources" : ""}` }, name)), h("th", { scope: "col", colspan: 2, class: "number" }, "Time")));
  return h("section", { class: "card providers-card" }, h("h3", {}, "Providers"),
    h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Providers" }, h("table", { class: "figures" }, head, h("tbody", {}, ...rows))));
}

/** Those that gave something come first, then those that failed, those that had nothing, those that are off. */
function order({ outcome, tokens, chunks }: ProviderOutcome): number {
  if (tokens > 0 || chunks > 0) return 0;
  const at = ["failed", "timed_out", "late", "ok", "empty", "off"].indexOf(outcome);
  return at < 0 ? 4 : at + 1;
}

const nought = (value: number): string => (value > 0 ? "number" : "number nought");

function facts(report: Report): HTMLElement {
  const { stats, tokenizer } = report;
  const number = (key: string) => (typeof stats[key] === "number" ? (stats[key] as number) : 0);
  const rows: [string, string][] = [
    ["Files searched", whole(number("files_searched"))],
    ["Candidates", `${count(number("sources"), "source")} in ${count(number("files"), "file")}, ${count(number("chunks"), "chunk")}`],
    ["Repetitions left out", `${whole(number("duplicates"))} same, ${whole(number("overlaps"))} overlapping, ${whole(number("near_duplicates"))} nearly the same`],
    ["Mean relevance", number("average_relevance").toFixed(3)],
    ["Counts remembered", `${(100 * number("cache_hit_rate")).toFixed(0)} %`],
    ["Counted with", tokenizer.exact ? `${tokenizer.name}, exact` : `${tokenizer.name}, an estimate${tokenizer.error ? `: ${tokenizer.error}` : ""}`],
  ];
  if (report.correlation_id) rows.push(["Correlation id", report.correlation_id]);
  return h("section", { class: "card" }, h("h3", {}, "Counted"),
    h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { class: "number" }, visible(value))])));
}

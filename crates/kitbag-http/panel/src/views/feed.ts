// The live feed: the packs that others and the page had made, each to look into.

import { byId, fill, h, property } from "../dom";
import { clock, compact, count, duration, whole } from "../numbers";
import { on, state } from "../state";
import type { Summary } from "../types";
import { visible } from "../visible";

/** Fills the section, and calls `open` with the pack that somebody wants to look into. */
export function feedView(open: (summary: Summary) => void): void {
  const list = byId("feed");
  const rows = new Map<string, HTMLElement>();

  on("feed", () => {
    byId("feed-count").textContent = state.feed.length > 0 ? whole(state.feed.length) : "";
    const items = state.feed.map((summary) => {
      const row = rows.get(summary.id) ?? entry(summary, open);
      rows.set(summary.id, row);
      row.firstElementChild?.toggleAttribute("aria-current", state.pack?.id === summary.id);
      return row;
    });
    for (const id of rows.keys()) if (!state.feed.some((summary) => summary.id === id)) rows.delete(id);
    stopAt(items, items.find((row) => row.contains(document.activeElement)) ?? items[0]);
    keepFocus(list, items);
  });
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const items = [...list.children];
    const to = items[items.findIndex((row) => row.contains(document.activeElement)) + (by ?? 0)];
    if (by === undefined || !to) return;
    event.preventDefault();
    stopAt(items, to);
    to.querySelector("button")?.focus();
  });
  fill(list, h("li", { class: "muted empty-note" }, "Packs of agents and of this page appear here as they are made."));
}

/** The list is one stop of the Tab key; arrow keys move within it. */
function stopAt(items: Element[], stop: Element | undefined): void {
  for (const item of items) item.querySelector("button")?.setAttribute("tabindex", item === stop ? "0" : "-1");
}

/** Replaces the rows without taking the focus from one that stays. */
function keepFocus(list: HTMLElement, items: HTMLElement[]): void {
  const focused = document.activeElement;
  fill(list, ...items);
  if (focused instanceof HTMLElement && list.contains(focused)) focused.focus({ preventScroll: true });
}

function entry(summary: Summary, open: (summary: Summary) => void): HTMLElement {
  const meter = h("span", { class: "meter", "aria-hidden": "true" });
  property(meter, "--share", `${(100 * summary.total_tokens) / Math.max(1, summary.budget)}%`);
  const who = [summary.agent_id === "page" ? "" : summary.agent_id, summary.profile].filter(Boolean).join(" · ");
  return h(
    "li", {},
    h(
      "button", { type: "button", class: "feed-item", "data-id": summary.id, title: described(summary), onclick: () => open(summary) },
      h("span", { class: `feed-task${isKnown(summary) && summary.task ? "" : " is-unknown"}` }, taskOf(summary).slice(0, 160)),
      h("span", { class: "feed-about" },
        h("span", { class: `chip via ${viaClass(summary)}` }, via(summary)),
        h("span", { class: "feed-who" }, visible(who)),
        summary.partial === true && h("span", { class: "chip warn" }, "partial"),
        h("span", { class: "number" }, compact(summary.total_tokens)),
        h("time", { class: "number" }, clock(summary.time)),
      ),
      meter,
    ),
  );
}

/** The task of a pack on one line, or that it is not known: records of other processes do not keep it. */
export function taskOf(summary: Summary): string {
  const { task } = summary;
  if (task) return visible(task.replace(/\s*\n\s*/g, " ")).replace(/^./u, (first) => (isKnown(summary) ? first : first.toUpperCase()));
  return isKnown(summary) ? "No task" : "Task not kept";
}

const isKnown = ({ task, has_task: hasTask }: Summary): boolean => hasTask ?? Boolean(task);

function described(summary: Summary): string {
  const { total_tokens: total, included, duration_ms: ms } = summary;
  const told = [
    `${count(total, "token")} of ${whole(summary.budget)}`, count(included, "chunk"),
    typeof ms === "number" ? duration(ms) : "", summary.repo ? visible(summary.repo) : "",
  ];
  return told.filter(Boolean).join(", ");
}

/** How a pack was asked for, as the feed says it. */
export function via(summary: Summary): string {
  if (summary.agent_id === "page") return "page";
  const source = summary.source || "http";
  return ["http", "mcp", "cli"].includes(source) ? source.toUpperCase() : visible(source);
}

function viaClass(summary: Summary): string {
  const word = via(summary).toLowerCase();
  return ["mcp", "http", "page", "cli"].includes(word) ? `via-${word}` : "";
}

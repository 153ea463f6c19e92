// The feed of recent packs.

import { byId, fill, h, property } from "../dom";
import { compact, count, duration, integer, timestamp } from "../format";
import { on, state } from "../state";
import type { PackSummary } from "../types";
import { visible } from "../visible";

/** Renders the feed. Picking a pack calls `onOpen`. */
export function feedView(onOpen: (summary: PackSummary) => void): void {
  const list = byId("feed");
  const rows = new Map<string, HTMLElement>();

  on("feed", () => {
    byId("feed-count").textContent = state.feed.length > 0 ? integer(state.feed.length) : "";
    const items = state.feed.map((summary) => {
      const row = rows.get(summary.id) ?? entry(summary, onOpen);
      rows.set(summary.id, row);
      row.firstElementChild?.toggleAttribute("aria-current", state.pack?.id === summary.id);
      return row;
    });
    for (const id of rows.keys()) if (!state.feed.some((summary) => summary.id === id)) rows.delete(id);
    setTabStop(items, items.find((row) => row.contains(document.activeElement)) ?? items[0]);
    fillKeepingFocus(list, items);
  });
  list.addEventListener("keydown", (event) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const items = [...list.children];
    const target = items[items.findIndex((row) => row.contains(document.activeElement)) + (offset ?? 0)];
    if (offset === undefined || !target) return;
    event.preventDefault();
    setTabStop(items, target);
    target.querySelector("button")?.focus();
  });
  fill(list, h("li", { class: "muted empty-note" }, "Packs of agents and of this page appear here."));
}

/** Makes one item the tab stop of the list; arrow keys move within it. */
function setTabStop(items: Element[], stop: Element | undefined): void {
  for (const item of items) item.querySelector("button")?.setAttribute("tabindex", item === stop ? "0" : "-1");
}

function fillKeepingFocus(list: HTMLElement, items: HTMLElement[]): void {
  const focused = document.activeElement;
  fill(list, ...items);
  if (focused instanceof HTMLElement && list.contains(focused)) focused.focus({ preventScroll: true });
}

function entry(summary: PackSummary, onOpen: (summary: PackSummary) => void): HTMLElement {
  const meter = h("span", { class: "meter", "aria-hidden": "true" });
  property(meter, "--share", `${(100 * summary.total_tokens) / Math.max(1, summary.budget)}%`);
  const agent = [summary.agent_id === "page" ? "" : summary.agent_id, summary.profile].filter(Boolean).join(" · ");
  const source = interfaceLabel(summary);
  return h(
    "li", {},
    h(
      "button", { type: "button", class: "feed-item", "data-id": summary.id, title: description(summary), onclick: () => onOpen(summary) },
      h("span", { class: `feed-task${summary.has_task && summary.task ? "" : " is-unknown"}` }, taskLabel(summary).slice(0, 160)),
      h("span", { class: "feed-about" },
        h("span", { class: `chip interface-${source.toLowerCase()}` }, source),
        h("span", { class: "feed-who" }, visible(agent)),
        summary.partial && h("span", { class: "chip warn" }, "partial"),
        h("span", { class: "number" }, compact(summary.total_tokens)),
        h("time", { class: "number" }, timestamp(summary.created_at)),
      ),
      meter,
    ),
  );
}

/** Returns the task of a pack on one line. Records of other processes do not keep it. */
export function taskLabel({ task, has_task: hasTask }: PackSummary): string {
  if (!task) return hasTask ? "No task" : "Unknown task";
  const line = visible(task.replace(/\s*\n\s*/g, " "));
  return hasTask ? line : line.replace(/^./u, (first) => first.toUpperCase());
}

function description(summary: PackSummary): string {
  const facts = [
    `${count(summary.total_tokens, "token")} of ${integer(summary.budget)}`, count(summary.included, "chunk"),
    duration(summary.duration_ms), visible(summary.repo),
  ];
  return facts.join(", ");
}

/** Returns the label of the interface a pack was requested over. */
export function interfaceLabel(summary: PackSummary): string {
  if (summary.agent_id === "page") return "page";
  return ["http", "mcp", "cli"].includes(summary.interface) ? summary.interface.toUpperCase() : visible(summary.interface);
}

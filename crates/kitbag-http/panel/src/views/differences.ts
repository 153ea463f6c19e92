// What came in and what fell out against the last pack.

import { h } from "../dom";
import type { Change, Changes } from "../changes";
import { count, whole } from "../numbers";
import type { Chunk } from "../types";
import { placeName, symbolName, visible } from "../visible";

/** The line above the tabs, with what the pack is held against; `null` where there is nothing. */
export function differenceLine(changes: Changes | null, last: string, open: () => void): HTMLElement | null {
  if (!changes) return null;
  const { came, went, changed, moved } = changes;
  if (came.length + went.length + changed.length === 0) {
    return h("p", { class: "difference", id: "difference" }, h("span", { class: "muted" }, `The same chunks as in ${last}${moved > 0 ? `, ${whole(moved)} of them at another rank` : ""}.`));
  }
  return h("p", { class: "difference", id: "difference" },
    h("span", { class: "muted" }, `Against ${last}`),
    h("span", { class: "came" }, `+${whole(came.length)} came in`),
    h("span", { class: "went" }, `−${whole(went.length)} fell out`),
    changed.length > 0 && h("span", { class: "muted" }, `${whole(changed.length)} in another form`),
    h("button", { type: "button", class: "linkish", onclick: open }, "See which"));
}

/** The whole difference. Picking a chunk calls `pick`. */
export function differenceView(changes: Changes | null, pick: (chunk: Chunk) => void): HTMLElement {
  if (!changes) {
    return h("div", { class: "empty" }, h("h3", {}, "Nothing to compare with yet"),
      h("p", {}, "Move a weight, switch a provider or change the budget: what came in and fell out shows here. Packs are held against the last one of the same task."));
  }
  const { came, went, changed, kept, moved } = changes;
  if (came.length + went.length + changed.length === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "The same chunks as before"),
      h("p", {}, moved > 0 ? `${count(moved, "chunk stands", "chunks stand")} at another rank.` : "In the same order, too."));
  }
  return h("div", { class: "differences" },
    part("Came in", "came", came, pick),
    part("Fell out", "went", went, pick),
    changed.length > 0 && part("In another form", "changed", changed, pick),
    h("p", { class: "muted" }, `${count(kept, "chunk")} stayed, ${whole(moved)} of them at another rank.`));
}

function part(title: string, name: string, list: Change[], pick: (chunk: Chunk) => void): HTMLElement {
  const shown = list.slice(0, 300);
  return h("section", { class: `change-part ${name}` },
    h("h3", {}, title, " ", h("span", { class: "number muted" }, whole(list.length))),
    list.length === 0 ? h("p", { class: "muted" }, "Nothing.") : h("ul", {}, ...shown.map((change) => item(change, pick))),
    list.length > shown.length && h("p", { class: "muted" }, `and ${whole(list.length - shown.length)} more`));
}

function item({ chunk, before, after, reason }: Change, pick: (chunk: Chunk) => void): HTMLElement {
  return h("li", {},
    h("button", { type: "button", class: "linkish", onclick: () => pick(chunk) },
      placeName(chunk.path, chunk.start_line, chunk.end_line)),
    chunk.symbol !== null && symbolName(chunk.symbol),
    h("span", { class: "muted number place" }, places(before, after)),
    h("span", { class: "muted reason-text" }, when(before, after), visible(reason)));
}

/** Whether a reason is that of then or of now. */
function when(before: number | null, after: number | null): string {
  if (before !== null && after !== null) return "";
  return before === null ? "Before: " : "Now: ";
}

function places(before: number | null, after: number | null): string {
  if (before !== null && after !== null) return `rank ${before} → ${after}`;
  return before === null ? `rank ${after ?? ""} now` : `rank ${before} before`;
}

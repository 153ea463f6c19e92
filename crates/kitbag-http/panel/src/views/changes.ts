// Differences from the last pack.

import type { Change, Changes } from "../changes";
import { h } from "../dom";
import { count, integer } from "../format";
import type { Chunk } from "../types";
import { locationElement, symbolElement, visible } from "../visible";

const MAX_LISTED = 300;

/** Renders the summary above the tabs, or null if there is nothing to compare with. */
export function changesSummary(changes: Changes | null, baseline: string, onOpen: () => void): HTMLElement | null {
  if (!changes) return null;
  const { added, removed, reshaped, reranked } = changes;
  if (changedCount(changes) === 0) {
    const ranks = reranked > 0 ? `, ${integer(reranked)} with a different rank` : "";
    return h("p", { class: "changes-summary", id: "changes-summary" }, h("span", { class: "muted" }, `Same chunks as ${baseline}${ranks}.`));
  }
  return h("p", { class: "changes-summary", id: "changes-summary" },
    h("span", { class: "muted" }, `Compared with ${baseline}:`),
    h("span", { class: "added" }, `+${integer(added.length)} added`),
    h("span", { class: "removed" }, `−${integer(removed.length)} removed`),
    reshaped.length > 0 && h("span", { class: "muted" }, `${integer(reshaped.length)} in another form`),
    h("button", { type: "button", class: "link-button", onclick: onOpen }, "Show changes"));
}

/** Renders the changes. Picking a chunk calls `onPick`. */
export function changesView(changes: Changes | null, onPick: (chunk: Chunk) => void): HTMLElement {
  if (!changes) {
    return h("div", { class: "empty" }, h("h3", {}, "Nothing to compare with yet"),
      h("p", {}, "Change a weight, a provider or the budget to see which chunks are added and removed. Packs are compared with the last one of the same task."));
  }
  const { added, removed, reshaped, unchanged, reranked } = changes;
  if (changedCount(changes) === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "Same chunks as before"),
      h("p", {}, reranked > 0 ? `${count(reranked, "chunk has", "chunks have")} a different rank.` : "The order is the same, too."));
  }
  return h("div", { class: "changes" },
    section("Added", "added", added, onPick),
    section("Removed", "removed", removed, onPick),
    reshaped.length > 0 && section("In another form", "reshaped", reshaped, onPick),
    h("p", { class: "muted" }, `${count(unchanged, "chunk")} unchanged, ${integer(reranked)} with a different rank.`));
}

const changedCount = ({ added, removed, reshaped }: Changes): number => added.length + removed.length + reshaped.length;

function section(title: string, className: string, list: Change[], onPick: (chunk: Chunk) => void): HTMLElement {
  const listed = list.slice(0, MAX_LISTED);
  return h("section", { class: `change-part ${className}` },
    h("h3", {}, title, " ", h("span", { class: "number muted" }, integer(list.length))),
    list.length === 0 ? h("p", { class: "muted" }, "None.") : h("ul", {}, ...listed.map((change) => item(change, onPick))),
    list.length > listed.length && h("p", { class: "muted" }, `and ${integer(list.length - listed.length)} more`));
}

function item({ chunk, before, after, reason }: Change, onPick: (chunk: Chunk) => void): HTMLElement {
  return h("li", {},
    h("button", { type: "button", class: "link-button", onclick: () => onPick(chunk) },
      locationElement(chunk.path, chunk.start_line, chunk.end_line)),
    chunk.symbol != null && symbolElement(chunk.symbol),
    h("span", { class: "muted number place" }, ranks(before, after)),
    h("span", { class: "muted reason-text" }, reasonPrefix(before, after), visible(reason)));
}

/** Says which of the packs the reason is about. */
function reasonPrefix(before: number | null, after: number | null): string {
  if (before !== null && after !== null) return "";
  return before === null ? "Before: " : "Now: ";
}

function ranks(before: number | null, after: number | null): string {
  if (before !== null && after !== null) return `rank ${before} → ${after}`;
  return before === null ? `rank ${after ?? ""} now` : `rank ${before} before`;
}

// Redacted secrets.

import { h } from "../dom";
import { count } from "../format";
import type { Report } from "../types";
import { locationElement, visible } from "../visible";

export function redactionsView({ redactions }: Report, onPick: (path: string) => void): HTMLElement {
  if (redactions.length === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "No secrets found"),
      h("p", {}, "Keys, tokens and passwords on lines of the pack are replaced by markers and listed here."));
  }
  const rows = redactions.map((it) => h("tr", {},
    h("th", { scope: "row" }, h("button", { type: "button", class: "link-button", onclick: () => onPick(it.path) }, locationElement(it.path, it.line, it.line))),
    h("td", {}, h("span", { class: "chip warn" }, visible(it.rule)))));
  return h("section", { class: "card" },
    h("p", { class: "muted" }, `${count(redactions.length, "secret was", "secrets were")} replaced by markers. The secrets themselves are not stored.`),
    h("table", { class: "figures" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Location"), h("th", { scope: "col" }, "Rule"))), h("tbody", {}, ...rows)));
}

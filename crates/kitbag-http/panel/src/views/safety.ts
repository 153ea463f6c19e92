// What was kept from the model, and which rules had a say: redactions, and the verdicts of rules.

import { h } from "../dom";
import { count } from "../numbers";
import type { Report, Rule } from "../types";
import { pathName, visible } from "../visible";

export function redactionsView(report: Report, pick: (path: string) => void): HTMLElement {
  const { redactions } = report;
  if (redactions.length === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "No secrets were found"),
      h("p", {}, "Keys, tokens and passwords on lines of the pack would be replaced by markers, and listed here."));
  }
  const rows = redactions.map((it) => h("tr", {},
    h("th", { scope: "row" }, h("button", { type: "button", class: "linkish", onclick: () => pick(it.path) }, pathName(it.path), h("span", { class: "number" }, `:${it.line}`))),
    h("td", {}, h("span", { class: "chip warn" }, visible(it.rule)))));
  return h("section", { class: "card" },
    h("p", { class: "muted" }, `${count(redactions.length, "secret was", "secrets were")} replaced by markers. What they were is not kept anywhere.`),
    h("table", { class: "figures" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Where"), h("th", { scope: "col" }, "What it looked like"))), h("tbody", {}, ...rows)));
}

const VERDICTS: Record<string, string> = {
  holds: "applies", applies: "applies", fails: "does not apply", does_not_hold: "does not apply", undecided: "undecided",
};

export function rulesView(rules: Rule[]): HTMLElement {
  if (rules.length === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "No rules had a say"),
      h("p", {}, "Rules of the repository (.agent/contexts, AGENTS.md, Cursor and Copilot rules) show here with their verdicts."));
  }
  return h("ul", { class: "rules" }, ...rules.map((rule) => h("li", { class: "card rule" },
    h("div", { class: "rule-head" }, h("h3", {}, visible(rule.name)),
      h("span", { class: `chip verdict-${rule.outcome}` }, VERDICTS[rule.outcome] ?? visible(rule.outcome)),
      rule.injected === true && h("span", { class: "chip new" }, "in the pack")),
    rule.description !== undefined && h("p", {}, visible(rule.description)),
    rule.condition !== undefined && h("p", { class: "muted" }, "When: ", visible(rule.condition)),
    rule.reason !== undefined && h("p", {}, visible(rule.reason), rule.decided_by !== undefined && h("span", { class: "muted" }, ` (decided by ${visible(rule.decided_by)})`)),
    h("p", { class: "muted" }, pathName(rule.path), rule.line !== undefined && `:${rule.line}`, rule.convention !== undefined && ` · ${visible(rule.convention)}`),
    (rule.injects ?? []).length > 0 && h("p", { class: "muted" }, "Injects ", visible((rule.injects ?? []).join(", "))))));
}

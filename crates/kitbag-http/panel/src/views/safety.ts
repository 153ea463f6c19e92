// What was kept from the model, and which rules had a say: redactions, and the verdicts of rules.

import { h } from "../dom";
import { count } from "../numbers";
import type { Report, Rule } from "../types";
import { pathName, placeName, visible } from "../visible";

export function redactionsView(report: Report, pick: (path: string) => void): HTMLElement {
  const { redactions } = report;
  if (redactions.length === 0) {
    return h("div", { class: "empty" }, h("h3", {}, "No secrets were found"),
      h("p", {}, "Keys, tokens and passwords on lines of the pack would be replaced by markers, and listed here."));
  }
  const rows = redactions.map((it) => h("tr", {},
    h("th", { scope: "row" }, h("button", { type: "button", class: "linkish", onclick: () => pick(it.path) }, placeName(it.path, it.line, it.line))),
    h("td", {}, h("span", { class: "chip warn" }, visible(it.rule)))));
  return h("section", { class: "card" },
    h("p", { class: "muted" }, `${count(redactions.length, "secret was", "secrets were")} replaced by markers. What they were is not kept anywhere.`),
    h("table", { class: "figures" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Where"), h("th", { scope: "col" }, "What it looked like"))), h("tbody", {}, ...rows)));
}

const VERDICTS: Record<string, string> = {
  holds: "applies", applies: "applies", fails: "does not apply", does_not_hold: "does not apply", undecided: "undecided",
};

/** The rules of a pack. Where they were not asked, `switchOn` asks them. */
export function rulesView(report: Report, switchOn: () => void): HTMLElement {
  const rules = report.rules ?? [];
  const isOff = (report.providers.find(({ id }) => id === "rules")?.outcome ?? "off") === "off";
  if (rules.length === 0) return isOff ? rulesOff(switchOn) : noRules();
  return h("ul", { class: "rules" }, ...rules.map(ruleView));
}

function rulesOff(switchOn: () => void): HTMLElement {
  return h("div", { class: "empty" }, h("h3", {}, "Rules were not asked"),
    h("p", {}, "Which rules of the repository apply (.agent/contexts, AGENTS.md, CLAUDE.md, Cursor and Copilot rules), and why, shows here once they are on."),
    h("button", { type: "button", class: "button", id: "rules-on", onclick: switchOn }, "Switch rules on"),
    h("p", {}, "For every request: ", h("code", {}, "context.providers.rules.enabled"), " in the configuration."));
}

function noRules(): HTMLElement {
  return h("div", { class: "empty" }, h("h3", {}, "The repository has no rules"),
    h("p", {}, "None was found in .agent/contexts, AGENTS.md, CLAUDE.md or the rules of Cursor and Copilot."));
}

function ruleView(rule: Rule): HTMLElement {
  return h("li", { class: "card rule" },
    h("div", { class: "rule-head" }, h("h3", {}, visible(rule.name)),
      h("span", { class: `chip verdict-${rule.outcome}` }, VERDICTS[rule.outcome] ?? visible(rule.outcome)),
      rule.injected === true && h("span", { class: "chip new" }, "in the pack")),
    rule.description !== undefined && h("p", {}, visible(rule.description)),
    rule.condition !== undefined && h("p", { class: "muted" }, "When: ", visible(rule.condition)),
    rule.reason !== undefined && h("p", {}, visible(rule.reason), rule.decided_by !== undefined && h("span", { class: "muted" }, ` (decided by ${visible(rule.decided_by)})`)),
    h("p", { class: "muted" }, pathName(rule.path, rule.line === undefined ? "" : `:${rule.line}`), rule.convention !== undefined && ` · ${visible(rule.convention)}`),
    (rule.injects ?? []).length > 0 && h("p", { class: "muted" }, "Injects ", visible((rule.injects ?? []).join(", "))));
}

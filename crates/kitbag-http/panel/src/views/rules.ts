// Outcomes of the repository's rules.

import { h } from "../dom";
import type { Report, Rule } from "../types";
import { pathElement, visible } from "../visible";

const OUTCOME_LABELS: Record<string, string> = {
  holds: "applies", fails: "does not apply", undecided: "undecided",
};

/** Renders the rules. If the provider is disabled, `onEnable` enables it. */
export function rulesView(report: Report, onEnable: () => void): HTMLElement {
  const rules = report.rules ?? [];
  if (rules.length > 0) return h("ul", { class: "rules" }, ...rules.map(ruleView));
  const outcome = report.providers.find(({ id }) => id === "rules")?.outcome ?? "off";
  return outcome === "off" ? disabledNote(onEnable) : noRulesNote();
}

function disabledNote(onEnable: () => void): HTMLElement {
  return h("div", { class: "empty" }, h("h3", {}, "Rules are disabled"),
    h("p", {}, "Enable them to see which rules of the repository apply, and why: .agent/contexts, AGENTS.md, CLAUDE.md, Cursor and Copilot rules."),
    h("button", { type: "button", class: "button", id: "rules-on", onclick: onEnable }, "Enable rules"),
    h("p", {}, "To enable them for every request, set ", h("code", {}, "context.providers.rules.enabled"), "."));
}

function noRulesNote(): HTMLElement {
  return h("div", { class: "empty" }, h("h3", {}, "No rules found"),
    h("p", {}, "The repository has no .agent/contexts, AGENTS.md or CLAUDE.md, and no Cursor or Copilot rules."));
}

function ruleView(rule: Rule): HTMLElement {
  return h("li", { class: "card rule" },
    h("div", { class: "rule-head" }, h("h3", {}, visible(rule.name)),
      h("span", { class: `chip verdict-${rule.outcome}` }, OUTCOME_LABELS[rule.outcome] ?? visible(rule.outcome)),
      rule.injected && h("span", { class: "chip new" }, "in the pack")),
    rule.description != null && h("p", {}, visible(rule.description)),
    rule.condition != null && h("p", { class: "muted" }, "When: ", visible(rule.condition)),
    h("p", {}, visible(rule.reason), rule.decided_by != null && h("span", { class: "muted" }, ` (decided by ${visible(rule.decided_by)})`)),
    h("p", { class: "muted" }, pathElement(rule.path, `:${rule.line}`), ` · ${visible(rule.convention)}`),
    (rule.injects ?? []).length > 0 && h("p", { class: "muted" }, "Injects ", visible((rule.injects ?? []).join(", "))));
}

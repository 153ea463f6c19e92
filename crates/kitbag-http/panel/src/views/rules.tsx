// Verdicts about the repository's rules. Rules that apply come first; an undecided rule is not one of them.

import { pin } from "../edits";
import { count } from "../format";
import { submit } from "../session";
import type { Shown, State } from "../store";
import type { Report, Rule } from "../types";
import { visible } from "../visible";
import { formOf } from "./edit-buttons";
import { Empty, InlineCode, Path } from "./parts";
import { enableProvider } from "./providers";

const GROUPS: [outcome: string, title: string, explanation: string][] = [
  ["holds", "Apply", ""],
  ["undecided", "Undecided", "No matcher or judge could decide their condition. They are listed for the agent, and not injected unless configured."],
  ["fails", "Do not apply", ""],
];
const OUTCOME_LABELS: Record<string, string> = { holds: "applies", fails: "does not apply", undecided: "undecided" };

export function RulesView({ state, shown }: { state: State; shown: Shown }) {
  const { report } = shown.pack;
  const pinFile = (path: string) => void submit(pin(formOf(state, shown), { path }, report));
  const rules = report.rules ?? [];
  if (rules.length === 0) return <NoRules report={report} />;
  return (
    <div class="rule-groups">
      {GROUPS.map(([outcome, title, explanation]) => {
        const found = rules.filter((rule) => rule.outcome === outcome);
        if (found.length === 0) return null;
        return (
          <section key={outcome}>
            <h3 class="group-title">{title} <span class="number muted">{count(found.length, "rule")}</span></h3>
            {explanation && <p class="muted group-note">{explanation}</p>}
            <ul class="rules">{found.map((rule) => <RuleCard rule={rule} onPin={pinFile} />)}</ul>
          </section>
        );
      })}
    </div>
  );
}

function NoRules({ report }: { report: Report }) {
  const outcome = report.providers.find(({ id }) => id === "rules")?.outcome ?? "off";
  if (outcome !== "off") {
    return <Empty title="No rules found"><p>The repository has no .agent/contexts, AGENTS.md or CLAUDE.md, and no Cursor or Copilot rules.</p></Empty>;
  }
  return (
    <Empty title="Rules are disabled">
      <p>Enable them to see which rules of the repository apply, and why: .agent/contexts, AGENTS.md, CLAUDE.md, Cursor and Copilot rules.</p>
      <button type="button" class="button" id="rules-on" onClick={() => enableProvider("rules")}>Enable rules</button>
      <p>To enable them for every request, set <code>context.providers.rules.enabled</code>.</p>
    </Empty>
  );
}

function RuleCard({ rule, onPin }: { rule: Rule; onPin: (path: string) => void }) {
  const injects = rule.injects ?? [];
  return (
    <li class="card rule" data-outcome={rule.outcome}>
      <div class="rule-head">
        <h4>{visible(rule.name)}</h4>
        <span class={`chip verdict-${rule.outcome}`}>{OUTCOME_LABELS[rule.outcome] ?? visible(rule.outcome)}</span>
        {rule.injected && <span class="chip new">in the pack</span>}
      </div>
      {rule.description != null && <p>{visible(rule.description)}</p>}
      {rule.condition != null && <p class="muted">When: {visible(rule.condition)}</p>}
      <p><InlineCode text={rule.reason} />{rule.decided_by != null && <span class="muted"> (decided by {visible(rule.decided_by)})</span>}</p>
      <p class="muted"><Path path={rule.path} lines={`:${rule.line}`} /> · {visible(rule.convention).replaceAll("_", " ")}</p>
      <MatchingFiles rule={rule} onPin={onPin} />
      {injects.length > 0 && <p class="muted">Injects {visible(injects.join(", "))}</p>}
    </li>
  );
}

/** Matchers look at the files that the request names. Those that the search found can be named by a click. */
function MatchingFiles({ rule, onPin }: { rule: Rule; onPin: (path: string) => void }) {
  const [first, ...others] = rule.matching_files ?? [];
  if (first === undefined) return null;
  const more = others.length > 0 ? ` and ${count(others.length, "other")}` : "";
  return (
    <p class="matching-files">
      It is for <Path path={first} />{more} of this pack, which the request does not name.{" "}
      <button type="button" class="link-button" onClick={() => onPin(first)}>Pin {visible(first.slice(first.lastIndexOf("/") + 1))} to apply it</button>
    </p>
  );
}

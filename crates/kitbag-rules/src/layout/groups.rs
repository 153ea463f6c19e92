//! Sections of the layout, most important first.

use super::{HistoryItem, RuleSection, SectionForm, SectionKind};
use crate::assemble::{ActiveContext, ActiveRule, Assembly, ContextRole};
use crate::decide::RuleDecision;
use crate::model::RuleText;
use kitbag_config::format_time;
use std::fmt::Write;

/// Sections that are included together, and what can be included instead.
pub(super) struct SectionGroup {
    pub full: Vec<RuleSection>,
    pub essential: Vec<RuleSection>,
}

impl From<RuleSection> for SectionGroup {
    fn from(section: RuleSection) -> Self {
        Self { full: vec![section], essential: Vec::new() }
    }
}

/// Returns all sections, most important first.
pub(super) fn section_groups(assembly: &Assembly, history: &[HistoryItem]) -> Vec<SectionGroup> {
    let mut groups = Vec::new();
    if !assembly.situation.is_empty() {
        let text = format!("{}\n", assembly.situation);
        groups.push(section(SectionKind::Situation, "situation", text).into());
    }
    groups.push(section(SectionKind::Facts, "assembly", facts(assembly)).into());
    groups.extend(assembly.contexts.iter().map(context_group));
    for rule in &assembly.rules {
        groups.extend(rule_sections(rule).into_iter().map(SectionGroup::from));
    }
    groups.extend(assembly.offered().into_iter().map(|rule| offered_section(rule).into()));
    groups.extend(history.iter().map(|item| history_section(item).into()));
    groups
}

fn section(kind: SectionKind, name: &str, text: String) -> RuleSection {
    RuleSection {
        kind,
        name: name.to_owned(),
        path: None,
        line: 1,
        via: Vec::new(),
        priority: 1.0,
        timestamp: None,
        form: SectionForm::Full,
        text,
    }
}

/// Returns the sections of a context: summary and body, and behavior rules.
fn context_group(active: &ActiveContext) -> SectionGroup {
    let context = &active.context;
    let own = |kind, text| RuleSection {
        path: Some(context.path.clone()),
        priority: active.priority,
        timestamp: active.timestamp,
        ..section(kind, &context.name, text)
    };
    let summary = summary(active);
    let mut text = summary.clone();
    if let Some(body) = &context.body {
        text.push_str(&fenced(&body.text));
    }
    let mut full = vec![own(SectionKind::Context, text)];
    if !active.behavior_rules.is_empty() {
        let mut text = format!("### {}\n", one_line(&context.name));
        for rule in &active.behavior_rules {
            let _ = writeln!(text, "- {}: {}", one_line(&rule.trigger), one_line(&rule.action));
        }
        full.push(own(SectionKind::Behavior, text));
    }
    let essential =
        RuleSection { form: SectionForm::Essential, ..own(SectionKind::Context, summary) };
    let is_shorter = full.len() > 1 || context.body.is_some();
    SectionGroup { full, essential: if is_shorter { vec![essential] } else { Vec::new() } }
}

/// Returns the essentials of a context.
fn summary(active: &ActiveContext) -> String {
    let context = &active.context;
    let mut text = format!("### {}", one_line(&context.name));
    if let Some(kind) = &context.kind {
        let _ = write!(text, " ({})", one_line(kind));
    }
    text.push('\n');
    let mut item = |name: &str, value: Option<&String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "- {name}: {}", one_line(value));
        }
    };
    item("About", context.description.as_ref());
    item("Business goal", active.business_goal.as_ref());
    item("Intent type", active.intent_type.as_ref());
    let reason = match &active.role {
        ContextRole::Current => "the current context".to_owned(),
        ContextRole::Ancestor(1) => "a parent of the current context".to_owned(),
        ContextRole::Ancestor(_) => "an ancestor of the current context".to_owned(),
        ContextRole::Injected { rule } => format!("injected by the rule `{}`", one_line(rule)),
    };
    let _ = writeln!(text, "- Why: {reason} (`{}`)", context.path);
    text
}

/// Returns a section for each text of a rule.
fn rule_sections(rule: &ActiveRule) -> Vec<RuleSection> {
    let one = |part: &RuleText| {
        let via = match part.via.last() {
            Some(last) => format!(", imported by `{last}`"),
            None => String::new(),
        };
        let (name, reason) = (one_line(&rule.name), one_line(&rule.reason));
        let lines = fenced(&part.text);
        let text = format!("### {name} (`{}`{via}): {reason}\n{lines}", part.path);
        RuleSection {
            path: Some(part.path.clone()),
            line: part.line,
            via: part.via.clone(),
            timestamp: rule.timestamp,
            ..section(SectionKind::Rule, &rule.name, text)
        }
    };
    rule.parts.iter().map(one).collect()
}

/// Fences a text with more backticks than it contains, so that it cannot add headings.
fn fenced(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end())
}

fn offered_section(rule: &RuleDecision) -> RuleSection {
    let about = rule.description.as_ref();
    let about = about.map_or_else(String::new, |about| format!(": {}", one_line(about)));
    let mut text = format!("- {}{about} (`{}`)\n", one_line(&rule.name), rule.path);
    // The reader decides, so the condition and its consequence are shown.
    if let Some(condition) = &rule.condition
        && rule.description.as_ref() != Some(condition)
    {
        let _ = writeln!(text, "  - if: {}", one_line(condition));
    }
    if !rule.injects.is_empty() {
        let targets: Vec<String> =
            rule.injects.iter().map(|it| format!("`{}`", one_line(it))).collect();
        let _ = writeln!(text, "  - then read: {}", targets.join(", "));
    }
    RuleSection {
        path: Some(rule.path.clone()),
        line: rule.line,
        priority: rule.similarity,
        ..section(SectionKind::Offered, &rule.name, text)
    }
}

fn facts(assembly: &Assembly) -> String {
    let injected = assembly.decisions.iter().filter(|it| it.injected).count();
    let mut text = String::new();
    let _ = writeln!(text, "- Contexts: {}", assembly.contexts.len());
    let _ = writeln!(text, "- Rules: {injected} of {} apply", assembly.decisions.len());
    let offered = assembly.offered().len();
    if offered > 0 {
        let _ = writeln!(text, "- Undecided: {offered}");
    }
    if let Some(judge) = &assembly.judge {
        let _ = writeln!(text, "- Judge: {}", one_line(judge));
    }
    if let Some(now) = assembly.now {
        let _ = writeln!(text, "- Time: {}", format_time(now));
    }
    text
}

fn history_section(item: &HistoryItem) -> RuleSection {
    let when = item.timestamp.map_or_else(String::new, |time| format!("{}: ", format_time(time)));
    let place = item.path.as_ref().map_or_else(String::new, |path| format!(" (`{path}`)"));
    let text = format!("- {when}{}{place}\n", one_line(&item.title));
    RuleSection {
        path: item.path.clone(),
        timestamp: item.timestamp,
        ..section(SectionKind::History, &item.title, text)
    }
}

/// Joins a text into one line, so that no value can add headings.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

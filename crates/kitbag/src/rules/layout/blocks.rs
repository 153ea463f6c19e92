//! The pieces of the layout, the most important first.

use super::{Form, HistoryItem, Section, SectionKind};
use crate::request::format_time;
use crate::rules::assemble::{ActiveContext, ActiveRule, Assembly, Role};
use crate::rules::decide::RuleDecision;
use std::fmt::Write;

/// Sections that go in together, and what may go in instead.
pub(super) struct Block {
    pub full: Vec<Section>,
    pub essential: Vec<Section>,
}

impl From<Section> for Block {
    fn from(section: Section) -> Self {
        Self { full: vec![section], essential: Vec::new() }
    }
}

/// Everything that there is to show, the most important first.
pub(super) fn blocks(assembly: &Assembly, history: &[HistoryItem]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !assembly.situation.is_empty() {
        let text = format!("{}\n", assembly.situation);
        blocks.push(section(SectionKind::Situation, "situation", text).into());
    }
    blocks.push(section(SectionKind::Facts, "assembly", facts(assembly)).into());
    blocks.extend(assembly.contexts.iter().map(context));
    for rule in &assembly.rules {
        blocks.extend(rule_sections(rule).into_iter().map(Block::from));
    }
    blocks.extend(assembly.offered().into_iter().map(|rule| offered(rule).into()));
    blocks.extend(history.iter().map(|item| past(item).into()));
    blocks
}

fn section(kind: SectionKind, name: &str, text: String) -> Section {
    Section {
        kind,
        name: name.to_owned(),
        path: None,
        line: 1,
        via: Vec::new(),
        priority: 1.0,
        timestamp: None,
        form: Form::Full,
        text,
    }
}

/// A context: its card, its body, and its behaviour rules.
fn context(active: &ActiveContext) -> Block {
    let context = &active.context;
    let own = |kind, text| Section {
        path: Some(context.path.clone()),
        priority: active.priority,
        timestamp: active.timestamp,
        ..section(kind, &context.name, text)
    };
    let card = card(active);
    let mut text = card.clone();
    if let Some((body, _)) = &context.body {
        text.push_str(&fenced(body));
    }
    let mut full = vec![own(SectionKind::Context, text)];
    if !active.behavior_rules.is_empty() {
        let mut text = format!("### {}\n", line(&context.name));
        for rule in &active.behavior_rules {
            let _ = writeln!(text, "- {}: {}", line(&rule.trigger), line(&rule.action));
        }
        full.push(own(SectionKind::Behavior, text));
    }
    let essential = Section { form: Form::Essential, ..own(SectionKind::Context, card) };
    let is_less = full.len() > 1 || context.body.is_some();
    Block { full, essential: if is_less { vec![essential] } else { Vec::new() } }
}

/// The essentials of a context.
fn card(active: &ActiveContext) -> String {
    let context = &active.context;
    let mut text = format!("### {}", line(&context.name));
    if let Some(kind) = &context.kind {
        let _ = write!(text, " ({})", line(kind));
    }
    text.push('\n');
    let mut item = |name: &str, value: Option<&String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "- {name}: {}", line(value));
        }
    };
    item("About", context.description.as_ref());
    item("Business goal", active.business_goal.as_ref());
    item("Intent type", active.intent_type.as_ref());
    let why = match &active.role {
        Role::Current => "the current context".to_owned(),
        Role::Ancestor(1) => "a parent of the current context".to_owned(),
        Role::Ancestor(_) => "an ancestor of the current context".to_owned(),
        Role::Injected { rule } => format!("injected by the rule `{}`", line(rule)),
    };
    let _ = writeln!(text, "- Why: {why} (`{}`)", context.path);
    text
}

/// A rule's texts, a section each.
fn rule_sections(rule: &ActiveRule) -> Vec<Section> {
    let one = |part: &crate::rules::Part| {
        let via = match part.via.last() {
            Some(last) => format!(", imported by `{last}`"),
            None => String::new(),
        };
        let (name, reason) = (line(&rule.name), line(&rule.reason));
        let lines = fenced(&part.text);
        let text = format!("### {name} (`{}`{via}): {reason}\n{lines}", part.path);
        Section {
            path: Some(part.path.clone()),
            line: part.line,
            via: part.via.clone(),
            timestamp: rule.timestamp,
            ..section(SectionKind::Rule, &rule.name, text)
        }
    };
    rule.parts.iter().map(one).collect()
}

/// A text in a fence that is longer than any run of backticks in it, so that it cannot write headings
/// of its own.
fn fenced(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end())
}

fn offered(rule: &RuleDecision) -> Section {
    let about = rule.description.as_ref();
    let about = about.map_or_else(String::new, |about| format!(": {}", line(about)));
    let mut text = format!("- {}{about} (`{}`)\n", line(&rule.name), rule.path);
    // Whoever reads it decides, so what is to be decided and what follows from it stand there.
    if let Some(condition) = &rule.condition
        && rule.description.as_ref() != Some(condition)
    {
        let _ = writeln!(text, "  - if: {}", line(condition));
    }
    if !rule.injects.is_empty() {
        let targets: Vec<String> =
            rule.injects.iter().map(|it| format!("`{}`", line(it))).collect();
        let _ = writeln!(text, "  - then read: {}", targets.join(", "));
    }
    Section {
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
        let _ = writeln!(text, "- Judge: {}", line(judge));
    }
    if let Some(now) = assembly.now {
        let _ = writeln!(text, "- Time: {}", format_time(now));
    }
    text
}

fn past(item: &HistoryItem) -> Section {
    let when = item.timestamp.map_or_else(String::new, |time| format!("{}: ", format_time(time)));
    let place = item.path.as_ref().map_or_else(String::new, |path| format!(" (`{path}`)"));
    let text = format!("- {when}{}{place}\n", line(&item.title));
    Section {
        path: item.path.clone(),
        timestamp: item.timestamp,
        ..section(SectionKind::History, &item.title, text)
    }
}

/// A text on one line, so that no value can write headings of its own.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

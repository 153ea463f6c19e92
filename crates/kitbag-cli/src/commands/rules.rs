//! `kitbag rules`.

use crate::args::RulesArgs;
use crate::exit::Failure;
use crate::interrupt::cancel_on_interrupt;
use crate::{files, ui};
use kitbag::rules::{RuleDecision, RuleProblem, RulesReport, RulesRequest, Severity};

/// Lists the rules that apply, whence and why; what is undecided; and what is wrong.
pub fn rules(args: &RulesArgs) -> Result<(), Failure> {
    let request = RulesRequest {
        repo: Some(args.repo.clone()),
        path: args.path.clone(),
        context: args.context.clone(),
        task: args.task.clone().unwrap_or_default(),
        now: args.now,
    };
    let engine = files::engine()?;
    let report = files::wait_for(engine.rules(request, &cancel_on_interrupt()))?;
    let text = if args.json { files::json(&report) } else { listing(&report, args.all) };
    files::write(None, &text)?;
    for warning in &report.warnings {
        ui::warning(warning);
    }
    if !args.json {
        report.problems.iter().for_each(tell);
    }
    let is_error = |problem: &&RuleProblem| problem.severity == Severity::Error;
    match report.problems.iter().filter(is_error).count() {
        0 => Ok(()),
        count => {
            let message =
                format!("{} in the rules of this repository", ui::counted(count, "error"));
            Err(Failure::usage(message, Some("the rules that are right apply all the same")))
        }
    }
}

fn tell(problem: &RuleProblem) {
    match problem.severity {
        Severity::Error => ui::error(&problem.to_string(), problem.hint.as_deref()),
        Severity::Warning => ui::warning(&problem.to_string()),
    }
}

fn listing(report: &RulesReport, all: bool) -> String {
    let contexts = report.contexts.iter().map(|it| {
        let name = format!("{} (priority {:.2})", it.name, it.priority);
        vec![format!("  {name}"), it.path.clone(), it.reason.clone()]
    });
    let mut groups = vec![("contexts", contexts.collect::<Vec<_>>())];
    groups.push(("apply", report.applies.iter().map(row).collect()));
    groups.push(("undecided", report.undecided.iter().map(offered).collect()));
    if all {
        groups.push(("do not apply", report.not.iter().map(row).collect()));
    }
    let mut text = String::new();
    for (title, rows) in groups.into_iter().filter(|group| !group.1.is_empty()) {
        text.push_str(title);
        text.push('\n');
        text.push_str(&ui::table(&rows));
    }
    if text.is_empty() {
        ui::note("no rules apply");
    }
    text
}

/// A rule: its name, where it stands, and why it applies or does not.
fn row(rule: &RuleDecision) -> Vec<String> {
    let by = rule.decided_by.as_deref().filter(|by| *by != "matchers");
    let by = by.map_or_else(String::new, |by| format!(" ({by})"));
    vec![
        format!("  {}", rule.name),
        place(rule),
        rule.convention.name().to_owned(),
        format!("{}{by}", rule.reason),
    ]
}

/// An undecided rule: what it is about is for the reader to judge.
fn offered(rule: &RuleDecision) -> Vec<String> {
    let about = rule.description.as_ref().or(rule.condition.as_ref());
    let mut row = row(rule);
    row.push(about.cloned().unwrap_or_default());
    row
}

fn place(rule: &RuleDecision) -> String {
    if rule.line > 1 { format!("{}:{}", rule.path, rule.line) } else { rule.path.clone() }
}

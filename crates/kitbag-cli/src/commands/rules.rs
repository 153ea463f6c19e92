//! `kitbag rules`.

use crate::args::{RepoArgs, parse_timestamp};
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::rules::{DecidedBy, RuleDecision, RuleProblem, Severity};
use kitbag::{RulesReport, RulesRequest};
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  kitbag rules
  kitbag rules src/auth/login.rs
  kitbag rules src/auth/login.rs --task \"fix the OAuth callback\" --json";

#[derive(Debug, Args)]
pub struct RulesArgs {
    /// File or folder, relative to the repository [default: the repository].
    path: Option<PathBuf>,
    /// Branch, tag or commit to read the rules from, instead of the work tree.
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    /// Current context, a file in `.agent/contexts` [default: default].
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Task in plain language. If a judge is configured, it decides conditions in plain language.
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// Time that ages are relative to, such as `2026-11-15T12:00:00Z` [default: time of the newest
    /// change].
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp, allow_negative_numbers = true)]
    now: Option<i64>,
    /// Also list the rules that do not apply.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pub common: RepoArgs,
}

pub fn run(args: &RulesArgs) -> Result<(), CliError> {
    let request = RulesRequest {
        repo: Some(args.common.repo().to_owned()),
        revision: args.revision.clone(),
        path: args.path.as_deref().map(|path| args.common.path(path)),
        context: args.context.clone(),
        task: args.task.clone().unwrap_or_default(),
        now: args.now,
    };
    let engine = engine::open()?;
    let report = engine::block_on(engine.rules(request, &cancel_on_interrupt()))?;
    let RepoArgs { json, .. } = args.common;
    files::print_report(json, &report, &report.warnings, |it| format_rules(it, args.all))?;
    if !json {
        report.problems.iter().for_each(print_problem);
    }
    let is_error = |problem: &&RuleProblem| problem.severity == Severity::Error;
    match report.problems.iter().filter(is_error).count() {
        0 => Ok(()),
        count => {
            let message =
                format!("{} in the rules of this repository", ui::counted(count, "error"));
            Err(CliError::usage(message, Some("valid rules still apply")))
        }
    }
}

fn print_problem(problem: &RuleProblem) {
    match problem.severity {
        Severity::Error => ui::error(&problem.to_string(), problem.hint.as_deref()),
        Severity::Warning => ui::warning(&problem.to_string()),
    }
}

fn format_rules(report: &RulesReport, all: bool) -> String {
    let contexts = report.contexts.iter().map(|it| {
        let name = format!("{} (priority {:.2})", it.name, it.priority);
        vec![format!("  {name}"), it.path.clone(), it.reason.clone()]
    });
    let mut groups = vec![("contexts", contexts.collect::<Vec<_>>())];
    groups.push(("apply", report.applies.iter().map(row).collect()));
    groups.push(("undecided", report.undecided.iter().map(undecided_row).collect()));
    if all {
        groups.push(("do not apply", report.not.iter().map(row).collect()));
    }
    let mut text = String::new();
    for (title, rows) in groups.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        text.push_str(title);
        text.push('\n');
        text.push_str(&ui::table(rows));
    }
    if text.is_empty() {
        ui::note("no rules apply");
    }
    text
}

/// The name and place of a rule, and why it applies or not.
fn row(rule: &RuleDecision) -> Vec<String> {
    let by = match &rule.decided_by {
        Some(DecidedBy::Judge(judge)) => format!(" ({judge})"),
        Some(DecidedBy::Matchers) | None => String::new(),
    };
    vec![
        format!("  {}", rule.name),
        place(rule),
        rule.convention.name().to_owned(),
        format!("{}{by}", rule.reason),
    ]
}

/// A row with the rule's description, so that the reader can decide.
fn undecided_row(rule: &RuleDecision) -> Vec<String> {
    let description = rule.description.as_ref().or(rule.condition.as_ref());
    let mut row = row(rule);
    row.push(description.cloned().unwrap_or_default());
    row
}

fn place(rule: &RuleDecision) -> String {
    if rule.line > 1 { format!("{}:{}", rule.path, rule.line) } else { rule.path.clone() }
}

//! `kitbag sources`.

use crate::args::RepoArgs;
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::{engine, files, ui};
use clap::{Args, ValueEnum};
use kitbag::{SourceItem, SourceState};
use serde_json::json;

#[derive(Debug, Args)]
pub struct SourcesArgs {
    /// Pack to list [default: the last].
    #[arg(value_name = "ID")]
    record: Option<String>,
    /// List only modified or only rejected sources.
    #[arg(long, value_enum)]
    filter: Option<SourceFilter>,
    #[command(flatten)]
    common: RepoArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SourceFilter {
    /// Files that git reported as modified or untracked, and files changed since the pack.
    Modified,
    /// Files that are unreadable, not text, or too large.
    Rejected,
}

impl SourceFilter {
    fn matches(self, item: &SourceItem) -> bool {
        match self {
            Self::Rejected => item.state == SourceState::Rejected,
            Self::Modified => {
                let is_changed = matches!(item.state, SourceState::Changed | SourceState::Missing);
                item.is_modified || is_changed
            }
        }
    }
}

pub fn run(args: &SourcesArgs) -> Result<(), CliError> {
    let cancel = cancel_on_interrupt();
    let engine = engine::open()?;
    let (repo, name) = (args.common.repo(), args.record.as_deref());
    let (all, warnings) = engine::block_on(engine.record_sources(repo, name, &cancel))?;
    let rejected = all.iter().filter(|it| it.state == SourceState::Rejected).count();
    let passed = all.len() - rejected;
    let is_listed = |it: &&SourceItem| args.filter.is_none_or(|filter| filter.matches(it));
    let listed: Vec<&SourceItem> = all.iter().filter(is_listed).collect();
    if args.common.json {
        files::print_json(&json!({
            "version": kitbag::RECORD_VERSION,
            "sources": listed,
            "passed": passed,
            "rejected": rejected,
            "warnings": warnings,
        }))?;
    } else {
        files::print(&ui::table_with_bold(listed.into_iter().map(row), 0))?;
        ui::note(&format!("{passed} valid, {rejected} rejected"));
    }
    ui::warnings(&warnings);
    Ok(())
}

fn row(item: &SourceItem) -> Vec<String> {
    let lines = item.lines.map(|(start, end)| format!(":{start}-{end}")).unwrap_or_default();
    let state = match item.state {
        SourceState::Unchanged => "pass",
        SourceState::Changed => "pass, changed since the pack",
        SourceState::Missing => "pass, deleted since the pack",
        SourceState::Rejected => "fail",
    };
    let modified = if item.is_modified { ", modified in git" } else { "" };
    let reason = item.reason.map(|it| it.as_str().to_owned()).unwrap_or_default();
    let detail = item.detail.clone().unwrap_or_default();
    let place = format!("{}{lines}", item.path);
    vec![place, format!("{state}{modified}"), item.kind.to_string(), reason, detail]
}

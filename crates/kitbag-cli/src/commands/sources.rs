//! `kitbag sources`.

use crate::exit::Failure;
use crate::inspect_args::{SourceFilter, SourcesArgs};
use crate::interrupt::cancel_on_interrupt;
use crate::{files, ui};
use kitbag::{SourceItem, SourceState};
use serde_json::json;

/// Prints the candidates of a pack and what validation made of them.
pub fn sources(args: &SourcesArgs) -> Result<(), Failure> {
    let cancel = cancel_on_interrupt();
    let engine = files::engine()?;
    let (repo, name) = (&args.common.repo, args.record.as_deref());
    let (all, warnings) = files::wait_for(engine.record_sources(repo, name, &cancel))?;
    let rejected = all.iter().filter(|it| it.state == SourceState::Rejected).count();
    let passed = all.len() - rejected;
    let wanted: Vec<&SourceItem> = all.iter().filter(|it| is_wanted(it, args.filter)).collect();
    if args.common.json {
        let report = json!({
            "version": kitbag::RECORD_VERSION,
            "sources": wanted,
            "passed": passed,
            "rejected": rejected,
            "warnings": warnings,
        });
        files::write(None, &format!("{report:#}\n"))?;
    } else {
        let rows: Vec<Vec<String>> = wanted.iter().map(|it| row(it)).collect();
        files::write(None, &ui::table_of_results(&rows, 0))?;
        ui::note(&format!("{passed} valid, {rejected} rejected"));
    }
    ui::warnings(&warnings);
    Ok(())
}

fn is_wanted(item: &SourceItem, filter: Option<SourceFilter>) -> bool {
    let is_rejected = item.state == SourceState::Rejected;
    match filter {
        None => true,
        Some(SourceFilter::Rejected) => is_rejected,
        Some(SourceFilter::Modified) => {
            let since = matches!(item.state, SourceState::ChangedSince | SourceState::GoneSince);
            item.is_modified || since
        }
    }
}

fn row(item: &SourceItem) -> Vec<String> {
    let lines = item.lines.map(|(start, end)| format!(":{start}-{end}")).unwrap_or_default();
    let mut state = match item.state {
        SourceState::Passed => "pass".to_owned(),
        SourceState::ChangedSince => "pass, changed since the pack".to_owned(),
        SourceState::GoneSince => "pass, gone since the pack".to_owned(),
        SourceState::Rejected => "fail".to_owned(),
    };
    if item.is_modified {
        state.push_str(", modified in git");
    }
    let reason = item.reason.clone().unwrap_or_default();
    let detail = item.detail.clone().unwrap_or_default();
    vec![format!("{}{lines}", item.path), state, item.kind.clone(), reason, detail]
}

//! `kitbag verify`.

use crate::args::RepoArgs;
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{Drift, DriftItem, Verification};

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Pack to check [default: the last].
    #[arg(value_name = "ID")]
    record: Option<String>,
    /// Branch, tag or commit to compare with [default: the commit that was packed, or the work tree].
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    #[command(flatten)]
    common: RepoArgs,
}

/// Fails if the files differ from the pack.
pub fn run(args: &VerifyArgs) -> Result<(), CliError> {
    let cancel = cancel_on_interrupt();
    let engine = engine::open()?;
    let name = args.record.as_deref();
    let (repo, revision) = (args.common.repo(), args.revision.as_deref());
    let verification = engine::block_on(engine.verify(repo, name, revision, &cancel))?;
    let warnings = &verification.warnings;
    files::print_report(args.common.json, &verification, warnings, format_verification)?;
    let count = |state: Drift| verification.ranges.iter().filter(|it| it.state == state).count();
    if verification.is_unchanged {
        let skipped = match count(Drift::NotAFile) {
            0 => String::new(),
            count => format!(", {count} not from files"),
        };
        ui::note(&format!("{} unchanged{skipped}", ui::counted(count(Drift::Unchanged), "range")));
        return Ok(());
    }
    let (moved, changed, gone) =
        (count(Drift::Moved), count(Drift::Changed), count(Drift::Missing));
    let message =
        format!("files differ from the pack: {moved} moved, {changed} changed, {gone} deleted");
    Err(CliError::run(message, Some("pack again to get the current lines")))
}

fn format_verification(verification: &Verification) -> String {
    let row = |it: &DriftItem| {
        let state = match it.state {
            Drift::Unchanged => "unchanged".to_owned(),
            Drift::Moved => {
                let (start, end) = it.now.unwrap_or_default();
                format!("moved to {start}-{end}")
            }
            Drift::Changed => "changed".to_owned(),
            Drift::Missing => "deleted".to_owned(),
            Drift::NotAFile => "not from a file".to_owned(),
        };
        vec![ui::place(&it.path, it.start_line, it.end_line), state]
    };
    let mut text = ui::table_with_bold(verification.ranges.iter().map(row), 0);
    if ui::is_verbose() {
        for it in &verification.ranges {
            let Some((first, last)) = &it.ends else { continue };
            text.push_str(&ui::line(&format!("{}:{} {}", it.path, it.start_line, first.trim())));
            text.push_str(&ui::line(&format!("{}:{} {}", it.path, it.end_line, last.trim())));
        }
    }
    text
}

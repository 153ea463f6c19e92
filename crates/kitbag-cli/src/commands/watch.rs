//! `kitbag watch`.

use super::index::format_refresh;
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::IndexProgress;
use crate::{engine, files, repos, ui};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Folder of the repository [default: that of the current folder].
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Print a line of JSON for each update of the index.
    #[arg(long)]
    json: bool,
}

/// Updates the index until Ctrl-C. The index on disk is consistent at any time, so an interruption
/// loses nothing.
pub fn run(args: &WatchArgs) -> Result<(), CliError> {
    let cancel = cancel_on_interrupt();
    let progress = IndexProgress::delayed();
    let engine = progress.attach(engine::open()?);
    let repo = repos::folder(args.repo.as_deref());
    engine.watch(repo)?;
    loop {
        let refreshed = progress.block_on(engine.refresh_index(repo, None, &cancel))?;
        ui::warnings(&refreshed.warnings);
        if args.json {
            let line = serde_json::to_string(&refreshed);
            files::print_line(&line.expect("a report has string keys and finite numbers only"))?;
        } else {
            ui::note(&format_refresh(&refreshed));
        }
        engine::block_on(engine.changed(repo, &cancel))?;
    }
}

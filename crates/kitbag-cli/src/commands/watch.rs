//! `kitbag watch`.

use super::index::told;
use crate::args::WatchArgs;
use crate::exit::Failure;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::Progress;
use crate::{files, ui};

/// Keeps an index fresh until it is interrupted. The index on disk is whole at every moment, so
/// nothing is lost by that.
pub fn watch(args: &WatchArgs) -> Result<(), Failure> {
    let cancel = cancel_on_interrupt();
    let progress = Progress::after_a_while();
    let engine = progress.tell(files::engine()?);
    engine.watch(&args.repo)?;
    loop {
        let refreshed = files::wait_for(engine.refresh_index(&args.repo, &cancel));
        progress.clear();
        let refreshed = refreshed?;
        for warning in &refreshed.warnings {
            ui::warning(warning);
        }
        if args.json {
            let line = serde_json::to_string(&refreshed);
            files::write_line(&line.expect("a report has string keys and finite numbers only"))?;
        } else {
            ui::note(&told(&refreshed));
        }
        files::wait_for(engine.changed(&args.repo, &cancel))?;
    }
}

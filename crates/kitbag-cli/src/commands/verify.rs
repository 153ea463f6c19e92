//! `kitbag verify`.

use crate::exit::Failure;
use crate::inspect_args::VerifyArgs;
use crate::interrupt::cancel_on_interrupt;
use crate::{files, ui};
use kitbag::{Drift, DriftItem, Verification};

/// Prints whether the lines of a pack are still those of the files. Fails where they are not.
pub fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let cancel = cancel_on_interrupt();
    let engine = files::engine()?;
    let name = args.record.as_deref();
    let verification = files::wait_for(engine.verify(&args.common.repo, name, &cancel))?;
    let json = args.common.json;
    files::write(None, &if json { files::json(&verification) } else { told(&verification) })?;
    ui::warnings(&verification.warnings);
    let count = |state: Drift| verification.ranges.iter().filter(|it| it.state == state).count();
    if verification.holds {
        let (same, skipped) = (count(Drift::Same), count(Drift::NotAFile));
        let elsewhere = match skipped {
            0 => String::new(),
            _ => format!(", {skipped} of no file"),
        };
        ui::note(&format!("{} as packed{elsewhere}", ui::counted(same, "range")));
        return Ok(());
    }
    let (moved, changed, gone) = (count(Drift::Moved), count(Drift::Changed), count(Drift::Gone));
    let message = format!("the files have drifted: {moved} moved, {changed} changed, {gone} gone");
    Err(Failure::run(message, Some("pack again to have the lines as they are now")))
}

fn told(verification: &Verification) -> String {
    let row = |it: &DriftItem| {
        let state = match it.state {
            Drift::Same => "as packed".to_owned(),
            Drift::Moved => {
                let (start, end) = it.now.unwrap_or_default();
                format!("moved to {start}-{end}")
            }
            Drift::Changed => "changed".to_owned(),
            Drift::Gone => "gone".to_owned(),
            Drift::NotAFile => "no file's lines".to_owned(),
        };
        vec![format!("{}:{}-{}", it.path, it.start_line, it.end_line), state]
    };
    let mut text =
        ui::table_of_results(&verification.ranges.iter().map(row).collect::<Vec<_>>(), 0);
    if ui::is_verbose() {
        for it in &verification.ranges {
            let Some((first, last)) = &it.ends else { continue };
            text.push_str(&ui::line(&format!("{}:{} {}", it.path, it.start_line, first.trim())));
            text.push_str(&ui::line(&format!("{}:{} {}", it.path, it.end_line, last.trim())));
        }
    }
    text
}

//! `kitbag diff`.

use crate::exit::Failure;
use crate::inspect_args::DiffArgs;
use crate::ui::Paint;
use crate::{files, ui};
use kitbag::{Change, RecordDifference};

/// Prints what came, what went, and why, from one pack to another.
pub fn diff(args: &DiffArgs) -> Result<(), Failure> {
    let engine = files::engine()?;
    let names = args.before.as_deref().zip(args.after.as_deref());
    let difference = engine.difference(&args.common.repo, names)?;
    let json = args.common.json;
    files::write(None, &if json { files::json(&difference) } else { told(&difference) })?;
    ui::warnings(&difference.warnings);
    Ok(())
}

fn told(it: &RecordDifference) -> String {
    let (before, after) = it.tokens;
    let mut text = ui::line(&format!(
        "from {} to {}: {} -> {}",
        it.before,
        it.after,
        ui::thousands(before),
        ui::counted(after, "token")
    ));
    for line in &it.request {
        text.push_str(&ui::line(line));
    }
    let sign = |sign: &str, paint: Paint, changes: &[Change]| -> String {
        let row = |it: &Change| {
            vec![
                ui::paint_out(sign, paint),
                format!("{:.3}", it.score),
                format!("{}:{}-{}", it.path, it.start_line, it.end_line),
                it.symbol.clone().unwrap_or_default(),
                it.why.clone(),
            ]
        };
        ui::table_of_results(&changes.iter().map(row).collect::<Vec<_>>(), 2)
    };
    if !it.came.is_empty() {
        text.push_str(&format!("\n{}", ui::heading("Came")));
        text.push_str(&sign("in", Paint::Plain, &it.came));
    }
    if !it.went.is_empty() {
        text.push_str(&format!("\n{}", ui::heading("Went")));
        text.push_str(&sign("out", Paint::Plain, &it.went));
    }
    if !it.changed.is_empty() {
        let rows = it.changed.iter().map(|it| {
            let (start, end) = it.after;
            vec![format!("{}:{start}-{end}", it.path), it.what.join(", ")]
        });
        text.push_str(&format!("\n{}", ui::heading("Changed")));
        text.push_str(&ui::table_of_results(&rows.collect::<Vec<_>>(), 0));
    }
    text.push_str(&format!(
        "\n{}",
        ui::line(&format!(
            "{} came, {} went, {} stayed, {} of them with a difference",
            it.came.len(),
            it.went.len(),
            it.stayed,
            it.changed.len()
        ))
    ));
    text
}

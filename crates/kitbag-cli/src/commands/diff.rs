//! `kitbag diff`.

use crate::args::RecordArgs;
use crate::exit::Failure;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{Change, RecordDifference};

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Earlier pack [default: the one before the last].
    #[arg(value_name = "BEFORE", requires = "after")]
    before: Option<String>,
    /// Later pack [default: the last].
    #[arg(value_name = "AFTER")]
    after: Option<String>,
    #[command(flatten)]
    common: RecordArgs,
}

pub fn run(args: &DiffArgs) -> Result<(), Failure> {
    let names = args.before.as_deref().zip(args.after.as_deref());
    let difference = engine::open()?.difference(&args.common.repo, names)?;
    files::print_report(args.common.json, &difference, format_difference)?;
    ui::warnings(&difference.warnings);
    Ok(())
}

fn format_difference(it: &RecordDifference) -> String {
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
    text.push_str(&section("Added", &it.added));
    text.push_str(&section("Removed", &it.removed));
    if !it.changed.is_empty() {
        let rows = it.changed.iter().map(|it| {
            let (start, end) = it.after;
            vec![format!("{}:{start}-{end}", it.path), it.what.join(", ")]
        });
        text.push_str(&format!("\n{}", ui::heading("Changed")));
        text.push_str(&ui::table_with_bold(&rows.collect::<Vec<_>>(), 0));
    }
    text.push('\n');
    text.push_str(&ui::line(&format!(
        "{} added, {} removed, {} kept, {} of them changed",
        it.added.len(),
        it.removed.len(),
        it.kept,
        it.changed.len()
    )));
    text
}

fn section(title: &str, changes: &[Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let row = |it: &Change| {
        vec![
            format!("{:.3}", it.score),
            format!("{}:{}-{}", it.path, it.start_line, it.end_line),
            it.symbol.clone().unwrap_or_default(),
            it.why.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = changes.iter().map(row).collect();
    format!("\n{}{}", ui::heading(title), ui::table_with_bold(&rows, 1))
}

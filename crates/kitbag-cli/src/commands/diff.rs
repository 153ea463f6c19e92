//! `kitbag diff`.

use crate::args::RepoArgs;
use crate::exit::CliError;
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
    common: RepoArgs,
}

pub fn run(args: &DiffArgs) -> Result<(), CliError> {
    let names = args.before.as_deref().zip(args.after.as_deref());
    let difference = engine::open()?.difference(args.common.repo(), names)?;
    files::print_report(args.common.json, &difference, &difference.warnings, format_difference)
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
            vec![ui::place(&it.path, start, end), it.what.join(", ")]
        });
        text.push_str(&format!("\n{}", ui::heading("Changed")));
        text.push_str(&ui::table_with_bold(rows, 0));
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
            ui::place(&it.path, it.start_line, it.end_line),
            it.symbol.clone().unwrap_or_default(),
            it.why.clone(),
        ]
    };
    format!("\n{}{}", ui::heading(title), ui::table_with_bold(changes.iter().map(row), 1))
}

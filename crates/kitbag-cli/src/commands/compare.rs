//! `kitbag compare`.

use crate::args::RepoArgs;
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{Compared, Comparison, DedupDecision};

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Lines of a file, such as `src/a.rs:1-40`.
    #[arg(value_name = "FILE:A-B")]
    a: String,
    /// Lines of the same file or another.
    #[arg(value_name = "FILE:A-B")]
    b: String,
    /// Branch, tag or commit to read instead of the work tree [default: the work tree, or `HEAD` in a bare
    /// repository].
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    #[command(flatten)]
    common: RepoArgs,
}

pub fn run(args: &CompareArgs) -> Result<(), CliError> {
    let cancel = cancel_on_interrupt();
    let engine = engine::open()?;
    let (a, b) = (args.common.file(&args.a), args.common.file(&args.b));
    let revision = args.revision.as_deref();
    let comparison = engine.compare(args.common.repo(), revision, &a, &b, &cancel);
    let comparison = engine::block_on(comparison)?;
    files::print_report(args.common.json, &comparison, &comparison.warnings, format_comparison)
}

fn format_comparison(it: &Comparison) -> String {
    let mut text = ui::table([side("A", &it.a), side("B", &it.b)]);
    text.push('\n');
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    text.push_str(&ui::line(&match it.shared {
        Some((start, end)) => format!(
            "overlap: {}, {} of A, {} of B, {} of the longer; threshold {}",
            shared_lines(start, end),
            percent(it.share_of_a),
            percent(it.share_of_b),
            percent(it.share_of_longer),
            percent(it.overlap_threshold),
        ),
        None => "overlap: none".to_owned(),
    }));
    let same = if it.same_content { "identical" } else { "different" };
    text.push_str(&ui::line(&format!("content: {same}, ignoring whitespace")));
    let threshold = match it.near_threshold {
        Some(threshold) => format!("threshold {}", percent(threshold)),
        None => "near-duplicate detection is off".to_owned(),
    };
    let words = percent(it.similarity);
    text.push_str(&ui::line(&format!("words in common: {words}; {threshold}")));
    let decision = match it.decision {
        DedupDecision::ExcludeA => "A is left out",
        DedupDecision::ExcludeB => "B is left out",
        DedupDecision::Merge => "A and B are merged",
        DedupDecision::KeepBoth => "both are kept",
    };
    let reason = it.reason.map(|reason| format!("{}: ", reason.as_str())).unwrap_or_default();
    text.push_str(&ui::line(&format!("decision: {decision} ({reason}{})", it.detail)));
    text
}

/// Formats the lines that both ranges contain: `line 2`, `lines 50-78 (29 lines)`.
fn shared_lines(start: u32, end: u32) -> String {
    if start == end {
        return format!("line {start}");
    }
    format!("lines {start}-{end} ({})", ui::counted((end - start + 1) as usize, "line"))
}

fn side(name: &str, side: &Compared) -> Vec<String> {
    vec![
        name.to_owned(),
        ui::place(&side.path, side.start_line, side.end_line),
        ui::counted((side.end_line - side.start_line + 1) as usize, "line"),
        ui::counted(side.tokens, "token"),
        side.score.map(|score| format!("score {score:.3}")).unwrap_or_default(),
    ]
}

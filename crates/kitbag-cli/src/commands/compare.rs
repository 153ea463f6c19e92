//! `kitbag compare`.

use crate::exit::Failure;
use crate::inspect_args::CompareArgs;
use crate::interrupt::cancel_on_interrupt;
use crate::{files, ui};
use kitbag::{Compared, Comparison};

/// Prints what two ranges of lines share, and what deduplication decides.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let cancel = cancel_on_interrupt();
    let engine = files::engine()?;
    let places = (args.a.as_str(), args.b.as_str());
    let comparison = files::wait_for(engine.compare(&args.common.repo, places, &cancel))?;
    let json = args.common.json;
    files::write(None, &if json { files::json(&comparison) } else { told(&comparison) })?;
    ui::warnings(&comparison.warnings);
    Ok(())
}

fn told(it: &Comparison) -> String {
    let side = |name: &str, side: &Compared| {
        vec![
            name.to_owned(),
            format!("{}:{}-{}", side.path, side.start_line, side.end_line),
            ui::counted((side.end_line - side.start_line + 1) as usize, "line"),
            ui::counted(side.tokens, "token"),
            side.score.map(|score| format!("score {score:.3}")).unwrap_or_default(),
        ]
    };
    let mut text = ui::table(&[side("A", &it.a), side("B", &it.b)]);
    text.push('\n');
    let per_cent = |share: f64| format!("{:.0} %", share * 100.0);
    text.push_str(&ui::line(&match it.shared {
        Some((start, end)) => format!(
            "overlap: lines {start}-{end} ({}), {} of A, {} of B, {} of the longer; {} is needed",
            ui::counted(it.shared_lines as usize, "line"),
            per_cent(it.share_of_a),
            per_cent(it.share_of_b),
            per_cent(it.share_of_longer),
            per_cent(it.overlap_threshold),
        ),
        None => "overlap: none".to_owned(),
    }));
    let same = if it.same_content { "the same" } else { "different" };
    text.push_str(&ui::line(&format!("content: {same}, white space aside")));
    let needed = match it.near_threshold {
        Some(needed) => format!("{} is needed", per_cent(needed)),
        None => "near-duplicates are not looked for".to_owned(),
    };
    let words = per_cent(it.similarity);
    text.push_str(&ui::line(&format!("words in common: {words}; {needed}")));
    let decision = match it.decision {
        "a_goes" => "A is left out",
        "b_goes" => "B is left out",
        "merged" => "A and B become one",
        _ => "both stay",
    };
    let reason = it.reason.map(|reason| format!("{reason}: ")).unwrap_or_default();
    text.push_str(&ui::line(&format!("decision: {decision} ({reason}{})", it.detail)));
    text
}

//! The lines of search results that match the task, and the reasons in words.

use super::SearchResult;
use super::why::{ExplainedLines, Reasons};
use crate::report::{IncludedItem, MatchedLine};
use crate::search::tree::read;
use kitbag_index::for_each_id;
use kitbag_repo::Tree;
use kitbag_text::{Text, redact};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of characters of a line.
const MAX_LINE_CHARS: usize = 200;

/// Adds the reasons and up to `max` matching lines to each result.
pub(super) fn add(
    results: &mut [SearchResult],
    reasons: &Reasons,
    tree: &dyn Tree,
    redacts: bool,
    max: usize,
) {
    let weights = reasons.weights();
    let mut texts: FxHashMap<String, Option<Text>> = FxHashMap::default();
    for result in results {
        let text = texts.entry(result.path.clone()).or_insert_with(|| {
            let at = tree.files().binary_search_by(|file| file.path.as_str().cmp(&result.path));
            let text = Text::new(read(tree, &tree.files()[at.ok()?])?);
            let redacted = if redacts { redact(&text).map(|(text, _)| text) } else { None };
            Some(redacted.unwrap_or(text))
        });
        let Some(text) = text else { continue };
        let last = result.end_line.min(text.line_count());
        let lines: Vec<u32> = (result.start_line..=last).collect();
        let numbered = lines.iter().map(|&line| (line, text.line(line)));
        result.lines = best_lines(numbered, &weights, max);
        let content: String = lines.iter().map(|&line| text.line(line)).collect();
        result.why = reasons.of(&ExplainedLines {
            path: &result.path,
            symbol: result.symbol.as_deref(),
            lines: (result.start_line, result.end_line),
            text: &content,
        });
    }
}

/// Adds up to `max` matching lines to each chunk of a pack that the search found.
pub(crate) fn add_to_included(included: &mut [IncludedItem], reasons: &Reasons, max: usize) {
    let weights = reasons.weights();
    let found = included.iter_mut().filter(|item| item.provider.as_deref() == Some("search"));
    for item in found {
        let shown = item.shown.iter().flat_map(|span| span.start..=span.end);
        item.lines = best_lines(shown.zip(item.text.lines()), &weights, max);
    }
}

/// Returns the lines with the most important words of the task, in order. The first line of a chunk, which
/// usually has its signature, wins ties.
fn best_lines<'a>(
    lines: impl Iterator<Item = (u32, &'a str)>,
    weights: &FxHashMap<u32, f32>,
    max: usize,
) -> Vec<MatchedLine> {
    let weigh = |line: &str| -> f32 {
        let mut words: FxHashSet<u32> = FxHashSet::default();
        for_each_id(line, |id| {
            words.extend(weights.contains_key(&id).then_some(id));
        });
        words.iter().map(|id| weights[id]).sum()
    };
    let weighed = lines.map(|(number, line)| (weigh(line), number, line));
    let mut best: Vec<(f32, u32, &str)> = weighed.filter(|it| it.0 > 0.0).collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    best.truncate(max);
    best.sort_unstable_by_key(|it| it.1);
    let shortened = |line: &str| line.trim().chars().take(MAX_LINE_CHARS).collect();
    best.into_iter().map(|(_, line, text)| MatchedLine { line, text: shortened(text) }).collect()
}

//! Sorts diagnostics by relevance.

use super::Diagnostic;
use rustc_hash::FxHashSet;

/// Removes duplicates and sorts the rest. Diagnostics in the file of `position` are first, ordered
/// by distance from its line and then by severity. All others are ordered by severity and then by
/// depth in the stack trace. The sort is stable, so ties keep the order of the tools.
///
/// The distance of a diagnostic that spans several lines is that of its nearest line.
pub fn order(diagnostics: Vec<Diagnostic>, position: Option<(&str, u32)>) -> Vec<Diagnostic> {
    let mut seen = FxHashSet::default();
    let mut ordered: Vec<Diagnostic> =
        diagnostics.into_iter().filter(|diagnostic| seen.insert(diagnostic.clone())).collect();
    ordered.sort_by_key(|diagnostic| {
        let distance = position.and_then(|position| distance(diagnostic, position));
        // Sort diagnostics without a distance last.
        (distance.is_none(), distance, diagnostic.severity, diagnostic.depth)
    });
    ordered
}

/// Keeps the first `most` diagnostics and returns the number of those removed.
pub fn limit(mut diagnostics: Vec<Diagnostic>, most: usize) -> (Vec<Diagnostic>, usize) {
    let left_out = diagnostics.len().saturating_sub(most);
    diagnostics.truncate(most);
    (diagnostics, left_out)
}

/// Returns the distance in lines, or `None` if the diagnostic is in another file.
fn distance(diagnostic: &Diagnostic, (path, line): (&str, u32)) -> Option<u32> {
    if diagnostic.path != path {
        return None;
    }
    let end = diagnostic.end_line.unwrap_or(diagnostic.line).max(diagnostic.line);
    let before = diagnostic.line.saturating_sub(line);
    Some(before.max(line.saturating_sub(end)))
}

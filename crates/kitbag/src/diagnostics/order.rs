//! Which diagnostics come first.

use super::Diagnostic;
use rustc_hash::FxHashSet;

/// Puts diagnostics in order, each once: those in the file of the position before all others, the
/// nearest to its line first, and at the same distance errors before warnings before notes. In other
/// files, and without a position, errors come before warnings before notes, and the place itself
/// before those that call it. What is equal in all that keeps the order of the tools.
///
/// A diagnostic of several lines is as near as its nearest line.
pub fn order(diagnostics: Vec<Diagnostic>, position: Option<(&str, u32)>) -> Vec<Diagnostic> {
    let mut seen = FxHashSet::default();
    let mut ordered: Vec<Diagnostic> =
        diagnostics.into_iter().filter(|diagnostic| seen.insert(diagnostic.clone())).collect();
    ordered.sort_by_key(|diagnostic| {
        let distance = position.and_then(|position| distance(diagnostic, position));
        // `None` comes after every distance.
        (distance.is_none(), distance, diagnostic.severity, diagnostic.depth)
    });
    ordered
}

/// Keeps the first `most`, and says how many were left out.
pub fn limit(mut diagnostics: Vec<Diagnostic>, most: usize) -> (Vec<Diagnostic>, usize) {
    let left_out = diagnostics.len().saturating_sub(most);
    diagnostics.truncate(most);
    (diagnostics, left_out)
}

/// How many lines lie between; `None` in another file.
fn distance(diagnostic: &Diagnostic, (path, line): (&str, u32)) -> Option<u32> {
    if diagnostic.path != path {
        return None;
    }
    let end = diagnostic.end_line.unwrap_or(diagnostic.line).max(diagnostic.line);
    let before = diagnostic.line.saturating_sub(line);
    Some(before.max(line.saturating_sub(end)))
}

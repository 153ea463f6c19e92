//! Merges identical sources before they are split into chunks.

use super::normalize::content_hash;
use crate::report::MergedOrigin;
use crate::settings::Settings;
use crate::source_file::expansion;
use kitbag_text::{Kind, Source};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Sources without those that were merged into another.
pub struct MergedSources {
    /// Remaining sources, in request order.
    pub sources: Vec<Source>,
    /// Origins merged into each of them.
    pub origins: Vec<Vec<MergedOrigin>>,
}

/// Merges sources of the same path with the same content, ignoring whitespace if so configured, and
/// the same expanded context. The source with the highest priority is kept, or the first of several,
/// with the highest relevance and the latest timestamp of all.
///
/// Sources that are already split into pieces are not merged, and neither is the output of a tool with
/// the content of a file. The same content at another path is not merged either: its chunks are
/// excluded as duplicates instead.
pub fn merge_identical(sources: Vec<Source>, settings: &Settings) -> MergedSources {
    let deduplication = &settings.deduplication;
    let mut origins: Vec<Vec<MergedOrigin>> = vec![Vec::new(); sources.len()];
    if !(deduplication.enabled && deduplication.content_hash_enabled) {
        return MergedSources { sources, origins };
    }
    let priority = |source: &Source| {
        settings.priority(source.kind, source.from.as_ref().and_then(|from| from.priority))
    };
    let groups = identical_groups(&sources, deduplication.normalize_whitespace);
    let mut sources: Vec<Option<Source>> = sources.into_iter().map(Some).collect();
    for group in groups {
        let rank = |index: &usize| (sources[*index].as_ref().map(priority).map(Reverse), *index);
        let Some(kept) = group.iter().copied().min_by_key(rank) else { continue };
        let all: Vec<Source> = group.iter().filter_map(|index| sources[*index].clone()).collect();
        for &merged in group.iter().filter(|&&index| index != kept) {
            origins[kept].extend(sources[merged].take().and_then(|source| origin(&source)));
        }
        if let Some(source) = &mut sources[kept] {
            source.relevance = all.iter().filter_map(|one| one.relevance).reduce(f64::max);
            source.timestamp = all.iter().filter_map(|one| one.timestamp).max();
            source.is_given = all.iter().any(|one| one.is_given);
        }
    }
    let kept = sources.into_iter().zip(origins);
    let (sources, origins) = kept.filter_map(|(source, origins)| Some((source?, origins))).unzip();
    MergedSources { sources, origins }
}

/// Returns the indices of identical sources, at least two in each group.
fn identical_groups(sources: &[Source], normalize_whitespace: bool) -> Vec<Vec<usize>> {
    let mut by_path: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (index, source) in sources.iter().enumerate() {
        if source.pieces.is_none() && !source.text.content().trim().is_empty() {
            by_path.entry(&source.path).or_default().push(index);
        }
    }
    let hash = |content: &str| content_hash(content, normalize_whitespace);
    let mut groups = Vec::new();
    for indices in by_path.into_values().filter(|indices| indices.len() > 1) {
        let mut by_content: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for index in indices {
            let source = &sources[index];
            let shown = expansion(source).map(|(shown, _)| hash(shown.content()));
            let is_output = source.kind == Kind::ToolResult;
            let key = (source.text.first_line(), hash(source.text.content()), shown, is_output);
            by_content.entry(key).or_default().push(index);
        }
        groups.extend(by_content.into_values().filter(|group| group.len() > 1));
    }
    groups
}

fn origin(source: &Source) -> Option<MergedOrigin> {
    let Source { path, kind, from, .. } = source;
    let span = source.text.span()?;
    Some(MergedOrigin { path: path.clone(), span, kind: *kind, from: from.clone() })
}

//! Sources that are the same are merged before they are cut.

use super::normalise::content_hash;
use crate::report::Origin;
use crate::settings::Settings;
use crate::sheet::expansion;
use kitbag_text::Source;
use rustc_hash::FxHashMap;

/// Sources without those that were the same as another.
pub struct Merged {
    /// The sources that stay, in their order.
    pub sources: Vec<Source>,
    /// For each of them, what else it stands for.
    pub also: Vec<Vec<Origin>>,
}

/// Merges the sources that bring the same file with the same content, white space aside, to be shown
/// in the same way. The kind with the highest priority stays, the earlier of two; it has the highest
/// relevance and the latest time of all. The same content at another path is not the same source:
/// its chunks are found to be copies, and reported as such. Neither are sources that came cut.
pub fn merge_identical(sources: Vec<Source>, settings: &Settings) -> Merged {
    let rules = &settings.deduplication;
    let mut also: Vec<Vec<Origin>> = vec![Vec::new(); sources.len()];
    if !(rules.enabled && rules.content_hash_enabled) {
        return Merged { sources, also };
    }
    let priority = |source: &Source| {
        settings.priority(source.kind, source.from.as_ref().and_then(|from| from.priority))
    };
    let mut sources: Vec<Option<Source>> = sources.into_iter().map(Some).collect();
    for group in groups(&sources, rules.normalize_whitespace) {
        let of = |&place: &usize| sources[place].as_ref();
        let Some(&stays) = group.iter().min_by_key(|place| {
            (of(place).map(|source| std::cmp::Reverse(priority(source))), **place)
        }) else {
            continue;
        };
        let all: Vec<Source> = group.iter().filter_map(|place| sources[*place].clone()).collect();
        for &gone in group.iter().filter(|&&place| place != stays) {
            also[stays].extend(sources[gone].take().and_then(|source| origin(&source)));
        }
        if let Some(source) = &mut sources[stays] {
            source.relevance = all.iter().filter_map(|one| one.relevance).reduce(f64::max);
            source.timestamp = all.iter().filter_map(|one| one.timestamp).max();
        }
    }
    let kept = sources.into_iter().zip(also).filter_map(|(source, also)| Some((source?, also)));
    let (sources, also) = kept.unzip();
    Merged { sources, also }
}

/// The places of sources that are the same, two at the least in each group.
fn groups(sources: &[Option<Source>], normalize_whitespace: bool) -> Vec<Vec<usize>> {
    let mut by_path: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (place, source) in sources.iter().enumerate() {
        if let Some(source) = source.as_ref().filter(|source| source.pieces.is_none()) {
            by_path.entry(&source.path).or_default().push(place);
        }
    }
    let mut groups = Vec::new();
    for places in by_path.into_values().filter(|places| places.len() > 1) {
        let mut same: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for place in places {
            let Some(source) = &sources[place] else { continue };
            let content = source.text.content();
            if !content.trim().is_empty() {
                let hash = |content: &str| content_hash(content, normalize_whitespace);
                let shown = expansion(source).map(|(shown, _)| hash(shown.content()));
                let key = (source.text.first_line(), hash(content), shown);
                same.entry(key).or_default().push(place);
            }
        }
        groups.extend(same.into_values().filter(|group| group.len() > 1));
    }
    groups
}

fn origin(source: &Source) -> Option<Origin> {
    let span = source.text.span()?;
    Some(Origin { path: source.path.clone(), span, kind: source.kind, from: source.from.clone() })
}

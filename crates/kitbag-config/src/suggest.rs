//! Suggestions for unknown keys.

use crate::keys::{KeyRegistry, join_profile, split_profile};
use crate::problem::ConfigProblemKind;
use kitbag_tokens::edit_distance;

/// Characters of an unknown key that are compared and shown; no known key is as long.
const MAX_KEY_CHARS: usize = 120;

/// Describes a key that is not a setting: a section, or unknown with the most similar key.
pub(crate) fn unknown_key(key: &str, registry: &KeyRegistry) -> ConfigProblemKind {
    if let Some(member) = first_member(key, registry) {
        return ConfigProblemKind::Section { key: key.to_owned(), member };
    }
    let (key, is_cut) = match key.char_indices().nth(MAX_KEY_CHARS) {
        Some((end, _)) => (&key[..end], true),
        None => (key, false),
    };
    let nearest = nearest_key(key, registry);
    let key = if is_cut { format!("{key}...") } else { key.to_owned() };
    ConfigProblemKind::UnknownKey { key, nearest }
}

/// Returns the first key of a section; `None` if `key` is not a section.
pub(crate) fn first_member(key: &str, registry: &KeyRegistry) -> Option<String> {
    let (profile, plain) = split_profile(key);
    let prefix = format!("{plain}.");
    let member = registry.keys().map(|(key, _)| key).find(|key| key.starts_with(&prefix))?;
    Some(join_profile(profile, member))
}

/// Returns the key or section that is most similar to `key`. The last part of a key counts more than
/// its section, which may be left out in part: `context.total` is near `context.budget.total`.
fn nearest_key(key: &str, registry: &KeyRegistry) -> String {
    let (profile, key) = split_profile(key);
    let (section, name) = key.rsplit_once('.').unwrap_or(("", &key));
    let distance = |candidate: &String| {
        let (its_section, its_name) = candidate.rsplit_once('.').unwrap_or(("", candidate));
        let section_distance = match its_section.strip_prefix(section) {
            Some("") => 0,
            Some(_) => 2,
            None => edit_distance(section, its_section),
        };
        edit_distance(&key, candidate).min(2 * edit_distance(name, its_name) + section_distance)
    };
    let candidates = registry.keys().flat_map(|(key, _)| with_sections(&key));
    join_profile(profile, candidates.min_by_key(distance).unwrap_or_default())
}

/// Returns the sections that a key is in, outermost first, and the key itself.
fn with_sections(key: &str) -> Vec<String> {
    let ends = key.match_indices('.').map(|(at, _)| at).chain([key.len()]);
    ends.map(|end| key[..end].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_call() -> KeyRegistry {
        KeyRegistry { custom_providers: vec!["on_call".into()] }
    }

    #[test]
    fn nearest_key_is_the_intended_one() {
        for (typed, intended) in [
            ("context.budget.totl", "context.budget.total"),
            ("contxt", "context"),
            ("budget", "context.budget"),
            ("context.total", "context.budget.total"),
            ("context.buget", "context.budget"),
            ("context.source_priority.tool_result", "context.source_priority.tool_results"),
            ("context.chunking.languages.pyton", "context.chunking.languages.python"),
            ("context.rankings.min_score", "context.ranking.min_score"),
            ("context.profiles.review.budget.totl", "context.profiles.review.budget.total"),
            ("Security", "security"),
            ("context.providers.serch", "context.providers.search"),
            ("context.providers.ragg", "context.providers.rag"),
            ("context.providers.on_cal", "context.providers.on_call"),
            ("context.providers.on_cal.enabled", "context.providers.on_call.enabled"),
            ("context.providers.stile.max_items", "context.providers.style.max_items"),
        ] {
            assert_eq!(nearest_key(typed, &on_call()), intended, "{typed}");
        }
    }

    #[test]
    fn section_is_reported_with_one_of_its_keys() {
        for (typed, member) in [
            ("context.formatting", "context.formatting.format"),
            ("context.providers.rag", "context.providers.rag.enabled"),
            ("context.providers.on_call", "context.providers.on_call.enabled"),
            ("context.profiles.review", "context.profiles.review.enabled"),
            ("context.profiles.review.budget", "context.profiles.review.budget.total"),
            ("security", "security.deny"),
        ] {
            let problem = unknown_key(typed, &on_call());
            let (key, member) = (typed.to_owned(), member.to_owned());
            assert_eq!(problem, ConfigProblemKind::Section { key, member }, "{typed}");
        }
    }

    #[test]
    fn unknown_provider_suggests_a_provider() {
        for typed in ["context.providers.on_call", "context.providers.on_call.enabled"] {
            let nearest = nearest_key(typed, &KeyRegistry::default());
            assert!(nearest.starts_with("context.providers."), "{typed}: {nearest}");
        }
    }
}

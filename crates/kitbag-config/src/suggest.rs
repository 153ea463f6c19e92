//! Suggestions for unknown keys.

use crate::keys::{KeyRegistry, join_profile, split_profile};
use crate::problem::ConfigProblemKind;
use kitbag_tokens::{one_of, similar};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Characters of an unknown key that are compared and shown; no known key is as long.
const MAX_KEY_CHARS: usize = 120;

/// Describes a key that is not a setting: a section, or unknown with a hint.
pub(crate) fn unknown_key(key: &str, registry: &KeyRegistry) -> ConfigProblemKind {
    if let Some(member) = first_member(key, registry) {
        return ConfigProblemKind::Section { key: key.to_owned(), member };
    }
    let (key, is_cut) = match key.char_indices().nth(MAX_KEY_CHARS) {
        Some((end, _)) => (&key[..end], true),
        None => (key, false),
    };
    let hint = key_hint(key, registry);
    let key = if is_cut { format!("{key}...") } else { key.to_owned() };
    ConfigProblemKind::UnknownKey { key, hint }
}

/// Returns the first key of a section; `None` if `key` is not a section.
pub(crate) fn first_member(key: &str, registry: &KeyRegistry) -> Option<String> {
    let (profile, plain) = split_profile(key);
    let prefix = format!("{plain}.");
    let member = registry.keys().map(|(key, _)| key).find(|key| key.starts_with(&prefix))?;
    Some(join_profile(profile, member))
}

/// Suggests the key or section that `key` is likely to mean, or else lists the members of its section.
fn key_hint(key: &str, registry: &KeyRegistry) -> Option<String> {
    let (profile, key) = split_profile(key);
    let known = known_keys(registry);
    if let Some(similar) = similar_key(&key, &known) {
        return Some(format!("did you mean `{}`?", join_profile(profile, similar.to_owned())));
    }
    let mut section = key.as_str();
    while !section.is_empty() && !known.iter().any(|it| it == section) {
        section = section.rsplit_once('.').map_or("", |(parent, _)| parent);
    }
    let members = known.iter().filter(|it| split(it).0 == section);
    let members: Vec<String> = members.map(|it| join_profile(profile, it.clone())).collect();
    one_of(members.iter().map(String::as_str))
}

/// Returns all keys and sections, sorted. Most registries have no custom providers.
fn known_keys(registry: &KeyRegistry) -> Cow<'static, [String]> {
    static WITHOUT_CUSTOM: LazyLock<Vec<String>> =
        LazyLock::new(|| sorted_keys(&KeyRegistry::default()));
    match registry.custom_providers.is_empty() {
        true => Cow::Borrowed(&WITHOUT_CUSTOM),
        false => Cow::Owned(sorted_keys(registry)),
    }
}

fn sorted_keys(registry: &KeyRegistry) -> Vec<String> {
    let mut known: Vec<String> = registry.keys().flat_map(|(key, _)| with_sections(&key)).collect();
    known.sort();
    known.dedup();
    known
}

/// Returns the key or section whose name is most similar to that of `key`, of which all sections that
/// `key` names are similar. Sections may be left out if the name is right: `context.total` is
/// `context.budget.total`.
fn similar_key<'a>(key: &str, known: &'a [String]) -> Option<&'a str> {
    let (section, name) = split(key);
    let parts = |key: &str| key.split('.').count();
    let is_candidate = |candidate: &&str| {
        let (own_section, own_name) = split(candidate);
        let own_sections = own_section.split('.');
        let mut sections = section.split('.').filter(|it| !it.is_empty());
        (own_name == name || parts(candidate) == parts(key))
            && sections.all(|it| similar(it, own_sections.clone()).is_some())
    };
    let candidates: Vec<&str> = known.iter().map(String::as_str).filter(is_candidate).collect();
    let name = similar(name, candidates.iter().map(|it| split(it).1))?;
    let mut named = candidates.into_iter().filter(|it| split(it).1 == name);
    similar(key, named.clone()).or_else(|| named.next())
}

/// Splits a key into its section and its name.
fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
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
    fn intended_key_is_suggested() {
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
            let hint = key_hint(typed, &on_call());
            assert_eq!(hint, Some(format!("did you mean `{intended}`?")), "{typed}");
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
    fn keys_of_the_section_are_listed_if_none_is_similar() {
        for (typed, expected) in [
            ("context.providers.on_call", "expected one of `context.providers.cursor`, "),
            ("context.providers.on_call.enabled", "expected one of `context.providers.cursor`, "),
            ("foo", "expected one of `context`, "),
            (
                "context.profiles.review.budget.zzz",
                "expected one of `context.profiles.review.budget.",
            ),
        ] {
            let hint = key_hint(typed, &KeyRegistry::default()).expect("a list");
            assert!(hint.starts_with(expected), "{typed}: {hint}");
        }
    }
}

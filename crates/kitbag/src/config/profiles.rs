//! Profiles that are built in: named sets of settings, one for each of the designs' uses.
//!
//! A profile lies above the general settings of all files, and below what a file says for that
//! profile under `context.profiles.<name>`.

use super::layer::{Entries, Entry};
use super::place::Place;
use super::table;

/// The profile of requests that name none.
pub(crate) const DEFAULT_PROFILE: &str = "agent";

/// A profile: its name, the providers that it asks and no others, or those of the defaults, and its
/// settings as keys of `context` with values.
struct Profile {
    name: &'static str,
    providers: Option<&'static [&'static str]>,
    settings: &'static [(&'static str, &'static str)],
}

/// The profiles that are built in. `agent` is what the defaults are made for.
const PROFILES: &[Profile] = &[
    Profile { name: DEFAULT_PROFILE, providers: None, settings: &[] },
    Profile {
        name: "orchestrate",
        providers: Some(&["document", "selection", "cursor", "heading", "search", "style"]),
        settings: &[
            ("budget.total", "8000"),
            ("budget.response_reserve", "0"),
            ("budget.system_reserve", "0"),
            ("ranking.order", "priority"),
            ("deduplication.near_enabled", "true"),
            ("deduplication.near_threshold", "0.85"),
            ("selection.overflow", "truncate"),
            ("formatting.sections", "true"),
        ],
    },
    Profile {
        name: "inline-edit",
        providers: Some(&["diagnostics", "history", "search"]),
        settings: &[
            ("deadline_ms", "500"),
            ("budget.total", "2000"),
            ("budget.response_reserve", "0"),
            ("budget.system_reserve", "0"),
            ("budget.deduct_request", "true"),
            ("ranking.order", "priority"),
            ("selection.overflow", "proportional"),
            ("formatting.sections", "true"),
            ("formatting.separator", "---"),
            ("providers.diagnostics.max_items", "5"),
            ("providers.history.max_items", "3"),
            ("providers.history.max_tokens", "800"),
            ("providers.search.max_items", "3"),
        ],
    },
    Profile {
        name: "chunks",
        providers: Some(&[
            "document",
            "selection",
            "open_files",
            "tool_results",
            "references",
            "sources",
        ]),
        settings: &[("selection.overflow", "skip"), ("formatting.group_by_file", "true")],
    },
    Profile {
        name: "situation",
        providers: Some(&["rules", "history", "references"]),
        settings: &[
            ("budget.total", "4000"),
            ("budget.response_reserve", "0"),
            ("budget.system_reserve", "0"),
            ("ranking.order", "priority"),
            // What applies comes before what happened.
            ("source_priority.rules", "90"),
            ("selection.overflow", "truncate"),
            ("formatting.sections", "true"),
            ("providers.history.max_items", "5"),
        ],
    },
];

/// The names of the profiles that are built in.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.name)
}

/// What a profile that is built in says; `None` where there is none of that name.
pub(crate) fn overlay(name: &str) -> Option<Entries> {
    let profile = PROFILES.iter().find(|profile| profile.name == name)?;
    let switches = profile.providers.into_iter().flat_map(|asked| {
        let switch = |id: String| {
            let on = asked.contains(&id.as_str());
            (format!("context.providers.{id}.enabled"), on.to_string())
        };
        table::names("provider").into_iter().map(switch)
    });
    let settings = profile.settings.iter();
    let settings = settings.map(|(key, text)| (format!("context.{key}"), (*text).to_owned()));
    let entry = |(key, text): (String, String)| {
        let setting = table::find(&key)?;
        let value = setting.shape.read(&setting.shape.raw(&text))?;
        Some((key, Entry { value, place: Place::Profile(profile.name) }))
    };
    Some(switches.chain(settings).filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_a_profile_is_one() {
        for Profile { name, providers, settings } in PROFILES {
            let overlay = overlay(name).expect("built in");
            let switches = providers.map_or(0, |_| table::names("provider").len());
            assert_eq!(
                overlay.len(),
                settings.len() + switches,
                "{name} has a setting that is none"
            );
        }
    }

    #[test]
    fn every_provider_of_a_profile_is_one() {
        let known = table::names("provider");
        for id in PROFILES.iter().flat_map(|profile| profile.providers).flatten() {
            assert!(known.iter().any(|it| it == id), "{id}");
        }
    }
}

//! Built-in profiles: named sets of settings, one for each use case of the designs.
//!
//! A profile overrides the general settings of all files, and is overridden by what a file sets for it
//! under `context.profiles.<name>`. The default profile is the exception: general settings are meant
//! for it in the first place, so they override it.

use crate::layer::{ConfigEntries, ConfigEntry};
use crate::origin::ConfigOrigin;
use crate::table;

/// The profile of requests that name none.
pub(crate) const DEFAULT_PROFILE: &str = "agent";

/// The profile of requests that have a diff and name no profile.
pub const REVIEW_PROFILE: &str = "review";

/// The profile of requests that ask for nothing in particular.
pub const OVERVIEW_PROFILE: &str = "overview";

struct BuiltInProfile {
    name: &'static str,
    /// The only enabled providers; `None` for the defaults.
    providers: Option<&'static [&'static str]>,
    /// Keys below `context` and their values.
    settings: &'static [(&'static str, &'static str)],
}

/// Weights of the profiles `agent` and `review`. The learned relevance of search results already takes their history
/// into account, so recency has no weight of its own.
const AGENT_WEIGHTS: [(&str, &str); 3] = [
    ("ranking.relevance_weight", "0.9"),
    ("ranking.recency_weight", "0.0"),
    ("ranking.source_weight", "0.1"),
];

/// Relevance below which the profile `agent` leaves out search results.
const AGENT_STOP: (&str, &str) = ("selection.stop_below", "0.004");

/// The built-in profiles.
const PROFILES: &[BuiltInProfile] = &[
    BuiltInProfile {
        name: DEFAULT_PROFILE,
        providers: None,
        settings: &[
            AGENT_WEIGHTS[0],
            AGENT_WEIGHTS[1],
            AGENT_WEIGHTS[2],
            AGENT_STOP,
            ("selection.pin", "true"),
        ],
    },
    BuiltInProfile {
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
    BuiltInProfile {
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
    BuiltInProfile {
        name: REVIEW_PROFILE,
        providers: Some(&[
            "diff",
            "search",
            "document",
            "selection",
            "open_files",
            "tool_results",
            "references",
            "sources",
            "diagnostics",
        ]),
        settings: &[
            AGENT_WEIGHTS[0],
            AGENT_WEIGHTS[1],
            AGENT_WEIGHTS[2],
            AGENT_STOP,
            ("budget.total", "16000"),
            ("budget.response_reserve", "0"),
            ("budget.system_reserve", "0"),
            ("selection.pin", "true"),
        ],
    },
    BuiltInProfile {
        name: OVERVIEW_PROFILE,
        providers: Some(&["tree", "overview"]),
        settings: &[
            ("budget.total", "8000"),
            ("budget.response_reserve", "0"),
            ("budget.system_reserve", "0"),
            ("ranking.relevance_weight", "1.0"),
            ("ranking.recency_weight", "0.0"),
            ("ranking.source_weight", "0.0"),
        ],
    },
    BuiltInProfile {
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
    BuiltInProfile {
        name: "situation",
        providers: Some(&["rules", "history", "references"]),
        settings: &[
            ("budget.total", "4000"),
            ("budget.response_reserve", "0"),
            ("budget.system_reserve", "0"),
            ("ranking.order", "priority"),
            // Rules rank above history.
            ("source_priority.rules", "90"),
            ("selection.overflow", "truncate"),
            ("formatting.sections", "true"),
            ("providers.history.max_items", "5"),
        ],
    },
];

/// Returns the names of the built-in profiles.
pub fn built_in_profiles() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.name)
}

/// Returns the settings of a built-in profile; `None` if there is no such profile.
pub(crate) fn built_in(name: &str) -> Option<ConfigEntries> {
    let profile = PROFILES.iter().find(|profile| profile.name == name)?;
    let enabled = profile.providers.into_iter().flat_map(|enabled| {
        let names = table::names("provider").into_iter();
        names.map(|id| {
            let is_enabled = enabled.contains(&id.as_str());
            (format!("context.providers.{id}.enabled"), is_enabled.to_string())
        })
    });
    let settings = profile.settings.iter();
    let settings = settings.map(|(key, text)| (format!("context.{key}"), (*text).to_owned()));
    let entry = |(key, text): (String, String)| {
        let value_type = table::find(&key)?.value_type;
        let value = value_type.parse(&value_type.raw(&text))?;
        Some((key, ConfigEntry { value, origin: ConfigOrigin::Profile(profile.name) }))
    };
    Some(enabled.chain(settings).filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_a_profile_exists() {
        for BuiltInProfile { name, providers, settings } in PROFILES {
            let entries = built_in(name).expect("built in");
            let switches = providers.map_or(0, |_| table::names("provider").len());
            assert_eq!(entries.len(), settings.len() + switches, "{name} has an unknown setting");
        }
    }

    #[test]
    fn every_provider_of_a_profile_exists() {
        let known = table::names("provider");
        for id in PROFILES.iter().flat_map(|profile| profile.providers).flatten() {
            assert!(known.iter().any(|it| it == id), "{id}");
        }
    }
}

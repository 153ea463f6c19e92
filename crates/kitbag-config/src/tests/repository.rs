//! What the file of a repository can change without trust.

use super::{FEATURES, layers_with_trust};
use crate::layer::Layer;
use crate::layers::MergedConfig;
use crate::settings::EngineSettings;
use crate::table::{self, RepositoryAccess};
use crate::value::to_yaml;
use serde_json::Value;

/// Settings that only decide among what the caller asked for.
const FREE: &[&str] = &[
    "context.source_priority.<kinds>",
    "context.ranking.relevance_weight",
    "context.ranking.recency_weight",
    "context.ranking.source_weight",
    "context.ranking.order",
    "context.ranking.min_score",
    "context.chunking.max_chunk_tokens",
    "context.chunking.min_chunk_tokens",
    "context.chunking.prefer_structural",
    "context.chunking.lines_per_chunk",
    "context.chunking.languages.<language>",
    "context.chunking.fallback_on_error",
    "context.deduplication.enabled",
    "context.deduplication.content_hash_enabled",
    "context.deduplication.overlap_detection_enabled",
    "context.deduplication.overlap_threshold",
    "context.deduplication.near_enabled",
    "context.deduplication.near_threshold",
    "context.deduplication.normalize_whitespace",
    "context.deduplication.ignore_comments",
    "context.deduplication.case_sensitive",
    "context.deduplication.merge_overlaps",
    "context.deduplication.cache_max_size",
    "context.selection.min_chunks",
    "context.selection.balance",
    "context.selection.overflow",
    "context.selection.stop_below",
    "context.selection.pin",
    "security.deny",
];

/// Settings that may only reduce what the caller gets or what it costs.
const BOUNDED: &[&str] = &[
    "context.enabled",
    "context.max_sources",
    "context.budget.total",
    "context.budget.response_reserve",
    "context.budget.system_reserve",
    "context.budget.instruction_reserve",
    "context.budget.completion_reserve",
    "context.budget.deduct_request",
    "context.budget.categories.<kind>",
    "context.chunking.max_file_size_bytes",
    "context.chunking.max_parse_time_ms",
    "context.chunking.max_nesting_depth",
    "context.formatting.max_chunks",
    "security.redact",
];

/// Settings that no trust opens to a repository.
const NEVER: &[&str] = &[
    "context.formatting.template",
    "context.record.audit",
    "context.record.tasks",
    "judge.key_env",
    "store.url",
    "store.write",
    "store.key_file",
    "store.key_env",
    "store.timeout_ms",
    "server.listen",
    "server.token_env",
    "server.tokens",
    "server.drain_ms",
    "server.limits.request_bytes",
    "server.limits.concurrency",
    "server.limits.queue",
    "server.limits.timeout_ms",
];

/// Nests a key and its value as a YAML file.
fn file(key: &str, value: &Value) -> String {
    let mut text = String::new();
    for (depth, part) in key.split('.').enumerate() {
        text.push_str(&format!("{}{part}:\n", "  ".repeat(depth)));
    }
    format!("{} {}\n", text.trim_end(), to_yaml(value))
}

fn merged(project: &str, profile: Option<&str>, is_trusted: bool) -> MergedConfig {
    let trusted = if is_trusted { &FEATURES[..] } else { &[] };
    let layers = layers_with_trust("", project, trusted).unwrap_or_else(|error| panic!("{error}"));
    layers.resolve(profile, &Layer::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_setting_is_classified() {
    for setting in table::settings() {
        let expected = match setting.repository_access() {
            RepositoryAccess::Free => FREE.contains(&setting.key),
            RepositoryAccess::Bounded(_) => BOUNDED.contains(&setting.key),
            RepositoryAccess::Never => NEVER.contains(&setting.key),
            RepositoryAccess::Trust => true,
        };
        assert!(expected, "{}", setting.key);
    }
    let known = |key: &&&str| table::settings().any(|setting| setting.key == **key);
    for list in [FREE, BOUNDED, NEVER] {
        assert_eq!(list.iter().filter(known).count(), list.len());
    }
}

/// A new setting requires trust unless a list above says otherwise, whatever its name.
#[test]
fn untrusted_file_changes_nothing_that_requires_trust() {
    for (key, setting) in table::keys() {
        if setting.repository_access() != RepositoryAccess::Trust {
            continue;
        }
        let value = match setting.key {
            "context.providers.<provider>.enabled" => Value::Bool(true),
            "model.name" => "gpt-4o".into(),
            "model.window" => 200_000.into(),
            _ => setting.other_than_default(&key),
        };
        let in_profile =
            key.strip_prefix("context.").map(|rest| format!("context.profiles.chunks.{rest}"));
        for (full, profile) in [(Some(key.clone()), None), (in_profile, Some("chunks"))] {
            let Some(full) = full else { continue };
            let project = file(&full, &value);
            let expected = merged("", profile, false).resolved;
            let untrusted = merged(&project, profile, false);
            assert_eq!(untrusted.resolved, expected, "{full}");
            let refused: Vec<&str> = untrusted.refused.iter().map(|it| it.key.as_str()).collect();
            assert_eq!(refused, [key.as_str()], "{full}");
            let trusted = merged(&project, profile, true);
            assert_eq!(trusted.resolved.entry(&key).map(|it| &it.value), Some(&value), "{full}");
            assert!(trusted.refused.is_empty(), "{full}");
        }
    }
}

#[test]
fn counting_text_and_providers_always_require_trust() {
    for (key, setting) in table::keys() {
        let is_callers = ["model.", "context.tokenizer.", "context.providers.", "context.style."]
            .iter()
            .any(|section| key.starts_with(section))
            || ["header", "footer", "separator", "format"]
                .iter()
                .any(|name| key == format!("context.formatting.{name}"));
        if is_callers {
            assert_eq!(setting.repository_access(), RepositoryAccess::Trust, "{key}");
        }
    }
}

/// Checks a value of the repository's file against one of the user's.
#[track_caller]
fn check_bound(key: &str, user: &str, project: &str, expected: &str) {
    let (parsed_user, parsed_project) = (yaml_value(user), yaml_value(project));
    let layers = layers_with_trust(&file(key, &parsed_user), &file(key, &parsed_project), &[]);
    let merged = layers.and_then(|layers| layers.resolve(None, &Layer::default())).expect("valid");
    let value = merged.resolved.entry(key).map(|entry| to_yaml(&entry.value));
    assert_eq!(value.as_deref(), Some(expected), "{key}: {user}, then {project}");
    assert_eq!(merged.refused.len(), usize::from(project != expected), "{key}");
}

fn yaml_value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn bounded_settings_can_only_reduce() {
    let total = "context.budget.total";
    check_bound(total, "50000", "40000", "40000");
    check_bound(total, "50000", "50001", "50000");
    let reserve = "context.budget.response_reserve";
    check_bound(reserve, "5000", "9000", "9000");
    check_bound(reserve, "5000", "4999", "5000");
    check_bound("context.budget.categories.rule", "0.2", "0.3", "0.2");
    check_bound("context.max_sources", "10", "5", "5");
    check_bound("context.max_sources", "10", "null", "10");
    check_bound("context.max_sources", "null", "7", "7");
    check_bound("context.enabled", "true", "false", "false");
    check_bound("context.enabled", "false", "true", "false");
    check_bound("context.budget.deduct_request", "true", "false", "true");
    check_bound("context.chunking.max_parse_time_ms", "1000", "60000", "1000");
}

/// The profile is the caller's choice, so its numbers are the caller's.
#[test]
fn repository_cannot_enlarge_the_budget_of_a_profile() {
    let total = "context.budget.total";
    let project = "context: {profiles: {orchestrate: {budget: {total: 9000}}}}\n";
    let merged_config = merged(project, Some("orchestrate"), false);
    assert_eq!(merged_config.resolved.get::<u64>(total), 8_000);
    assert_eq!(merged_config.refused.len(), 1);
    let merged_config = merged(&project.replace("9000", "7000"), Some("orchestrate"), false);
    assert_eq!(merged_config.resolved.get::<u64>(total), 7_000);
}

#[test]
fn user_model_determines_the_largest_total() {
    let user = "model: {name: gpt-4o}\n";
    let total = |tokens: &str| {
        let project = format!("context: {{budget: {{total: {tokens}}}}}\n");
        let layers = layers_with_trust(user, &project, &[]).expect("valid");
        let merged = layers.resolve(None, &Layer::default()).expect("valid");
        crate::settings::window(&merged.resolved).tokens
    };
    assert_eq!((total("120000"), total("130000")), (120_000, 128_000));
}

#[test]
fn window_and_reserves_may_be_lowered_together() {
    let budget = |total: u64| {
        let project = format!(
            "context: {{budget: {{total: {total}, response_reserve: 0, system_reserve: 0}}}}\n"
        );
        let merged = merged(&project, None, false);
        let budget = EngineSettings::from(&merged.resolved).budget.available().expect("a budget");
        (budget, merged.refused.len())
    };
    assert_eq!(budget(5_000), (5_000, 0));
    assert_eq!(budget(90_000), (90_000, 0));
    assert_eq!(budget(90_001), (90_000, 3), "the caller's");
}

/// A request with a window of its own uses only the reserves.
#[test]
fn lowered_reserves_do_not_enlarge_other_windows() {
    let project = "context: {budget: {total: 5000, response_reserve: 0, system_reserve: 0}}\n";
    let layers = layers_with_trust("", project, &[]).expect("valid");
    let limit = layers.budget_limit(None, &Layer::default()).expect("valid").expect("a limit");
    assert_eq!(limit.within(50_000).available(), Ok(40_000));
    let trusted = layers_with_trust("", project, &FEATURES).expect("valid");
    assert_eq!(trusted.budget_limit(None, &Layer::default()), Ok(None));
}

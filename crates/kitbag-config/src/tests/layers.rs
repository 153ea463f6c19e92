//! Layers merge key by key, and every value has its origin.

use super::{errors, layers, option, resolved};
use crate::keys::KeyRegistry;
use crate::layer::Layer;
use crate::layers::Layers;
use crate::settings::EngineSettings;
use crate::value::to_yaml;
use crate::{settings_from_pairs, sources};
use kitbag_core::Budget;
use serde_json::json;

/// Checks the value of a key and its origin.
#[track_caller]
fn check(layers: &Layers, profile: Option<&str>, key: &str, expected: &str) {
    let resolved = layers.resolve(profile, &Layer::default()).expect("valid").resolved;
    let entry = resolved.entry(key).expect("a setting");
    assert_eq!(format!("{} from {}", to_yaml(&entry.value), entry.origin), expected, "{key}");
}

fn environment(variables: &[(&str, &str)]) -> Layer {
    let variables: Vec<_> = variables.iter().map(|(a, b)| (a.into(), b.into())).collect();
    sources::read_environment(&variables, &KeyRegistry::default()).expect("valid")
}

fn set(pairs: &[(&str, &str)]) -> Layer {
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    sources::read_set(&pairs, &KeyRegistry::default()).expect("valid")
}

// Shows: AC-146, AC-147, AC-148
#[test]
fn a_file_sets_budget_weights_and_priorities() {
    let settings = EngineSettings::from(&resolved(
        "context:
  budget: {total: 100000, response_reserve: 15000, system_reserve: 8000}
  ranking: {relevance_weight: 0.3, recency_weight: 0.6, source_weight: 0.1}
  source_priority: {tool_results: 10, open_files: 90, histories: 5}
",
    ));
    assert_eq!(settings.budget.available(), Ok(77_000));
    let weights = settings.settings.weights;
    assert_eq!([weights.relevance, weights.recency, weights.source], [0.3, 0.6, 0.1]);
    let priorities = settings.settings.priorities;
    use kitbag_text::Kind;
    assert_eq!(priorities[Kind::ToolResult.index()], 10);
    assert_eq!(priorities[Kind::OpenFile.index()], 90);
    assert_eq!(priorities[Kind::History.index()], 5);
    assert_eq!(priorities[Kind::Diagnostics.index()], 90, "the default");
}

/// Weights that are not set share what remains, in proportion to the design's defaults.
#[test]
fn unset_weights_share_the_rest() {
    let weight = |name: &str| format!("context.ranking.{name}_weight");
    let check_all = |file: &str, profile: Option<&str>, expected: [&str; 3]| {
        let layers = layers("", file).expect("valid");
        for (name, expected) in ["relevance", "recency", "source"].iter().zip(expected) {
            check(&layers, profile, &weight(name), expected);
        }
    };
    let bug_fix = "context: {ranking: {recency_weight: 0.6}}\n";
    let recency = "0.6 from config.yml:1:37";
    let shared = "0.2857 from remainder";
    check_all(bug_fix, None, [shared, recency, "0.1143 from remainder"]);
    check_all(bug_fix, Some("chunks"), [shared, recency, "0.1143 from remainder"]);
    let security = "context: {ranking: {relevance_weight: 0.8}}\n";
    let relevance = "0.8 from config.yml:1:39";
    check_all(security, None, [relevance, "0.12 from remainder", "0.08 from remainder"]);
    let two = "context: {ranking: {relevance_weight: 0.7, recency_weight: 0.1}}\n";
    let relevance = "0.7 from config.yml:1:39";
    check_all(two, None, [relevance, "0.1 from config.yml:1:60", "0.2 from remainder"]);
}

/// General settings are meant for the default profile in the first place.
#[test]
fn files_override_the_default_profile_only() {
    let weights = "context.ranking.relevance_weight";
    let none = layers("", "").expect("valid");
    check(&none, None, weights, "0.9 from profile agent");
    check(&none, Some("agent"), weights, "0.9 from profile agent");
    check(&none, Some("chunks"), weights, "0.5 from default");
    let stop = "context.selection.stop_below";
    check(&none, None, stop, "0.004 from profile agent");
    check(&none, Some("orchestrate"), stop, "null from default");
    let file = "context: {selection: {stop_below: 0.1, overflow: truncate}}\n";
    let set = layers(file, "").expect("valid");
    check(&set, None, stop, "0.1 from user.yml:1:35");
    check(&set, Some("chunks"), "context.selection.overflow", "skip from profile chunks");
}

// Shows: AC-149
#[test]
fn a_file_sets_chunking() {
    use kitbag_text::ChunkStrategy;
    let limits = EngineSettings::from(&resolved(
        "context:
  chunking:
    max_chunk_tokens: 1500
    prefer_structural: false
    languages: {python: structure, go: tokens}
    max_parse_time_ms: 200
",
    ))
    .settings
    .chunking;
    assert_eq!((limits.strategy, limits.max_chunk_tokens), (ChunkStrategy::Lines, 1_500));
    assert_eq!(limits.max_parse_steps, 10_000);
    assert_eq!(limits.languages["python"], ChunkStrategy::Structure);
    assert_eq!(limits.languages["go"], ChunkStrategy::Tokens);
}

#[test]
fn higher_layer_wins_key_by_key() {
    let user = "context:\n  budget:\n    total: 50000\n    system_reserve: 1000\n";
    let project = "context:\n  budget:\n    total: 60000\n";
    let mut layers = layers(user, project).expect("valid");
    let total = "context.budget.total";
    check(&layers, None, total, "60000 from config.yml:3:12");
    check(&layers, None, "context.budget.system_reserve", "1000 from user.yml:4:21");
    check(&layers, None, "context.budget.response_reserve", "8000 from default");
    layers.environment = environment(&[("KITBAG_CONTEXT_BUDGET_TOTAL", "70k"), ("OTHER", "1")]);
    check(&layers, None, total, "70000 from KITBAG_CONTEXT_BUDGET_TOTAL");
    layers.set = set(&[(total, "80_000")]);
    check(&layers, None, total, "80000 from --set");
    let options = option(total, json!(90_000), false).expect("valid");
    let resolved = layers.resolve(None, &options).expect("valid").resolved;
    assert_eq!(resolved.get::<u64>(total), 90_000);
}

#[test]
fn null_resets_the_value_of_a_lower_layer() {
    let user = "context: {ranking: {min_score: 0.5}}\n";
    let project = "context: {ranking: {min_score: null}}\n";
    check(
        &layers(user, "").expect("valid"),
        None,
        "context.ranking.min_score",
        "0.5 from user.yml:1:32",
    );
    check(
        &layers(user, project).expect("valid"),
        None,
        "context.ranking.min_score",
        "null from config.yml:1:32",
    );
}

#[test]
fn lists_of_layers_are_concatenated() {
    let user = "security: {deny: ['*.secret', vault]}\n";
    let project = "security: {deny: [vault, private]}\n";
    let layers = layers(user, project).expect("valid");
    check(&layers, None, "security.deny", "[\"*.secret\", vault, private] from config.yml:1:18");
}

#[test]
fn profile_overrides_files_but_not_environment_and_flags() {
    let user =
        "context: {profiles: {review: {budget: {total: 30000}, selection: {overflow: skip}}}}\n";
    let project = "context:\n  budget: {total: 60000}\n  profiles:\n    review:\n      budget: {total: 20000}\n";
    let mut layers = layers(user, project).expect("valid");
    let (total, overflow) = ("context.budget.total", "context.selection.overflow");
    check(&layers, None, total, "60000 from config.yml:2:19");
    check(&layers, Some("agent"), total, "60000 from config.yml:2:19");
    check(&layers, Some("review"), total, "20000 from config.yml:5:23");
    check(&layers, Some("review"), overflow, "skip from user.yml:1:77");
    layers.environment = environment(&[("KITBAG_CONTEXT_BUDGET_TOTAL", "15000")]);
    check(&layers, Some("review"), total, "15000 from KITBAG_CONTEXT_BUDGET_TOTAL");
    let error =
        layers.resolve(Some("reviw"), &Layer::default()).expect_err("no such profile").problems;
    assert_eq!(error[0].to_string(), "unknown profile `reviw`");
    assert_eq!(error[0].hint().as_deref(), Some("did you mean `review`?"));
}

#[test]
fn default_profile_can_be_changed() {
    let layers = layers("", "context: {profiles: {agent: {max_sources: 5}}}\n").expect("valid");
    check(&layers, None, "context.max_sources", "5 from config.yml:1:43");
}

#[test]
fn request_can_only_set_keys_of_context() {
    let error = |key: &str, value: serde_json::Value| {
        option(key, value, false).expect_err("invalid")[0].to_string()
    };
    assert_eq!(
        error("security.redact", json!(false)),
        "`security.redact` cannot be set by a request"
    );
    assert_eq!(error("context.enable", json!(true)), "unknown key `context.enable`");
    assert_eq!(
        error("context.enabled", json!("true")),
        "`context.enabled` must be `true` or `false`, not the string `true`"
    );
    assert_eq!(
        error("context.ranking.min_score", json!({})),
        "`context.ranking.min_score` must be a number from 0 to 1, not a mapping"
    );
}

#[test]
fn misspelled_or_invalid_variables_are_errors() {
    let error = |name: &str, value: &str| {
        let problems =
            sources::read_environment(&[(name.into(), value.into())], &KeyRegistry::default())
                .expect_err("invalid");
        format!("{} [{}]", problems[0], problems[0].hint().unwrap_or_default())
    };
    assert_eq!(
        error("KITBAG_CONTEXT_BUDGET_TOTL", "5"),
        "KITBAG_CONTEXT_BUDGET_TOTL: unknown key `KITBAG_CONTEXT_BUDGET_TOTL` \
         [did you mean `KITBAG_CONTEXT_BUDGET_TOTAL`?]"
    );
    assert_eq!(
        error("KITBAG_CONTEXT_ENABLED", "yes"),
        "KITBAG_CONTEXT_ENABLED: `context.enabled` must be `true` or `false`, not `yes` \
         [for example `false`]"
    );
    assert!(
        sources::read_environment(
            &[("KITBAG_TEST_FOLDER".into(), "x".into())],
            &KeyRegistry::default()
        )
        .is_ok()
    );
}

#[test]
fn variables_are_unique() {
    let mut seen = std::collections::BTreeMap::new();
    for (key, _) in crate::table::keys() {
        let other = seen.insert(sources::variable(&key), key.clone());
        assert_eq!(other, None, "{key}");
    }
}

#[test]
fn total_does_not_enlarge_the_window_of_a_model() {
    let budget = |file: &str| EngineSettings::from(&resolved(file)).budget;
    let window = |budget: Budget| match budget {
        Budget::Window { total, .. } => total,
        Budget::Fixed(_) => panic!("a window"),
    };
    assert_eq!(window(budget("model: {name: gpt-4o}\n")), 128_000);
    assert_eq!(window(budget("model: {name: gpt-4o, window: 64k}\n")), 64_000);
    let both = "model: {name: gpt-4o}\ncontext: {budget: {total: TOTAL}}\n";
    assert_eq!(window(budget(&both.replace("TOTAL", "50000"))), 50_000);
    assert_eq!(window(budget(&both.replace("TOTAL", "500000"))), 128_000);
}

/// Keeps evaluations comparable over time.
#[test]
fn settings_without_pairs_are_the_defaults() {
    let settings = settings_from_pairs(&[]).expect("valid");
    let defaults = kitbag_core::Settings::default();
    assert_eq!(format!("{:?}", settings.settings), format!("{defaults:?}"));
    let set = [("context.formatting.format".to_owned(), "xml".to_owned())];
    let settings = settings_from_pairs(&set).expect("valid");
    assert_eq!(settings.settings.formatting.format, kitbag_core::Format::Xml);
    let set = [("context.formatting.fromat".to_owned(), "xml".to_owned())];
    assert!(settings_from_pairs(&set).is_err());
}

#[test]
fn provider_aliases_set_the_same_keys() {
    let file = "context:\n  providers:\n    rag: {max_items: 7}\n  profiles:\n    review:\n      \
                providers: {semantic: {enabled: false}}\n";
    let mut all = layers("", file).expect("valid");
    check(&all, None, "context.providers.search.max_items", "7 from config.yml:3:22");
    check(&all, None, "context.providers.search.enabled", "true from default");
    check(&all, Some("review"), "context.providers.search.enabled", "false from config.yml:6:39");
    all.environment = environment(&[("KITBAG_CONTEXT_PROVIDERS_SEMANTIC_MAX_ITEMS", "8")]);
    let variable = "8 from KITBAG_CONTEXT_PROVIDERS_SEMANTIC_MAX_ITEMS";
    check(&all, None, "context.providers.search.max_items", variable);
    all.set = set(&[("context.providers.rag.max_items", "9")]);
    check(&all, None, "context.providers.search.max_items", "9 from --set");
    let both = "context:\n  providers:\n    search: {max_items: 7}\n    rag: {max_items: 8}\n";
    assert_eq!(
        errors(layers("", both)),
        "config.yml:4:5: `context.providers.rag` is set twice; it was first set at \
         config.yml:3:5 [remove one of the two]"
    );
}

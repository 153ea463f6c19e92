//! Layers merge key by key, and every value knows where it is from.

use super::{layers, options, resolved};
use crate::config::layer::Layer;
use crate::config::names::Names;
use crate::config::resolve::Layers;
use crate::config::settle::settle;
use crate::config::sources;
use kitbag_core::Budget;
use serde_json::json;
use std::sync::Arc;

/// The value of a key and where it is from.
#[track_caller]
fn check(layers: &Layers, profile: Option<&str>, key: &str, expected: &str) {
    let resolved = layers.resolve(profile, &Layer::default()).expect("right");
    let entry = resolved.entry(key).expect("a setting");
    assert_eq!(format!("{} from {}", entry.value, entry.place), expected, "{key}");
}

fn environment(variables: &[(&str, &str)]) -> Arc<Layer> {
    let variables: Vec<_> = variables.iter().map(|(a, b)| (a.into(), b.into())).collect();
    Arc::new(sources::environment(&variables, &Names::default()).expect("right"))
}

fn set(pairs: &[(&str, &str)]) -> Arc<Layer> {
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    Arc::new(sources::set(&pairs, &Names::default()).expect("right"))
}

// Shows: AC-146, AC-147, AC-148
#[test]
fn a_file_sets_budget_weights_and_priorities() {
    let settled = settle(&resolved(
        "context:
  budget: {total: 100000, response_reserve: 15000, system_reserve: 8000}
  ranking: {relevance_weight: 0.3, recency_weight: 0.6, source_weight: 0.1}
  source_priority: {tool_results: 10, open_files: 90, histories: 5}
",
    ));
    assert_eq!(settled.budget.available(), Ok(77_000));
    let weights = settled.settings.weights;
    assert_eq!([weights.relevance, weights.recency, weights.source], [0.3, 0.6, 0.1]);
    let priorities = settled.settings.priorities;
    use kitbag_text::Kind;
    assert_eq!(priorities[Kind::ToolResult.index()], 10);
    assert_eq!(priorities[Kind::OpenFile.index()], 90);
    assert_eq!(priorities[Kind::History.index()], 5);
    assert_eq!(priorities[Kind::Diagnostics.index()], 90, "as before");
}

// Shows: AC-149
#[test]
fn a_file_sets_how_files_are_cut() {
    use kitbag_text::Cut;
    let limits = settle(&resolved(
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
    assert_eq!((limits.cut, limits.max_chunk_tokens), (Cut::Lines, 1_500));
    assert_eq!(limits.max_parse_steps, 10_000);
    assert_eq!(limits.languages["python"], Cut::Structure);
    assert_eq!(limits.languages["go"], Cut::Tokens);
}

#[test]
fn the_nearer_layer_wins_key_by_key() {
    let user = "context:\n  budget:\n    total: 50000\n    system_reserve: 1000\n";
    let project = "context:\n  budget:\n    total: 60000\n";
    let mut layers = layers(user, project).expect("right");
    let total = "context.budget.total";
    check(&layers, None, total, "60000 from config.yml:3:12");
    check(&layers, None, "context.budget.system_reserve", "1000 from user.yml:4:21");
    check(&layers, None, "context.budget.response_reserve", "8000 from default");
    layers.environment = environment(&[("KITBAG_CONTEXT_BUDGET_TOTAL", "70k"), ("OTHER", "1")]);
    check(&layers, None, total, "70000 from KITBAG_CONTEXT_BUDGET_TOTAL");
    layers.set = set(&[(total, "80_000")]);
    check(&layers, None, total, "80000 from --set");
    let options = options(total, json!(90_000), false).expect("right");
    let resolved = layers.resolve(None, &options).expect("right");
    assert_eq!(resolved.whole(total), Some(90_000));
}

#[test]
fn null_takes_back_what_a_lower_layer_set() {
    let user = "context: {ranking: {min_score: 0.5}}\n";
    let project = "context: {ranking: {min_score: null}}\n";
    check(
        &layers(user, "").expect("right"),
        None,
        "context.ranking.min_score",
        "0.5 from user.yml:1:32",
    );
    check(
        &layers(user, project).expect("right"),
        None,
        "context.ranking.min_score",
        "null from config.yml:1:32",
    );
}

#[test]
fn lists_of_layers_are_joined() {
    let user = "security: {deny: ['*.secret', vault]}\n";
    let project = "security: {deny: [vault, private]}\n";
    let layers = layers(user, project).expect("right");
    check(&layers, None, "security.deny", "[\"*.secret\", vault, private] from config.yml:1:18");
}

#[test]
fn a_profile_lies_above_the_files_and_below_environment_and_flags() {
    let user =
        "context: {profiles: {review: {budget: {total: 30000}, selection: {overflow: skip}}}}\n";
    let project = "context:\n  budget: {total: 60000}\n  profiles:\n    review:\n      budget: {total: 20000}\n";
    let mut layers = layers(user, project).expect("right");
    let (total, overflow) = ("context.budget.total", "context.selection.overflow");
    check(&layers, None, total, "60000 from config.yml:2:19");
    check(&layers, Some("agent"), total, "60000 from config.yml:2:19");
    check(&layers, Some("review"), total, "20000 from config.yml:5:23");
    check(&layers, Some("review"), overflow, "skip from user.yml:1:77");
    layers.environment = environment(&[("KITBAG_CONTEXT_BUDGET_TOTAL", "15000")]);
    check(&layers, Some("review"), total, "15000 from KITBAG_CONTEXT_BUDGET_TOTAL");
    let error = layers.resolve(Some("reviw"), &Layer::default()).expect_err("no such profile");
    assert_eq!(error[0].to_string(), "unknown profile `reviw`");
    assert_eq!(error[0].hint().as_deref(), Some("the nearest profile is `review`"));
}

#[test]
fn the_default_profile_can_be_changed_like_any_other() {
    let layers = layers("", "context: {profiles: {agent: {max_sources: 5}}}\n").expect("right");
    check(&layers, None, "context.max_sources", "5 from config.yml:1:43");
}

#[test]
fn a_request_sets_keys_of_the_context_only() {
    let wrong = |key: &str, value: serde_json::Value| {
        let problems = options(key, value, false).expect_err("wrong");
        problems[0].to_string()
    };
    assert_eq!(
        wrong("security.redact", json!(false)),
        "`security.redact` cannot be set by a request"
    );
    assert_eq!(wrong("context.enable", json!(true)), "unknown key `context.enable`");
    assert_eq!(
        wrong("context.enabled", json!("true")),
        "`context.enabled` must be `true` or `false`, not the text `true`"
    );
    assert_eq!(
        wrong("context.ranking.min_score", json!({})),
        "`context.ranking.min_score` must be a number from 0 to 1, not a section"
    );
}

#[test]
fn variables_that_are_mistyped_or_wrong_are_told() {
    let wrong = |name: &str, value: &str| {
        let problems = sources::environment(&[(name.into(), value.into())], &Names::default())
            .expect_err("wrong");
        format!("{} [{}]", problems[0], problems[0].hint().unwrap_or_default())
    };
    assert_eq!(
        wrong("KITBAG_CONTEXT_BUDGET_TOTL", "5"),
        "KITBAG_CONTEXT_BUDGET_TOTL: unknown key `KITBAG_CONTEXT_BUDGET_TOTL` \
         [the nearest key is `KITBAG_CONTEXT_BUDGET_TOTAL`]"
    );
    assert_eq!(
        wrong("KITBAG_CONTEXT_ENABLED", "yes"),
        "KITBAG_CONTEXT_ENABLED: `context.enabled` must be `true` or `false`, not `yes` \
         [for example `false`]"
    );
    assert!(
        sources::environment(&[("KITBAG_TEST_FOLDER".into(), "x".into())], &Names::default())
            .is_ok()
    );
}

#[test]
fn no_two_keys_have_the_same_variable() {
    let mut seen = std::collections::BTreeMap::new();
    for (key, _) in crate::config::table::keys() {
        let other = seen.insert(sources::variable(&key), key.clone());
        assert_eq!(other, None, "{key}");
    }
}

#[test]
fn a_total_does_not_stretch_the_window_of_a_model() {
    let budget = |file: &str| settle(&resolved(file)).budget;
    let window = |budget: Budget| match budget {
        Budget::Window { total, .. } => total,
        Budget::Given(_) => panic!("a window"),
    };
    assert_eq!(window(budget("model: {name: gpt-4o}\n")), 128_000);
    assert_eq!(window(budget("model: {name: gpt-4o, window: 64k}\n")), 64_000);
    let both = "model: {name: gpt-4o}\ncontext: {budget: {total: TOTAL}}\n";
    assert_eq!(window(budget(&both.replace("TOTAL", "50000"))), 50_000);
    assert_eq!(window(budget(&both.replace("TOTAL", "500000"))), 128_000);
}

/// Evaluations of today can be compared with those of yesterday.
#[test]
fn nothing_set_is_what_the_decision_does_by_itself() {
    let settled = crate::config::settled_with(&[]).expect("nothing is wrong");
    let by_itself = kitbag_core::Settings::default();
    assert_eq!(format!("{:?}", settled.settings), format!("{by_itself:?}"));
    let set = [("context.formatting.format".to_owned(), "xml".to_owned())];
    let settled = crate::config::settled_with(&set).expect("nothing is wrong");
    assert_eq!(settled.settings.formatting.format, kitbag_core::Format::Xml);
    let set = [("context.formatting.fromat".to_owned(), "xml".to_owned())];
    assert!(crate::config::settled_with(&set).is_err());
}

#[test]
fn other_names_of_providers_set_the_same_keys() {
    let file = "context:\n  providers:\n    rag: {max_items: 7}\n  profiles:\n    review:\n      \
                providers: {semantic: {enabled: false}}\n";
    let mut all = layers("", file).expect("right");
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
        super::told(layers("", both)),
        "config.yml:4:5: `context.providers.rag` is set twice; the first is at config.yml:3:5 \
         [remove one of them]"
    );
}

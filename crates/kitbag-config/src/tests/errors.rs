//! Errors have origins, and all of them are reported together, in order.

use super::{errors, layers, layers_with_trust};
use crate::layer::Layer;
use crate::settings::EngineSettings;
use crate::trust::TrustFeature;
use insta::assert_snapshot;

/// Formats the errors of a repository's file.
fn project_errors(project: &str) -> String {
    errors(layers("", project))
}

// Shows: AC-150
#[test]
fn unknown_keys_are_reported_with_a_hint() {
    assert_snapshot!(project_errors("context:\n  budget:\n    totl: 5\n"), @"config.yml:3:5: unknown key `context.budget.totl` [did you mean `context.budget.total`?]");
    assert_snapshot!(project_errors("budget:\n  total: 5\n"), @"config.yml:1:1: unknown key `budget` [did you mean `context.budget`?]");
    assert_snapshot!(project_errors("context: {source_priority: {tool_result: 5}}\n"), @"config.yml:1:29: unknown key `context.source_priority.tool_result` [did you mean `context.source_priority.tool_results`?]");
    assert_snapshot!(project_errors("context:\n  providers:\n    serch: {enabled: true}\n"), @"config.yml:3:5: unknown key `context.providers.serch` [did you mean `context.providers.search`?]");
    assert_snapshot!(project_errors("context.budget.total: 5\n"), @"config.yml:1:1: `context.budget.total` contains a dot [nest the parts of a key as sections]");
    assert_snapshot!(project_errors("context:\n  1: 2\n  <<: {}\n"), @"
    config.yml:2:3: unknown key `context.1` [expected one of `context.budget`, `context.cache`, `context.chunking`, `context.deadline_ms`, `context.deduplication`, `context.enabled`, `context.formatting`, `context.max_parallelism`, `context.max_sources`, `context.providers`, `context.ranking`, `context.record`, `context.rules`, `context.selection`, `context.source_priority`, `context.strategy_timeout`, `context.style`, `context.tokenizer`]
    config.yml:3:3: unknown key `context.<<` [expected one of `context.budget`, `context.cache`, `context.chunking`, `context.deadline_ms`, `context.deduplication`, `context.enabled`, `context.formatting`, `context.max_parallelism`, `context.max_sources`, `context.providers`, `context.ranking`, `context.record`, `context.rules`, `context.selection`, `context.source_priority`, `context.strategy_timeout`, `context.style`, `context.tokenizer`]
    ");
}

// Shows: AC-150
#[test]
fn wrong_types_are_reported_with_the_expected_type() {
    let file = "\
context:
  enabled: yes
  max_sources: many
  budget:
    total: -1
    response_reserve: 1.5
    system_reserve:
  ranking:
    relevance_weight: .nan
    min_score: 2
  chunking: true
  selection:
    overflow: drop
  formatting:
    header: [a, b]
security:
  deny: secret
";
    assert_snapshot!(project_errors(file), @"
    config.yml:2:12: `context.enabled` must be `true` or `false`, not `yes` [for example `false`]
    config.yml:3:16: `context.max_sources` must be an integer from 1 to 1000000, not `many` [for example `100`]
    config.yml:5:12: `context.budget.total` must be a number of tokens from 1 to 1000000000, such as `8000` or `32k`, not `-1` [for example `150000`]
    config.yml:6:23: `context.budget.response_reserve` must be a number of tokens from 0 to 1000000000, such as `8000` or `32k`, not `1.5` [for example `15000`]
    config.yml:7:19: `context.budget.system_reserve` must be a number of tokens from 0 to 1000000000, such as `8000` or `32k`, not null [for example `8000`]
    config.yml:9:23: `context.ranking.relevance_weight` must be a number from 0 to 1, not `.nan` [for example `0.7`]
    config.yml:10:16: `context.ranking.min_score` must be a number from 0 to 1, not `2` [for example `0.2`]
    config.yml:11:13: `context.chunking` must be a mapping, not `true` [set one of its keys, such as `context.chunking.max_chunk_tokens`]
    config.yml:13:15: `context.selection.overflow` must be one of `skip`, `outline`, `truncate`, `proportional`, not `drop` [for example `skip`]
    config.yml:15:13: `context.formatting.header` must be a string, not a list [for example `\"The code of this project:\"`]
    config.yml:17:9: `security.deny` must be a list of strings, not `secret` [for example `[\"*.secret\", \"vault/**\"]`]
    ");
}

/// An invalid pattern would deny nothing.
#[test]
fn invalid_patterns_are_errors() {
    let deny = |list: &str| project_errors(&format!("security:\n  deny: {list}\n"));
    assert_snapshot!(deny("['*.txt', '[']"), @"config.yml:2:9: invalid pattern `[` in `security.deny`: unclosed character class; missing ']'");
    assert_snapshot!(deny("['']"), @"config.yml:2:9: invalid pattern `` in `security.deny`: nothing to match");
    assert_snapshot!(deny("['!keep.txt']"), @"config.yml:2:9: invalid pattern `!keep.txt` in `security.deny`: `!` is not supported: a pattern cannot allow a denied path");
    assert_snapshot!(deny("['../other']"), @"config.yml:2:9: invalid pattern `../other` in `security.deny`: `..` leads out of the root");
    assert_eq!(deny("['src/**/*.txt', 's[0-9].txt', '{a,b}.txt', ./src/**, /vault/**]"), "valid");
}

#[test]
fn duplicate_key_is_an_error_at_the_second() {
    assert_snapshot!(project_errors("context:\n  enabled: true\n  enabled: false\n"), @"config.yml:3:3: `context.enabled` is set twice; it was first set at config.yml:2:3 [remove one of the two]");
    assert_snapshot!(project_errors("model: {name: o1}\ncontext: {}\nmodel: {name: o3}\n"), @"config.yml:3:1: `model` is set twice; it was first set at config.yml:1:1 [remove one of the two]");
}

#[test]
fn invalid_yaml_is_reported_with_its_position() {
    assert_snapshot!(project_errors("context:\n\tenabled: true\n"), @"config.yml:2:2: invalid YAML: tabs disallowed within this context (block indentation) [indent with spaces]");
    assert_snapshot!(project_errors("context:\n  a: 1\n b: 2\n"), @"config.yml:3:2: invalid YAML: while parsing a block mapping, did not find expected key [align the keys of a mapping in one column]");
    assert_snapshot!(project_errors("context: [1, 2\n"), @"config.yml:2:1: invalid YAML: while parsing a flow sequence, expected ',' or ']'");
    assert_snapshot!(project_errors("context: \"open\n"), @"config.yml:1:10: invalid YAML: while scanning a quoted scalar, found unexpected end of stream");
    assert_snapshot!(project_errors("- a\n- b\n"), @"config.yml:1:1: a configuration must be a mapping, not a list [start with a key such as `context:`]");
    assert_snapshot!(project_errors("just words\n"), @"config.yml:1:1: a configuration must be a mapping, not `just words` [start with a key such as `context:`]");
    assert_snapshot!(project_errors("context: &all {enabled: true}\n"), @"config.yml:1:10: anchors are not supported [write the value out]");
    assert_snapshot!(project_errors("context:\n  enabled: !!bool true\n"), @"config.yml:2:12: tags are not supported [remove the tag]");
    assert_snapshot!(project_errors("context: {}\n---\ncontext: {}\n"), @"config.yml:2:1: more than one document [remove the other documents]");
    assert_snapshot!(project_errors("a: 1\0\n"), @"config.yml:1:5: invalid YAML: found unprintable character");
}

#[test]
fn invalid_utf8_is_reported_with_its_position() {
    use crate::files::ConfigFile;
    use crate::layer::Authority;
    let file = ConfigFile::new("config.yml", b"context:\n  \xe9nabled: true\n");
    let result = file.layer(Authority::User, &crate::keys::KeyRegistry::default());
    let problems = result.expect_err("not UTF-8");
    assert_eq!(problems[0].to_string(), "config.yml:2:3: not UTF-8");
}

// Shows: AC-150
#[test]
fn weights_must_sum_to_one() {
    let weights = |lines: &str| project_errors(&format!("context:\n  ranking:\n{lines}"));
    let all = "    relevance_weight: 0.7\n    recency_weight: 0.3\n    source_weight: 0.2\n";
    assert_snapshot!(weights(all), @"config.yml:3:23: ranking weights must sum to 1, not 1.2: `context.ranking.relevance_weight` is 0.7 (config.yml:3:23), `context.ranking.recency_weight` is 0.3 (config.yml:4:21), `context.ranking.source_weight` is 0.2 (config.yml:5:20) [change the weights so that they sum to 1, or set only some of them]");
    let two = "    recency_weight: 0.6\n    source_weight: 0.5\n";
    assert_snapshot!(weights(two), @"config.yml:3:21: ranking weights must sum to 1, not 1.1: `context.ranking.relevance_weight` is 0 (remainder), `context.ranking.recency_weight` is 0.6 (config.yml:3:21), `context.ranking.source_weight` is 0.5 (config.yml:4:20) [change the weights so that they sum to 1, or set only some of them]");
    assert_snapshot!(weights("    recency_weight: 1.2\n"), @"config.yml:3:21: `context.ranking.recency_weight` must be a number from 0 to 1, not `1.2` [for example `0.1`]");
    assert_eq!(
        project_errors("context: {ranking: {relevance_weight: 0.7, recency_weight: 0.1}}\n"),
        "valid"
    );
}

#[test]
fn conflicting_layers_are_both_named() {
    let user = "context:\n  chunking:\n    max_chunk_tokens: 150\n";
    let project = "context:\n  chunking:\n    min_chunk_tokens: 200\n";
    assert_snapshot!(errors(layers(user, project)), @"config.yml:3:23: `context.chunking.min_chunk_tokens` must not be greater than `context.chunking.max_chunk_tokens`: `context.chunking.min_chunk_tokens` is 200 (config.yml:3:23), `context.chunking.max_chunk_tokens` is 150 (user.yml:3:23) [lower the minimum or raise the maximum]");
    assert_eq!(errors(layers(user, "")), "valid");
    assert_eq!(errors(layers("", project)), "valid");
}

#[test]
fn minimum_number_of_chunks_must_not_exceed_the_maximum() {
    let file = "context:\n  selection: {min_chunks: 4}\n  formatting: {max_chunks: 3}\n";
    assert_snapshot!(project_errors(file), @"config.yml:2:27: `context.selection.min_chunks` must not be greater than `context.formatting.max_chunks`: `context.selection.min_chunks` is 4 (config.yml:2:27), `context.formatting.max_chunks` is 3 (config.yml:3:28) [lower the minimum or raise the maximum]");
    assert_eq!(project_errors(&file.replace('4', "3")), "valid");
}

#[test]
fn budget_shares_must_not_exceed_one() {
    let file = "context:\n  budget:\n    categories: {open_file: 0.6, tool_result: 0.5}\n";
    assert_snapshot!(project_errors(file), @"config.yml:3:47: budget shares must sum to at most 1, not 1.1: `context.budget.categories.tool_result` is 0.5 (config.yml:3:47), `context.budget.categories.open_file` is 0.6 (config.yml:3:29) [lower them; a kind without a share has no limit]");
    assert_eq!(project_errors(&file.replace("0.6", "0.5")), "valid");
    assert_snapshot!(project_errors("context: {deduplication: {near_threshold: 0}}\n"), @"config.yml:1:43: `context.deduplication.near_threshold` must be a number from 0.01 to 1, not `0` [for example `0.95`]");
}

#[test]
fn reserves_must_leave_room_in_the_window() {
    let reserves = "context: {budget: {total: 20k, response_reserve: 15k, system_reserve: 5k}}\n";
    assert_snapshot!(project_errors(reserves), @"config.yml:1:27: the reserved 20000 tokens do not fit in the window of 20000 tokens: `context.budget.total` is 20000 (config.yml:1:27), `context.budget.response_reserve` is 15000 (config.yml:1:50), `context.budget.system_reserve` is 5000 (config.yml:1:71) [enlarge the window or lower the reserves]");
    assert_snapshot!(project_errors("model: {name: gpt-4}\n"), @"config.yml:1:15: the reserved 10000 tokens do not fit in the window of 8192 tokens: `model.name` is gpt-4 (config.yml:1:15), `context.budget.response_reserve` is 8000 (default), `context.budget.system_reserve` is 2000 (default) [enlarge the window or lower the reserves]");
    assert_snapshot!(project_errors("model: {window: 9k}\ncontext: {budget: {total: 200k}}\n"), @"config.yml:1:17: the reserved 10000 tokens do not fit in the window of 9000 tokens: `model.window` is 9000 (config.yml:1:17), `context.budget.response_reserve` is 8000 (default), `context.budget.system_reserve` is 2000 (default) [enlarge the window or lower the reserves]");
}

#[test]
fn unknown_model_is_reported_with_a_similar_one() {
    assert_snapshot!(project_errors("model:\n  name: gpt-44o\n"), @"config.yml:2:9: unknown model `gpt-44o` [did you mean `gpt-4o`?]");
}

#[test]
fn unused_profiles_are_checked() {
    let file = "\
context:
  profiles:
    small:
      budget:
        total: 5000
    odd name:
      enabled: false
    nested:
      profiles: {a: {enabled: true}}
      budgets: {}
";
    assert_snapshot!(project_errors(file), @"
    config.yml:6:5: invalid profile name `odd name` [use letters, digits, `-` and `_`]
    config.yml:9:7: unknown key `context.profiles.nested.profiles` [did you mean `context.profiles.nested.providers`?]
    config.yml:10:7: unknown key `context.profiles.nested.budgets` [did you mean `context.profiles.nested.budget`?]
    ");
    assert_snapshot!(project_errors("context: {profiles: {small: {budget: {total: 5000}}}}\n"), @"config.yml:1:46: the reserved 10000 tokens do not fit in the window of 5000 tokens: `context.budget.total` is 5000 (config.yml:1:46), `context.budget.response_reserve` is 8000 (default), `context.budget.system_reserve` is 2000 (default) [enlarge the window or lower the reserves]");
}

#[test]
fn repository_cannot_set_the_judges_key_variable() {
    let file = "judge:\n  endpoint: http://example.org\n  key_env: SECRET\n";
    assert_snapshot!(project_errors(file), @"config.yml:3:12: `judge.key_env` can only be set by the user, not by a repository [set it in the user configuration]");
    assert_eq!(errors(layers(file, "")), "valid");
    assert_snapshot!(project_errors("judge: {kind: other}\n"), @"config.yml:1:15: `judge.kind` must be one of `openai`, `anthropic`, not `other` [for example `anthropic`]");
}

#[test]
fn judge_settings_of_a_repository_require_trust() {
    let user = "judge: {model: mine, key_env: MY_KEY}\n";
    let mut layers = layers_with_trust(user, "judge: {model: theirs}\n", &[]).expect("valid");
    let model = |layers: &crate::layers::Layers| {
        let resolved = layers.resolve(None, &Layer::default()).expect("valid");
        let judge = EngineSettings::from(&resolved.resolved).judge;
        (judge.model, judge.key_env)
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(model(&layers), (some("mine"), some("MY_KEY")));
    layers.trusted = vec![TrustFeature::Judge];
    assert_eq!(model(&layers), (some("theirs"), some("MY_KEY")));
}

#[test]
fn repository_can_enable_redaction_but_needs_trust_to_disable_it() {
    let redacts = |user: &str, project: &str, trusted: &[TrustFeature]| {
        let layers = layers_with_trust(user, project, trusted).expect("valid");
        let merged = layers.resolve(None, &Layer::default()).expect("valid");
        merged.resolved.get::<bool>("security.redact")
    };
    let (on, off) = ("security: {redact: true}\n", "security: {redact: false}\n");
    assert!(
        redacts("", off, &[]) && redacts(on, off, &[]) && redacts(on, off, &[TrustFeature::Judge])
    );
    assert!(redacts(off, on, &[]), "a repository can enable it");
    assert!(!redacts(off, "", &[]) && !redacts(on, off, &[TrustFeature::Redaction]));
}

#[test]
fn repository_cannot_set_a_template_or_tokenizer_file() {
    let file =
        "context:\n  formatting: {template: t.j2}\nmodel: {tokenizer: ../t/tokenizer.json}\n";
    assert_snapshot!(project_errors(file), @"
    config.yml:2:26: `context.formatting.template` can only be set by the user, not by a repository [set it in the user configuration]
    config.yml:3:20: `model.tokenizer` can only be set by the user, not by a repository [set it in the user configuration]
    ");
    assert_eq!(errors(layers(file, "")), "valid");
    assert_eq!(errors(layers("", "model: {tokenizer: cl100k_base}\n")), "valid");
}

#[test]
fn errors_of_all_layers_are_reported_together() {
    let user = "contxt: 1\n";
    let project = "context:\n  enabled: 5\nmodel:\n  nam: x\n";
    assert_snapshot!(errors(layers(user, project)), @"
    user.yml:1:1: unknown key `contxt` [did you mean `context`?]
    config.yml:2:12: `context.enabled` must be `true` or `false`, not `5` [for example `false`]
    config.yml:4:3: unknown key `model.nam` [did you mean `model.name`?]
    ");
}

/// Every profile is checked, and lists of several layers are compared.
#[test]
fn number_of_profiles_and_items_is_bounded() {
    let profiles = |count: usize| {
        let entries: String =
            (0..count).map(|it| format!("    p{it}: {{enabled: true}}\n")).collect();
        errors(layers("", &format!("context:\n  profiles:\n{entries}")))
    };
    assert_eq!(profiles(64), "valid");
    assert_eq!(profiles(65), "config.yml:67:5: more than 64 profiles");
    let denied = |count: usize| {
        let items: String = (0..count).map(|it| format!("  - x{it}\n")).collect();
        errors(layers("", &format!("security:\n  deny:\n{items}")))
    };
    assert_eq!(denied(1_000), "valid");
    assert_eq!(
        denied(1_001),
        "config.yml:3:5: `security.deny` must be a list of at most 1000 strings, not 1001"
    );
}

/// Finding a similar key takes time for each key, and more for long ones.
#[test]
fn number_and_length_of_errors_are_bounded() {
    let unknown: String = (0..5_000).map(|number| format!("  chunkin_{number}: 5\n")).collect();
    let all = errors(layers("", &format!("context:\n{unknown}")));
    assert_eq!(all.lines().count(), 51, "{all}");
    let last = all.lines().last().unwrap_or_default();
    assert_eq!(last, "config.yml:52:3: more than 50 problems; the rest is not checked");
    let long = errors(layers("", &format!("{}: 5\n", "context_".repeat(100))));
    assert!(long.len() < 500 && long.contains("context_context_"), "{}", long.len());
}

//! What is wrong is told with its place, all at once and in order.

use super::{layers, told};
use insta::assert_snapshot;

/// What is wrong with a repository's file.
fn wrong(project: &str) -> String {
    told(layers("", project))
}

// Shows: AC-150
#[test]
fn unknown_keys_are_named_with_the_nearest() {
    assert_snapshot!(wrong("context:\n  budget:\n    totl: 5\n"), @"config.yml:3:5: unknown key `context.budget.totl` [the nearest key is `context.budget.total`]");
    assert_snapshot!(wrong("budget:\n  total: 5\n"), @"config.yml:1:1: unknown key `budget` [the nearest key is `context.budget`]");
    assert_snapshot!(wrong("context: {source_priority: {tool_result: 5}}\n"), @"config.yml:1:29: unknown key `context.source_priority.tool_result` [the nearest key is `context.source_priority.tool_results`]");
    assert_snapshot!(wrong("context:\n  providers:\n    serch: {enabled: true}\n"), @"config.yml:3:5: unknown key `context.providers.serch` [the nearest key is `context.providers.search`]");
    assert_snapshot!(wrong("context.budget.total: 5\n"), @"config.yml:1:1: `context.budget.total` has a dot in it [write a section for each part of a key]");
    assert_snapshot!(wrong("context:\n  1: 2\n  <<: {}\n"), @"
    config.yml:2:3: unknown key `context.1` [the nearest key is `context`]
    config.yml:3:3: unknown key `context.<<` [the nearest key is `context`]
    ");
}

// Shows: AC-150
#[test]
fn wrong_types_are_told_with_what_was_expected() {
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
    assert_snapshot!(wrong(file), @"
    config.yml:2:12: `context.enabled` must be `true` or `false`, not `yes` [for example `false`]
    config.yml:3:16: `context.max_sources` must be a whole number from 1 to 1000000, not `many` [for example `100`]
    config.yml:5:12: `context.budget.total` must be a number of tokens such as `8000` or `32k`, from 1 to 1000000000, not `-1` [for example `150000`]
    config.yml:6:23: `context.budget.response_reserve` must be a number of tokens such as `8000` or `32k`, from 0 to 1000000000, not `1.5` [for example `15000`]
    config.yml:7:19: `context.budget.system_reserve` must be a number of tokens such as `8000` or `32k`, from 0 to 1000000000, not nothing [for example `8000`]
    config.yml:9:23: `context.ranking.relevance_weight` must be a number from 0 to 1, not `.nan` [for example `0.7`]
    config.yml:10:16: `context.ranking.min_score` must be a number from 0 to 1, not `2` [for example `0.2`]
    config.yml:11:13: `context.chunking` must be a section of keys, not `true`
    config.yml:13:15: `context.selection.overflow` must be one of `skip`, `outline`, `truncate`, `proportional`, not `drop` [for example `skip`]
    config.yml:15:13: `context.formatting.header` must be a text, not a list [for example `\"The code of this project:\"`]
    config.yml:17:9: `security.deny` must be a list of texts, not `secret` [for example `[\"*.secret\", \"vault/**\"]`]
    ");
}

/// A pattern that denies nothing would leave open what somebody wanted closed.
#[test]
fn patterns_that_deny_nothing_are_told_with_their_place() {
    let deny = |list: &str| wrong(&format!("security:\n  deny: {list}\n"));
    assert_snapshot!(deny("['*.txt', '[']"), @"config.yml:2:9: `security.deny` must be patterns of paths, not the text `[` [unclosed character class; missing ']']");
    assert_snapshot!(deny("['']"), @"config.yml:2:9: `security.deny` must be patterns of paths, not the text `` [nothing to match]");
    assert_snapshot!(deny("['!keep.txt']"), @"config.yml:2:9: `security.deny` must be patterns of paths, not the text `!keep.txt` [no pattern allows again what others deny: `!` is not understood]");
    assert_snapshot!(deny("['../other']"), @"config.yml:2:9: `security.deny` must be patterns of paths, not the text `../other` [paths are denied within the root, and `..` leads out]");
    assert_eq!(
        deny("['src/**/*.txt', 's[0-9].txt', '{a,b}.txt', ./src/**, /vault/**]"),
        "nothing is wrong"
    );
}

#[test]
fn a_key_that_is_there_twice_is_an_error_at_the_second() {
    assert_snapshot!(wrong("context:\n  enabled: true\n  enabled: false\n"), @"config.yml:3:3: `context.enabled` is set twice; the first is at config.yml:2:3 [remove one of them]");
    assert_snapshot!(wrong("model: {name: o1}\ncontext: {}\nmodel: {name: o3}\n"), @"config.yml:3:1: `model` is set twice; the first is at config.yml:1:1 [remove one of them]");
}

#[test]
fn what_is_no_yaml_is_told_with_its_place() {
    assert_snapshot!(wrong("context:\n\tenabled: true\n"), @"config.yml:2:2: not YAML: tabs disallowed within this context (block indentation) [indent with spaces]");
    assert_snapshot!(wrong("context:\n  a: 1\n b: 2\n"), @"config.yml:3:2: not YAML: while parsing a block mapping, did not find expected key [keys of one section begin in the same column]");
    assert_snapshot!(wrong("context: [1, 2\n"), @"config.yml:2:1: not YAML: while parsing a flow sequence, expected ',' or ']'");
    assert_snapshot!(wrong("context: \"open\n"), @"config.yml:1:10: not YAML: while scanning a quoted scalar, found unexpected end of stream");
    assert_snapshot!(wrong("- a\n- b\n"), @"config.yml:1:1: a configuration is a section of keys, not a list [begin with a key such as `context:`]");
    assert_snapshot!(wrong("just words\n"), @"config.yml:1:1: a configuration is a section of keys, not `just words` [begin with a key such as `context:`]");
    assert_snapshot!(wrong("context: &all {enabled: true}\n"), @"config.yml:1:10: an anchor [anchors and aliases are not read; write the value out]");
    assert_snapshot!(wrong("context:\n  enabled: !!bool true\n"), @"config.yml:2:12: a tag [tags are not read; write the value alone]");
    assert_snapshot!(wrong("context: {}\n---\ncontext: {}\n"), @"config.yml:2:1: a second document [a configuration is one document]");
    assert_snapshot!(wrong("a: 1\0\n"), @"config.yml:1:5: not YAML: found unprintable character");
}

#[test]
fn a_file_that_is_not_utf8_is_told_where() {
    use crate::config::layer::Authority;
    let wrong = crate::config::sources::file(
        std::path::Path::new("config.yml"),
        b"context:\n  \xe9nabled: true\n",
        Authority::User,
        &crate::config::names::Names::default(),
    );
    let problems = wrong.expect_err("not UTF-8");
    assert_eq!(problems[0].to_string(), "config.yml:2:3: not UTF-8");
}

// Shows: AC-150
#[test]
fn weights_that_do_not_sum_to_one_are_told_with_their_places() {
    assert_snapshot!(wrong("context:\n  ranking:\n    relevance_weight: 0.7\n"), @"config.yml:3:23: the ranking weights sum to 1.2, not to 1: `context.ranking.relevance_weight` is 0.7 (config.yml:3:23), `context.ranking.recency_weight` is 0.3 (default), `context.ranking.source_weight` is 0.2 (default) [set all three so that they sum to 1]");
    assert_eq!(
        wrong("context: {ranking: {relevance_weight: 0.7, recency_weight: 0.1}}\n"),
        "nothing is wrong"
    );
}

#[test]
fn layers_that_contradict_each_other_are_both_named() {
    let user = "context:\n  chunking:\n    max_chunk_tokens: 150\n";
    let project = "context:\n  chunking:\n    min_chunk_tokens: 200\n";
    assert_snapshot!(told(layers(user, project)), @"config.yml:3:23: chunks would be larger than they may be: `context.chunking.min_chunk_tokens` is 200 (config.yml:3:23), `context.chunking.max_chunk_tokens` is 150 (user.yml:3:23) [the least is at most as much as the most]");
    assert_eq!(told(layers(user, "")), "nothing is wrong");
    assert_eq!(told(layers("", project)), "nothing is wrong");
}

#[test]
fn more_chunks_at_the_least_than_at_the_most_are_told_with_both_places() {
    let file = "context:\n  selection: {min_chunks: 4}\n  formatting: {max_chunks: 3}\n";
    assert_snapshot!(wrong(file), @"config.yml:2:27: a pack would have more chunks than it may: `context.selection.min_chunks` is 4 (config.yml:2:27), `context.formatting.max_chunks` is 3 (config.yml:3:28) [the least is at most as much as the most]");
    assert_eq!(wrong(&file.replace('4', "3")), "nothing is wrong");
}

#[test]
fn shares_of_more_than_the_budget_are_told_with_their_places() {
    let file = "context:\n  budget:\n    categories: {open_file: 0.6, tool_result: 0.5}\n";
    assert_snapshot!(wrong(file), @"config.yml:3:47: the shares of the budget sum to 1.1, more than all of it: `context.budget.categories.tool_result` is 0.5 (config.yml:3:47), `context.budget.categories.open_file` is 0.6 (config.yml:3:29) [make them smaller; a kind without a share has no limit]");
    assert_eq!(wrong(&file.replace("0.6", "0.5")), "nothing is wrong");
    assert_snapshot!(wrong("context: {deduplication: {near_threshold: 0}}\n"), @"config.yml:1:43: `context.deduplication.near_threshold` must be a number from 0.01 to 1, not `0` [for example `0.95`]");
}

#[test]
fn reserves_beyond_the_window_are_told_with_what_decides_the_window() {
    let reserves = "context: {budget: {total: 20k, response_reserve: 15k, system_reserve: 5k}}\n";
    assert_snapshot!(wrong(reserves), @"config.yml:1:27: the reserves of 20000 tokens leave nothing of the window of 20000: `context.budget.total` is 20000 (config.yml:1:27), `context.budget.response_reserve` is 15000 (config.yml:1:50), `context.budget.system_reserve` is 5000 (config.yml:1:71) [make the window larger or the reserves smaller]");
    assert_snapshot!(wrong("model: {name: gpt-4}\n"), @"config.yml:1:15: the reserves of 10000 tokens leave nothing of the window of 8192: `model.name` is gpt-4 (config.yml:1:15), `context.budget.response_reserve` is 8000 (default), `context.budget.system_reserve` is 2000 (default) [make the window larger or the reserves smaller]");
    assert_snapshot!(wrong("model: {window: 9k}\ncontext: {budget: {total: 200k}}\n"), @"config.yml:1:17: the reserves of 10000 tokens leave nothing of the window of 9000: `model.window` is 9000 (config.yml:1:17), `context.budget.response_reserve` is 8000 (default), `context.budget.system_reserve` is 2000 (default) [make the window larger or the reserves smaller]");
}

#[test]
fn an_unknown_model_is_told_where_it_is_named() {
    assert_snapshot!(wrong("model:\n  name: gpt-44o\n"), @"config.yml:2:9: unknown model `gpt-44o` [the nearest known model is `gpt-4o`]");
}

#[test]
fn a_profile_is_checked_though_nobody_asks_for_it() {
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
    assert_snapshot!(wrong(file), @"
    config.yml:6:5: a profile cannot be called `odd name` [names are made of letters, digits, `-` and `_`]
    config.yml:9:7: unknown key `context.profiles.nested.profiles` [the nearest key is `context.profiles.nested.providers`]
    config.yml:10:7: unknown key `context.profiles.nested.budgets` [the nearest key is `context.profiles.nested.budget`]
    ");
    assert_snapshot!(wrong("context: {profiles: {small: {budget: {total: 5000}}}}\n"), @"config.yml:1:46: the reserves of 10000 tokens leave nothing of the window of 5000: `context.budget.total` is 5000 (config.yml:1:46), `context.budget.response_reserve` is 8000 (default), `context.budget.system_reserve` is 2000 (default) [make the window larger or the reserves smaller]");
}

#[test]
fn a_repository_may_not_name_the_variable_of_the_judges_key() {
    let file = "judge:\n  endpoint: http://example.org\n  key_env: SECRET\n";
    assert_snapshot!(wrong(file), @"config.yml:3:12: `judge.key_env` may be set by the user only, not by a repository [set it in the configuration of the user]");
    assert_eq!(told(layers(file, "")), "nothing is wrong");
    assert_snapshot!(wrong("judge: {kind: other}\n"), @"config.yml:1:15: `judge.kind` must be one of `openai`, `anthropic`, not `other` [for example `anthropic`]");
}

#[test]
fn what_a_repository_says_of_the_judge_holds_only_where_it_is_trusted() {
    let user = "judge: {model: mine, key_env: MY_KEY}\n";
    let mut layers = layers(user, "judge: {model: theirs}\n").expect("right");
    let model = |layers: &crate::config::resolve::Layers| {
        let resolved = layers.resolve(None, &crate::config::layer::Layer::default());
        let settled = crate::config::settle::settle(&resolved.expect("right"));
        (settled.judge.model, settled.judge.key_env)
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(model(&layers), (some("mine"), some("MY_KEY")));
    layers.trusted = vec!["judge"];
    assert_eq!(model(&layers), (some("theirs"), some("MY_KEY")));
}

#[test]
fn a_repository_switches_redaction_on_by_itself_and_off_with_trust_alone() {
    let redacts = |user: &str, project: &str, trusted: &[&'static str]| {
        let mut layers = layers(user, project).expect("right");
        layers.trusted = trusted.to_vec();
        let resolved = layers.resolve(None, &crate::config::layer::Layer::default());
        resolved.expect("right").flag("security.redact")
    };
    let (on, off) = ("security: {redact: true}\n", "security: {redact: false}\n");
    assert!(redacts("", off, &[]) && redacts(on, off, &[]) && redacts(on, off, &["judge"]));
    assert!(redacts(off, on, &[]), "who wants more is heard");
    assert!(!redacts(off, "", &[]) && !redacts(on, off, &["redaction"]));
}

#[test]
fn a_repository_may_not_name_a_template_or_a_tokenizer_file() {
    let file =
        "context:\n  formatting: {template: t.j2}\nmodel: {tokenizer: ../t/tokenizer.json}\n";
    assert_snapshot!(wrong(file), @"
    config.yml:2:26: `context.formatting.template` may be set by the user only, not by a repository [set it in the configuration of the user]
    config.yml:3:20: `model.tokenizer` may be set by the user only, not by a repository [set it in the configuration of the user]
    ");
    assert_eq!(told(layers(file, "")), "nothing is wrong");
    assert_eq!(told(layers("", "model: {tokenizer: cl100k_base}\n")), "nothing is wrong");
}

#[test]
fn errors_of_all_layers_are_told_together() {
    let user = "contxt: 1\n";
    let project = "context:\n  enabled: 5\nmodel:\n  nam: x\n";
    assert_snapshot!(told(layers(user, project)), @"
    user.yml:1:1: unknown key `contxt` [the nearest key is `context`]
    config.yml:2:12: `context.enabled` must be `true` or `false`, not `5` [for example `false`]
    config.yml:4:3: unknown key `model.nam` [the nearest key is `model.name`]
    ");
}

/// Looking for the nearest key takes a while for each, and longer for a longer one.
#[test]
fn not_more_is_told_of_a_file_than_anybody_reads() {
    let unknown: String = (0..5_000).map(|number| format!("  chunkin_{number}: 5\n")).collect();
    let told = told(layers("", &format!("context:\n{unknown}")));
    assert_eq!(told.lines().count(), 51, "{told}");
    let last = told.lines().last().unwrap_or_default();
    assert_eq!(last, "config.yml:52:3: more than 50 problems: the rest is not read");
    let long = super::told(layers("", &format!("{}: 5\n", "context_".repeat(100))));
    assert!(long.len() < 500 && long.contains("context_context_"), "{}", long.len());
}

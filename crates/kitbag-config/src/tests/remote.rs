//! Settings of requests over HTTP and MCP.

use super::option;
use crate::table;

/// Every key is on one of these lists: a new one either configures the caller's own pack, or what is
/// disclosed, stored or spent.
#[test]
fn remote_request_only_configures_its_own_pack() {
    let allowed = [
        "context.max_sources",
        "context.strategy_timeout",
        "context.deadline_ms",
        "context.budget.total",
        "context.budget.response_reserve",
        "context.budget.system_reserve",
        "context.budget.instruction_reserve",
        "context.budget.completion_reserve",
        "context.budget.deduct_request",
        "context.budget.categories.<kind>",
        "context.source_priority.<kinds>",
        "context.ranking.relevance_weight",
        "context.ranking.recency_weight",
        "context.ranking.source_weight",
        "context.ranking.order",
        "context.ranking.min_score",
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
        "context.selection.min_chunks",
        "context.selection.balance",
        "context.selection.overflow",
        "context.selection.stop_below",
        "context.selection.pin",
        "context.formatting.format",
        "context.formatting.header",
        "context.formatting.footer",
        "context.formatting.group_by_file",
        "context.formatting.line_numbers",
        "context.formatting.detailed",
        "context.formatting.contents",
        "context.formatting.number_lines",
        "context.formatting.with_task",
        "context.formatting.sections",
        "context.formatting.scores",
        "context.formatting.max_chunks",
        "context.formatting.separator",
        "context.tokenizer.use_exact",
        "context.style.guides",
        "context.providers.<provider>.enabled",
        "context.providers.<provider>.max_items",
        "context.providers.<provider>.max_tokens",
        "context.providers.<provider>.timeout_ms",
        "context.rules.undecided",
        "context.rules.order",
    ];
    let forbidden = [
        // The user's switch, and the threads of the machine.
        "context.enabled",
        "context.max_parallelism",
        // Each way of cutting files has its own index on disk.
        "context.chunking.max_chunk_tokens",
        "context.chunking.min_chunk_tokens",
        "context.chunking.prefer_structural",
        "context.chunking.lines_per_chunk",
        "context.chunking.languages.<language>",
        "context.chunking.max_file_size_bytes",
        "context.chunking.max_parse_time_ms",
        "context.chunking.max_nesting_depth",
        "context.chunking.fallback_on_error",
        // Memory, and the token counts of other tenants.
        "context.deduplication.cache_max_size",
        "context.tokenizer.cache_enabled",
        "context.tokenizer.cache_size",
        "context.tokenizer.timing_mitigation",
        // A file of the repository, which could be disclosed.
        "context.formatting.template",
        // Data on the user's disk.
        "context.cache.enabled",
        "context.record.enabled",
        "context.record.audit",
        "context.record.tasks",
    ];
    let of_context = table::settings().filter(|setting| setting.key.starts_with("context."));
    let (remote, other): (Vec<&str>, Vec<&str>) =
        of_context.map(|it| it.key).partition(|key| allowed.contains(key));
    assert_eq!(remote, allowed);
    assert_eq!(sorted(&other), sorted(&forbidden));
    for (key, setting) in table::keys() {
        let value = setting.other_than_default(&key);
        let errors = |key: &str| {
            let problems = option(key, value.clone(), true).err().unwrap_or_default();
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let mut keys = vec![key.clone()];
        keys.extend(key.strip_prefix("context.").map(|it| format!("context.profiles.agent.{it}")));
        for key in keys {
            let error = format!("`{key}` cannot be set by a request");
            let expected = if allowed.contains(&setting.key) { vec![] } else { vec![error] };
            assert_eq!(errors(&key), expected);
        }
    }
}

fn sorted<'a>(keys: &[&'a str]) -> Vec<&'a str> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys
}

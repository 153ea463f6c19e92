//! What somebody who asks over HTTP or MCP may set.

use super::options;
use crate::config::table;

/// Every key is on one of these lists: who adds one decides whether it shapes the caller's own pack,
/// or what leaves, what is kept, and what it may cost.
#[test]
fn a_remote_caller_sets_only_what_shapes_its_own_pack() {
    let may = [
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
        "context.formatting.format",
        "context.formatting.header",
        "context.formatting.footer",
        "context.formatting.group_by_file",
        "context.formatting.line_numbers",
        "context.formatting.detailed",
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
    let may_not = [
        // The user's switch, and the machine's threads.
        "context.enabled",
        "context.max_parallelism",
        // How files are cut decides the index: another way of cutting is another index on disk.
        "context.chunking.max_chunk_tokens",
        "context.chunking.min_chunk_tokens",
        "context.chunking.prefer_structural",
        "context.chunking.lines_per_chunk",
        "context.chunking.languages.<language>",
        "context.chunking.max_file_size_bytes",
        "context.chunking.max_parse_time_ms",
        "context.chunking.max_nesting_depth",
        "context.chunking.fallback_on_error",
        // Memory, and what others counted.
        "context.deduplication.cache_max_size",
        "context.tokenizer.cache_enabled",
        "context.tokenizer.cache_size",
        "context.tokenizer.timing_mitigation",
        // A file of the repository, whose text would come out.
        "context.formatting.template",
        // What is written to the user's disk.
        "context.cache.enabled",
        "context.record.enabled",
        "context.record.audit",
    ];
    let of_context = table::settings().filter(|setting| setting.key.starts_with("context."));
    let (yes, no): (Vec<&str>, Vec<&str>) =
        of_context.map(|it| it.key).partition(|key| may.contains(key));
    assert_eq!(yes, may);
    assert_eq!(sorted(&no), sorted(&may_not));
    for (key, setting) in table::keys() {
        let value = setting.other_than_default(&key).json();
        let told = |key: &str| {
            let problems = options(key, value.clone(), true).err().unwrap_or_default();
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let mut keys = vec![key.clone()];
        keys.extend(key.strip_prefix("context.").map(|it| format!("context.profiles.agent.{it}")));
        for key in keys {
            let refused = format!("`{key}` cannot be set by a request");
            let expected = if may.contains(&setting.key) { vec![] } else { vec![refused] };
            assert_eq!(told(&key), expected);
        }
    }
}

fn sorted<'a>(keys: &[&'a str]) -> Vec<&'a str> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys
}

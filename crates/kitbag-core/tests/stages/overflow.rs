//! Truncation of the first chunk that does not fit.

use super::request::{cut, file, lines, outcome, pack_with};
use super::select::with_overflow;
use insta::assert_snapshot;
use kitbag_core::{ChunkForm, Overflow, Packed};
use kitbag_text::Source;

fn truncated(sources: Vec<Source>, budget: usize) -> Packed {
    pack_with(sources, budget, &with_overflow(Overflow::Truncate))
}

fn two() -> Vec<Source> {
    vec![file("best.txt", &lines("best", 5), 0.9), file("large.txt", &lines("large", 50), 0.5)]
}

// Shows: AC-059, FR-016-112, ORCH-06
#[test]
fn the_first_chunk_that_does_not_fit_is_truncated_with_a_marker() {
    let packed = truncated(two(), 160);
    assert_snapshot!(outcome(&packed.decision), @"
    in  best.txt full 1-5
    in  large.txt truncated 1-24
    ");
    assert!(packed.decision.total_tokens <= 160);
    let tail = "large 24\n```\n... 26 more lines not shown (truncated) ...\n";
    assert!(packed.text.ends_with(tail), "{}", packed.text);
}

/// One more line would not fit, with the marker counted.
#[test]
fn truncation_uses_the_whole_budget() {
    for budget in 140..180 {
        let packed = truncated(two(), budget);
        let item = &packed.decision.included[1];
        assert_eq!(item.form, ChunkForm::Truncated);
        assert!(packed.decision.total_tokens + 3 >= budget, "{} of {budget}", item.span);
    }
}

#[test]
fn nothing_is_truncated_with_a_hundred_tokens_remaining() {
    let best = truncated(two().into_iter().take(1).collect(), 1_000).decision.total_tokens;
    let included = |budget| truncated(two(), budget).decision.included.len();
    assert_eq!((included(best + 100), included(best + 101)), (1, 2));
}

/// Smaller chunks are added after the truncated one, and only one chunk is truncated.
#[test]
fn chunks_that_fit_after_truncation_are_included() {
    let long = |path: &str, relevance| {
        let line = format!("{path} {}\n", "a long line of many words ".repeat(20));
        file(path, &line.repeat(3), relevance)
    };
    let sources = vec![long("a.txt", 0.9), long("b.txt", 0.8), file("c.txt", "small\n", 0.1)];
    assert_snapshot!(outcome(&truncated(sources, 350).decision), @"
    in  a.txt truncated 1-2
    in  c.txt full 1-1
    out b.txt 1-3 budget: does not fit in the remaining budget
    ");
}

#[test]
fn a_truncated_chunk_does_not_end_with_blank_lines() {
    let content = format!("{}{}", "line\n\n\n".repeat(60), "end\n");
    let packed = truncated(vec![cut("a.txt", &content, &[(1, 181, 0.9)])], 120);
    let shown = packed.decision.included[0].shown[0];
    assert_eq!(shown.end % 3, 1, "{shown}");
    let left = 181 - shown.end;
    assert!(packed.text.contains(&format!("... {left} more lines not shown")), "{}", packed.text);
}

/// The marker does not count lines that another chunk shows.
#[test]
fn the_marker_counts_lines_up_to_the_next_shown() {
    let large = "a line that costs a number of tokens";
    let source = cut("a.txt", &lines(large, 40), &[(1, 38, 0.9), (37, 40, 0.95)]);
    let mut settings = with_overflow(Overflow::Truncate);
    settings.deduplication.overlap_threshold = 0.5;
    let packed = pack_with(vec![source], 250, &settings);
    let end = packed.decision.included[1].shown[0].end;
    let marker = format!("... {} more lines not shown (truncated) ...\n", 36 - end);
    let gap = format!("... lines {}-36 not shown ...\n", end + 1);
    assert!(packed.text.contains(&format!("{marker}{gap}")), "{}", packed.text);
}

/// A Markdown text with a header and equal sections.
fn sectioned(path: &str, count: u32) -> Source {
    let section = |number| format!("## Entry {number}\n\n{}\n", lines("some words here", 8));
    let sections: String = (1..=count).map(section).collect();
    let content = format!("# Problems\n\nThe newest first.\n\n{sections}");
    let rows = content.lines().count() as u32 - 1;
    cut(path, &content, &[(1, rows, 0.9)])
}

fn proportional(sources: Vec<Source>, budget: usize) -> Packed {
    pack_with(sources, budget, &with_overflow(Overflow::Proportional))
}

#[test]
fn a_share_of_the_sections_is_kept_with_the_header() {
    let all = proportional(vec![sectioned("a.md", 6)], 100_000).decision.total_tokens;
    let packed = proportional(vec![sectioned("a.md", 6)], all / 2);
    let text = &packed.text;
    assert!(text.contains("# Problems\n\nThe newest first.\n"), "{text}");
    assert_eq!((text.matches("## Entry").count(), packed.decision.included.len()), (2, 1));
    assert!(
        text.contains("some words here 8\n```\n... 44 more lines not shown (truncated)"),
        "{text}"
    );
    assert_eq!(packed.decision.included[0].form, ChunkForm::Truncated);
}

#[test]
fn code_and_sections_that_do_not_fit_are_truncated_at_a_line() {
    let packed = proportional(vec![sectioned("a.rs", 6)], 200);
    assert!(packed.decision.total_tokens > 180, "{}", packed.text);
    let header = format!("{}## Large\n\n{}", lines("header", 30), lines("body of words", 200));
    let packed = proportional(vec![file("a.md", &header, 0.9)], 250);
    assert!(!packed.text.is_empty() && packed.decision.total_tokens > 200, "{}", packed.text);
}

#[test]
fn a_zero_budget_gives_an_empty_pack() {
    let packed = proportional(vec![sectioned("a.md", 6)], 0);
    assert_eq!((packed.text.as_str(), packed.decision.included.len()), ("", 0));
}

//! The minimum number of chunks, and the share of each kind of source.

use super::request::{file, lines, outcome, pack_with};
use super::select::with_overflow;
use insta::assert_snapshot;
use kitbag_core::{ChunkForm, Overflow, Settings, Share};
use kitbag_text::{Kind, Source};

fn of_kind(kind: Kind, source: Source) -> Source {
    Source { kind, ..source }
}

fn with_min_chunks(min_chunks: usize) -> Settings {
    let mut settings = with_overflow(Overflow::Skip);
    settings.selection.min_chunks = min_chunks;
    settings
}

/// A large chunk and three small ones.
fn large_and_small() -> Vec<Source> {
    let small = |n: u32| file(&format!("{n}.txt"), &lines("small", n), 0.5 - f64::from(n) / 10.0);
    let large = file("large.txt", &lines("large", 30), 0.9);
    [large].into_iter().chain((1..=3).map(small)).collect()
}

// Shows: FR-016-119, FR-016-120
#[test]
fn a_large_chunk_gives_way_to_the_minimum_number_of_chunks() {
    let large = pack_with(large_and_small(), 140, &with_min_chunks(0)).decision;
    assert_snapshot!(outcome(&large), @"
    in  large.txt full 1-30
    out 1.txt 1-1 budget: does not fit in the remaining budget
    out 2.txt 1-2 budget: does not fit in the remaining budget
    out 3.txt 1-3 budget: does not fit in the remaining budget
    ");
    let three = pack_with(large_and_small(), 140, &with_min_chunks(3)).decision;
    assert_snapshot!(outcome(&three), @"
    in  1.txt full 1-1
    in  2.txt full 1-2
    in  3.txt full 1-3
    out large.txt 1-30 budget: does not fit in the remaining budget
    ");
}

#[test]
fn a_large_chunk_is_kept_if_the_minimum_is_still_reached() {
    let decision = pack_with(large_and_small(), 160, &with_min_chunks(2)).decision;
    let paths: Vec<&str> = decision.included.iter().map(|item| item.path.as_str()).collect();
    assert_eq!(paths, ["large.txt", "1.txt"]);
}

#[test]
fn the_budget_takes_precedence_over_the_minimum() {
    let decision = pack_with(large_and_small(), 60, &with_min_chunks(100)).decision;
    assert_eq!(decision.included.len(), 2, "{}", outcome(&decision));
    assert!(decision.total_tokens <= 60);
}

#[test]
fn if_no_chunk_fits_the_best_is_truncated() {
    let source = || vec![file("a.txt", &lines("line", 50), 0.9)];
    let cut = pack_with(source(), 60, &with_min_chunks(1)).decision;
    assert_eq!(cut.included.len(), 1);
    assert_eq!(cut.included[0].form, ChunkForm::Truncated);
    assert!(pack_with(source(), 60, &with_min_chunks(0)).decision.included.is_empty());
    let empty = pack_with(source(), 10, &with_min_chunks(1));
    assert_eq!((empty.text.as_str(), empty.decision.included.len()), ("", 0));
}

fn with_share(kind: Kind, share: Share) -> Settings {
    let mut settings = with_overflow(Overflow::Skip);
    settings.budget.categories[kind.index()] = Some(share);
    settings
}

/// Three tool results and an open file of the same size.
fn kinds() -> Vec<Source> {
    let output = |n: u32| {
        let source =
            file(&format!("out{n}"), &lines(&format!("run {n}"), 20), 1.0 - f64::from(n) / 10.0);
        of_kind(Kind::ToolResult, source)
    };
    let open = file("open.txt", &lines("open it", 20), 0.1);
    (1..=3).map(output).chain([open]).collect()
}

// Shows: FR-016-86, FR-016-87
#[test]
fn a_kind_is_limited_to_its_share() {
    let all = pack_with(kinds(), 100_000, &with_overflow(Overflow::Skip)).decision;
    assert_eq!(all.included.len(), 4);
    for share in [Share::Tokens(300), Share::Fraction(0.3)] {
        let decision = pack_with(kinds(), 1_000, &with_share(Kind::ToolResult, share)).decision;
        insta::allow_duplicates! {
            assert_snapshot!(outcome(&decision), @"
            in  out1 full 1-20
            in  out2 full 1-20
            in  open.txt full 1-20
            out out3 1-20 budget: does not fit in the remaining budget for `tool_result`, which is limited to 300 tokens
            ");
        }
        let outputs = decision.included.iter().filter(|item| item.kind == Kind::ToolResult);
        assert!(outputs.map(|item| item.tokens).sum::<usize>() <= 300);
    }
}

#[test]
fn a_chunk_is_truncated_to_the_remaining_share_of_its_kind() {
    let mut settings = with_share(Kind::ToolResult, Share::Tokens(260));
    settings.selection.overflow = Overflow::Truncate;
    let decision = pack_with(kinds(), 1_000, &settings).decision;
    let forms: Vec<&str> = decision.included.iter().map(|item| item.form.as_str()).collect();
    assert_eq!(forms, ["full", "truncated", "full"], "{}", outcome(&decision));
}

// Shows: FR-016-115, FR-016-116
#[test]
fn kinds_take_turns_when_balanced() {
    let mut settings = with_overflow(Overflow::Skip);
    let paths = |settings: &Settings| {
        let decision = pack_with(kinds(), 300, settings).decision;
        decision.included.into_iter().map(|item| item.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(&settings), ["out1", "out2"]);
    settings.selection.balance = true;
    assert_eq!(paths(&settings), ["out1", "open.txt"]);
}

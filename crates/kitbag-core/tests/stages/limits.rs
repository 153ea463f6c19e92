//! How many chunks there are at the least, and how much each kind of source may have.

use super::request::{file, lines, outcome, pack_with};
use super::select::with_overflow;
use insta::assert_snapshot;
use kitbag_core::{Form, Overflow, Settings, Share};
use kitbag_text::{Kind, Source};

fn of_kind(kind: Kind, source: Source) -> Source {
    Source { kind, ..source }
}

fn least(min_chunks: usize) -> Settings {
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
fn a_large_chunk_makes_room_for_the_least_number() {
    let large = pack_with(large_and_small(), 140, &least(0)).decision;
    assert_snapshot!(outcome(&large), @"
    in  large.txt full 1-30
    out 1.txt 1-1 budget: does not fit what is left of 140 tokens
    out 2.txt 1-2 budget: does not fit what is left of 140 tokens
    out 3.txt 1-3 budget: does not fit what is left of 140 tokens
    ");
    let three = pack_with(large_and_small(), 140, &least(3)).decision;
    assert_snapshot!(outcome(&three), @"
    in  1.txt full 1-1
    in  2.txt full 1-2
    in  3.txt full 1-3
    out large.txt 1-30 budget: does not fit what is left of 140 tokens
    ");
}

/// The large chunk stays as long as the others fit beside it.
#[test]
fn rank_decides_as_long_as_the_least_number_is_reached() {
    let decision = pack_with(large_and_small(), 160, &least(2)).decision;
    let paths: Vec<&str> = decision.included.iter().map(|item| item.path.as_str()).collect();
    assert_eq!(paths, ["large.txt", "1.txt"]);
}

/// The budget wins over the number.
#[test]
fn as_many_as_fit_are_in_where_the_least_number_does_not() {
    let decision = pack_with(large_and_small(), 60, &least(100)).decision;
    assert_eq!(decision.included.len(), 2, "{}", outcome(&decision));
    assert!(decision.total_tokens <= 60);
}

#[test]
fn where_not_even_one_fits_the_best_is_cut() {
    let source = || vec![file("a.txt", &lines("line", 50), 0.9)];
    let cut = pack_with(source(), 60, &least(1)).decision;
    assert_eq!(cut.included.len(), 1);
    assert_eq!(cut.included[0].form, Form::Truncated);
    assert!(pack_with(source(), 60, &least(0)).decision.included.is_empty());
    let empty = pack_with(source(), 10, &least(1));
    assert_eq!((empty.text.as_str(), empty.decision.included.len()), ("", 0));
}

fn with_share(kind: Kind, share: Share) -> Settings {
    let mut settings = with_overflow(Overflow::Skip);
    settings.budget.categories[kind.index()] = Some(share);
    settings
}

/// Three tool results and an open file, all of a size.
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
fn a_kind_has_no_more_than_its_category_allows() {
    let all = pack_with(kinds(), 100_000, &with_overflow(Overflow::Skip)).decision;
    assert_eq!(all.included.len(), 4);
    for share in [Share::Tokens(300), Share::Part(0.3)] {
        let decision = pack_with(kinds(), 1_000, &with_share(Kind::ToolResult, share)).decision;
        insta::allow_duplicates! {
            assert_snapshot!(outcome(&decision), @"
            in  out1 full 1-20
            in  out2 full 1-20
            in  open.txt full 1-20
            out out3 1-20 budget: does not fit what is left of 300 tokens for `tool_result`
            ");
        }
        let outputs = decision.included.iter().filter(|item| item.kind == Kind::ToolResult);
        assert!(outputs.map(|item| item.tokens).sum::<usize>() <= 300);
    }
}

#[test]
fn a_chunk_is_cut_to_what_its_category_has_left() {
    let mut settings = with_share(Kind::ToolResult, Share::Tokens(260));
    settings.selection.overflow = Overflow::Truncate;
    let decision = pack_with(kinds(), 1_000, &settings).decision;
    let forms: Vec<&str> = decision.included.iter().map(|item| item.form.name()).collect();
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

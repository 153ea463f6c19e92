//! What repeats, and who wins.

use super::request::{cut, file, lines, outcome, pack_with, pack_within};
use insta::assert_snapshot;
use kitbag_core::{Dedup, Settings};
use kitbag_text::{Source, Text};
use std::sync::Arc;

fn decided(sources: Vec<Source>) -> String {
    outcome(&pack_within(sources, 100_000).decision)
}

// Shows: AC-096 to AC-099, FR-016-91, FR-016-92, FR-016-94, FR-016-95, FR-016-98, FR-016-104
#[test]
fn the_best_of_two_copies_stays_and_is_named() {
    let sources = vec![file("low.txt", "same\n", 0.2), file("high.txt", "same\n", 0.9)];
    assert_snapshot!(decided(sources), @"
    in  high.txt full 1-1
    out low.txt 1-1 duplicate: the same content as high.txt:1-1
    ");
}

// Shows: AC-100
#[test]
fn white_space_does_not_make_a_difference() {
    let sources =
        vec![file("a.txt", "if x {\n  y\n}\n", 0.9), file("b.txt", "if x{\r\n\ty }", 0.5)];
    assert_snapshot!(decided(sources), @"
    in  a.txt full 1-3
    out b.txt 1-2 duplicate: the same content as a.txt:1-3
    ");
}

// Shows: AC-101, AC-103, AC-104, FR-016-96, FR-016-97
#[test]
fn an_overlap_of_three_tenths_is_a_repeat() {
    let sources = vec![cut("a.txt", &lines("line", 20), &[(1, 10, 0.9), (8, 17, 0.5)])];
    assert_snapshot!(decided(sources), @"
    in  a.txt full 1-10
    out a.txt 8-17 overlap: overlaps a.txt:1-10
    ");
}

/// What overlaps less is in, and its shared lines stand in the text once.
// Shows: AC-105, NFR-016-32
#[test]
fn a_smaller_overlap_is_not() {
    let sources = vec![cut("a.txt", &lines("line", 20), &[(1, 10, 0.9), (9, 18, 0.5)])];
    let packed = pack_within(sources, 100_000);
    assert_snapshot!(outcome(&packed.decision), @"
    in  a.txt full 1-10
    in  a.txt full 9-18
    ");
    assert_eq!(packed.text.matches("line 9\n").count(), 1);
    assert!(packed.text.starts_with("### a.txt (lines 1-18)\n"), "{}", packed.text);
}

/// Whoever is dropped cannot win: the copy of an overlapping chunk is shown in its place.
#[test]
fn a_copy_of_a_chunk_that_is_dropped_stays() {
    let all = lines("line", 14);
    let tail: String = all.split_inclusive('\n').skip(4).collect();
    let sources =
        vec![cut("a.txt", &all, &[(1, 10, 0.9), (5, 14, 0.5)]), file("b.txt", &tail, 0.1)];
    assert_snapshot!(decided(sources), @"
    in  a.txt full 1-10
    in  b.txt full 1-10
    out a.txt 5-14 overlap: overlaps a.txt:1-10
    ");
}

/// One of them stays.
// Shows: FR-016-93, FR-016-102, NFR-016-31, NFR-016-38
#[test]
fn all_duplicates_leave_one() {
    let sources =
        (1..=4).map(|n| file(&format!("{n}.txt"), "same\n", f64::from(n) / 10.0)).collect();
    assert_snapshot!(decided(sources), @"
    in  4.txt full 1-1
    out 3.txt 1-1 duplicate: the same content as 4.txt:1-1
    out 2.txt 1-1 duplicate: the same content as 4.txt:1-1
    out 1.txt 1-1 duplicate: the same content as 4.txt:1-1
    ");
}

/// The same file from two providers is one file.
// Shows: FR-016-104
#[test]
fn identical_sources_are_shown_once() {
    let sources = vec![file("a.txt", "one\n", 0.5), file("a.txt", "one\n", 0.7)];
    let packed = pack_within(sources, 100_000);
    assert_eq!(packed.text.matches("one\n").count(), 1);
    assert_eq!((packed.decision.stats.files, packed.decision.stats.duplicates), (1, 1));
}

/// A part of a CRLF file that was cut before its last line ending is still that file.
#[test]
fn a_part_without_its_last_line_ending_agrees_with_its_file() {
    let whole = file("a.txt", "one\r\ntwo\r\nsix\r\n", 0.5);
    let mut part = file("a.txt", "", 0.9);
    part.text = Arc::new(Text::part("one\r\ntwo", 1));
    let packed = pack_within(vec![part, whole], 100_000);
    assert_eq!(packed.decision.stats.files, 1);
    assert_eq!(packed.text.matches("two").count(), 1, "{}", packed.text);
}

#[test]
fn deduplication_can_be_switched_off() {
    let dedup = Dedup { exact: false, overlap: false, ..Dedup::default() };
    let sources = vec![file("a.txt", "same\n", 0.5), file("b.txt", "same\n", 0.4)];
    let packed = pack_with(sources, 100_000, &Settings { dedup, ..Settings::default() });
    assert_eq!((packed.decision.included.len(), packed.decision.excluded.len()), (2, 0));
}

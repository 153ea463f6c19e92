//! Deduplication: which chunks are duplicates, and which are kept.

use super::request::{cut, file, lines, outcome, pack_with, pack_within};
use insta::assert_snapshot;
use kitbag_core::{Decision, DeduplicationSettings, MergedOrigin, Settings};
use kitbag_text::{Kind, Source, Span, Text};
use std::sync::Arc;

fn decided(sources: Vec<Source>) -> String {
    outcome(&pack_within(sources, 100_000).decision)
}

// Shows: AC-096 to AC-099, FR-016-91, FR-016-92, FR-016-94, FR-016-95, FR-016-98, FR-016-104
#[test]
fn the_better_of_two_duplicates_is_kept_and_named() {
    let sources = vec![file("low.txt", "same\n", 0.2), file("high.txt", "same\n", 0.9)];
    assert_snapshot!(decided(sources), @"
    in  high.txt full 1-1
    out low.txt 1-1 duplicate: same content as high.txt:1-1
    ");
}

// Shows: AC-100
#[test]
fn whitespace_is_ignored() {
    let sources =
        vec![file("a.txt", "if x {\n  y\n}\n", 0.9), file("b.txt", "if x{\r\n\ty }", 0.5)];
    assert_snapshot!(decided(sources), @"
    in  a.txt full 1-3
    out b.txt 1-2 duplicate: same content as a.txt:1-3
    ");
}

// Shows: AC-101, AC-103, AC-104, FR-016-96, FR-016-97
#[test]
fn an_overlap_of_three_tenths_is_excluded() {
    let sources = vec![cut("a.txt", &lines("line", 20), &[(1, 10, 0.9), (8, 17, 0.5)])];
    assert_snapshot!(decided(sources), @"
    in  a.txt full 1-10
    out a.txt 8-17 overlap: overlaps a.txt:1-10
    ");
}

/// A smaller overlap is included, with its shared lines shown once.
// Shows: AC-105, NFR-016-32
#[test]
fn a_smaller_overlap_is_included() {
    let sources = vec![cut("a.txt", &lines("line", 20), &[(1, 10, 0.9), (9, 18, 0.5)])];
    let packed = pack_within(sources, 100_000);
    assert_snapshot!(outcome(&packed.decision), @"
    in  a.txt full 1-10
    in  a.txt full 9-18
    ");
    assert_eq!(packed.text.matches("line 9\n").count(), 1);
    assert!(packed.text.starts_with("### a.txt (lines 1-18)\n"), "{}", packed.text);
}

/// An excluded chunk cannot win over its own duplicates.
#[test]
fn a_duplicate_of_an_excluded_chunk_is_included() {
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

// Shows: FR-016-93, FR-016-102, NFR-016-31, NFR-016-38
#[test]
fn one_of_many_duplicates_is_kept() {
    let sources =
        (1..=4).map(|n| file(&format!("{n}.txt"), "same\n", f64::from(n) / 10.0)).collect();
    assert_snapshot!(decided(sources), @"
    in  4.txt full 1-1
    out 3.txt 1-1 duplicate: same content as 4.txt:1-1
    out 2.txt 1-1 duplicate: same content as 4.txt:1-1
    out 1.txt 1-1 duplicate: same content as 4.txt:1-1
    ");
}

/// The same file from two providers counts once.
// Shows: FR-016-104
#[test]
fn identical_sources_are_shown_once() {
    let sources = vec![file("a.txt", "one\n", 0.5), file("a.txt", "one\n", 0.7)];
    let packed = pack_within(sources, 100_000);
    assert_eq!(packed.text.matches("one\n").count(), 1);
    let stats = packed.decision.stats;
    assert_eq!((stats.files, stats.sources, stats.merged_sources), (1, 2, 1));
}

/// A part of a CRLF file without its last line ending still belongs to that file.
#[test]
fn a_part_without_its_last_line_ending_agrees_with_its_file() {
    let whole = file("a.txt", "one\r\ntwo\r\nsix\r\n", 0.5);
    let mut part = file("a.txt", "", 0.9);
    part.text = Arc::new(Text::with_first_line("one\r\ntwo", 1));
    let packed = pack_within(vec![part, whole], 100_000);
    assert_eq!(packed.decision.stats.files, 1);
    assert_eq!(packed.text.matches("two").count(), 1, "{}", packed.text);
}

#[test]
fn deduplication_can_be_disabled() {
    let deduplication =
        DeduplicationSettings { enabled: false, ..DeduplicationSettings::default() };
    let sources = vec![file("a.txt", "same\n", 0.5), file("b.txt", "same\n", 0.4)];
    let packed = pack_with(sources, 100_000, &Settings { deduplication, ..Settings::default() });
    assert_eq!((packed.decision.included.len(), packed.decision.excluded.len()), (2, 0));
}

fn decided_with(sources: Vec<Source>, change: impl FnOnce(&mut DeduplicationSettings)) -> Decision {
    let mut settings = Settings::default();
    change(&mut settings.deduplication);
    pack_with(sources, 100_000, &settings).decision
}

// Shows: FR-016-104
#[test]
fn identical_sources_keep_the_best_kind_and_list_the_others() {
    let mut open = file("a.txt", "one\ntwo\n", 0.5);
    open.timestamp = Some(9);
    let mut found = file("a.txt", "one \n two", 0.7);
    found.kind = Kind::SearchResult;
    let decision = decided_with(vec![found.clone(), open.clone()], |_| {});
    let [item] = decision.included.as_slice() else { panic!("{decision:?}") };
    assert_eq!((item.kind, item.factors.relevance), (Kind::OpenFile, 0.7));
    let origin = MergedOrigin {
        path: "a.txt".into(),
        span: Span::new(1, 2),
        kind: Kind::SearchResult,
        from: None,
    };
    assert_eq!((item.merged_from.as_slice(), decision.excluded.len()), (&[origin][..], 0));
    let apart = decided_with(vec![found, open], |dedup| dedup.content_hash_enabled = false);
    assert_eq!((apart.stats.merged_sources, apart.stats.files), (0, 2));
}

#[test]
fn duplicates_are_kept_without_content_hashes() {
    let sources = || vec![file("a.txt", "same\n", 0.5), file("b.txt", "same\n", 0.4)];
    let decision = decided_with(sources(), |dedup| dedup.content_hash_enabled = false);
    assert_eq!(decision.included.len(), 2);
    let forgetful = decided_with(sources(), |dedup| dedup.cache_max_size = 0);
    assert_eq!(forgetful.included.len(), 2, "nothing is remembered");
}

#[test]
fn overlaps_are_kept_without_overlap_detection() {
    let sources = vec![cut("a.txt", &lines("line", 20), &[(1, 10, 0.9), (5, 14, 0.5)])];
    let decision = decided_with(sources, |dedup| dedup.overlap_detection_enabled = false);
    assert_eq!(decision.included.len(), 2);
}

#[test]
fn whitespace_and_case_are_compared_when_configured() {
    let spaced = || vec![file("a.txt", "if x {\n", 0.5), file("b.txt", "if  x {\n", 0.4)];
    assert_eq!(decided_with(spaced(), |_| {}).included.len(), 1);
    let exact = decided_with(spaced(), |dedup| dedup.normalize_whitespace = false);
    assert_eq!(exact.included.len(), 2);
    let cased = || vec![file("a.txt", "Same Thing\n", 0.5), file("b.txt", "same thing\n", 0.4)];
    assert_eq!(decided_with(cased(), |_| {}).included.len(), 2);
    assert_eq!(decided_with(cased(), |dedup| dedup.case_sensitive = false).included.len(), 1);
}

#[test]
fn comments_are_ignored_when_configured() {
    let plain = "fn open() {\n    step(\"// no comment\");\n}\n";
    let noted = "// Opens.\nfn open() {\n    step(\"// no comment\"); // now\n}\n";
    let other = "fn open() {\n    step(\"// another\");\n}\n";
    let sources =
        || vec![file("a.rs", plain, 0.9), file("b.rs", noted, 0.5), file("c.rs", other, 0.1)];
    assert_eq!(decided_with(sources(), |_| {}).included.len(), 3);
    let decision = decided_with(sources(), |dedup| dedup.ignore_comments = true);
    assert_snapshot!(outcome(&decision), @"
    in  a.rs full 1-3
    in  c.rs full 1-3
    out b.rs 1-4 duplicate: same content as a.rs:1-3
    ");
}

#[test]
fn chunks_with_only_comments_are_compared_by_their_comments() {
    let sources = vec![file("a.rs", "// one\n", 0.9), file("b.rs", "// two\n", 0.5)];
    let decision = decided_with(sources, |dedup| dedup.ignore_comments = true);
    assert_eq!(decision.included.len(), 2);
}

// Shows: ORCH-03
#[test]
fn near_duplicates_are_excluded_when_configured() {
    let words = |last: &str| format!("one two three four five six seven eight nine ten {last}\n");
    let sources = || {
        let near = file("near.txt", &words("eleven twelve"), 0.5);
        vec![file("best.txt", &words("eleven"), 0.9), near, file("far.txt", "eleven twelve\n", 0.1)]
    };
    assert_eq!(decided_with(sources(), |_| {}).included.len(), 3, "off by default");
    let decision = decided_with(sources(), |dedup| dedup.near_enabled = true);
    assert_snapshot!(outcome(&decision), @"
    in  best.txt full 1-1
    in  far.txt full 1-1
    out near.txt 1-1 near_duplicate: nearly the same words as best.txt:1-1
    ");
    assert_eq!(decision.stats.near_duplicates, 1);
    let strict = decided_with(sources(), |dedup| {
        dedup.near_enabled = true;
        dedup.near_threshold = 0.95;
    });
    assert_eq!(strict.included.len(), 3);
}

fn merging(dedup: &mut DeduplicationSettings) {
    dedup.merge_overlaps = true;
}

// Shows: FR-016-99, FR-016-100, FR-016-101
#[test]
fn overlapping_chunks_are_merged_with_the_better_rank() {
    let sources = vec![cut("a.txt", &lines("line", 30), &[(11, 20, 0.5), (5, 14, 0.9)])];
    let decision = decided_with(sources, merging);
    let [item] = decision.included.as_slice() else { panic!("{decision:?}") };
    assert_eq!((item.span, item.factors.relevance), (Span::new(5, 20), 0.9));
    let origin = MergedOrigin {
        path: "a.txt".into(),
        span: Span::new(11, 20),
        kind: Kind::OpenFile,
        from: None,
    };
    assert_eq!((item.merged_from.as_slice(), decision.excluded.len()), (&[origin][..], 0));
    assert_eq!(item.tokens, 64, "four tokens a line");
}

/// A chunk that overlaps two others merges all three into the best of them.
#[test]
fn a_chunk_that_overlaps_two_others_merges_all_three() {
    let pieces = [(1, 10, 0.5), (21, 30, 0.9), (8, 23, 0.1)];
    let mut settings = Settings::default();
    settings.deduplication.merge_overlaps = true;
    settings.deduplication.overlap_threshold = 0.1;
    let sources = vec![cut("a.txt", &lines("line", 30), &pieces)];
    let decision = pack_with(sources, 100_000, &settings).decision;
    assert_snapshot!(outcome(&decision), @"in  a.txt full 1-30");
    assert_eq!(decision.included[0].factors.relevance, 0.9);
    assert_eq!(decision.included[0].merged_from.len(), 2);
}

#[test]
fn overlaps_above_the_maximum_chunk_size_are_not_merged() {
    let sources = vec![cut("a.txt", &lines("line", 30), &[(5, 14, 0.9), (11, 20, 0.5)])];
    let mut settings = Settings::default();
    settings.deduplication.merge_overlaps = true;
    settings.chunking.max_chunk_tokens = 40;
    assert_snapshot!(outcome(&pack_with(sources, 100_000, &settings).decision), @"
    in  a.txt full 5-14
    out a.txt 11-20 overlap: overlaps a.txt:5-14
    ");
}

//! One candidate per place, pins, and the end of the search.

use super::request::{NOW, cut, file, lines, outcome, pack_with};
use insta::assert_snapshot;
use kitbag_core::{Overflow, Settings};
use kitbag_text::{Kind, Provenance, Source, Text};
use std::sync::Arc;

/// The same source, as a provider returns it.
fn by(provider: &str, kind: Kind, source: Source) -> Source {
    let from = Provenance { provider: provider.to_owned(), ..Provenance::default() };
    Source { kind, from: Some(Arc::new(from)), ..source }
}

fn found(source: Source) -> Source {
    by("search", Kind::SearchResult, source)
}

fn open(path: &str, content: &str) -> Source {
    let source = by("open_files", Kind::OpenFile, file(path, content, 0.0));
    Source { relevance: None, ..source }
}

fn named(path: &str, first: u32, content: &str) -> Source {
    let text = Arc::new(Text::with_first_line(content, first));
    let source = by("references", Kind::Reference, Source::new(path, Kind::Reference, text));
    Source { is_given: true, ..source }
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.selection.pin = true;
    settings.chunking.lines_per_chunk = 20;
    settings.chunking.min_chunk_tokens = 0;
    settings
}

/// An open file that the search found too has the kind of an open file and the relevance that the
/// search measured, in the parts that the search cut.
#[test]
fn an_open_file_keeps_its_kind_and_takes_the_relevance_of_the_search() {
    let content = lines("login fails", 20);
    let sources = vec![
        open("a.txt", &content),
        found(cut("a.txt", &content, &[(1, 5, 0.2), (6, 10, 0.7)])),
        found(cut("b.txt", &lines("other", 5), &[(1, 5, 0.7)])),
    ];
    let decision = pack_with(sources, 10_000, &settings()).decision;
    assert_snapshot!(outcome(&decision), @"
    in  a.txt full 6-10
    in  b.txt full 1-5
    in  a.txt full 1-5
    in  a.txt full 11-20
    out a.txt 6-10 duplicate: same content as a.txt:6-10
    out a.txt 1-5 duplicate: same content as a.txt:1-5
    ");
    let first = &decision.included[0];
    assert_eq!((first.kind, first.factors.relevance), (Kind::OpenFile, 0.7));
    let rest = &decision.included[3];
    assert_eq!(rest.factors.relevance, 0.2, "at most that of the worst part that was found");
    assert_eq!(decision.excluded[0].from.as_ref().map(|it| it.provider.as_str()), Some("search"));
    assert_eq!(decision.stats.duplicates, 2);
}

#[test]
fn copies_have_the_latest_time() {
    let content = lines("login", 3);
    let mut opened = open("a.txt", &content);
    opened.timestamp = Some(NOW);
    let sources = vec![found(cut("a.txt", &content, &[(1, 3, 0.5)])), opened];
    let decision = pack_with(sources, 10_000, &settings()).decision;
    assert_eq!(decision.included.len(), 1);
    assert_eq!(decision.included[0].factors.recency, 1.0);
}

#[test]
fn a_named_range_is_part_of_what_was_found() {
    let content = lines("login", 12);
    let range: String = content.lines().skip(3).take(3).map(|line| format!("{line}\n")).collect();
    let sources = vec![found(cut("a.txt", &content, &[(1, 12, 0.6)])), named("a.txt", 4, &range)];
    let packed = pack_with(sources, 10_000, &settings());
    assert_snapshot!(outcome(&packed.decision), @"
    in  a.txt full 4-6
    in  a.txt full 1-3
    in  a.txt full 7-12
    out a.txt 4-6 duplicate: same content as a.txt:4-6
    ");
    let first = &packed.decision.included[0];
    assert_eq!((first.is_pinned, first.kind), (true, Kind::SearchResult), "the best kind");
    assert_eq!(first.factors.relevance, 0.6);
    assert!(packed.text.starts_with("### a.txt (lines 1-12)\n"), "{}", packed.text);
}

#[test]
fn tool_output_is_not_merged_with_lines_of_a_file() {
    let content = lines("login", 4);
    let output = by("tool_results", Kind::ToolResult, file("a.txt", &content, 0.9));
    let mut settings = settings();
    settings.deduplication.content_hash_enabled = false;
    settings.deduplication.overlap_threshold = 1.0;
    let sources = vec![output, found(cut("a.txt", &content, &[(2, 3, 0.9)]))];
    let decision = pack_with(sources, 10_000, &settings).decision;
    assert_snapshot!(outcome(&decision), @"
    in  a.txt full 1-4
    out a.txt 2-3 overlap: overlaps a.txt:1-4
    ");
    assert_eq!(decision.included[0].kind, Kind::ToolResult);
}

/// The cursor is in the document, and two parts of the document have nearly the same words.
#[test]
fn a_position_is_part_of_its_document() {
    let body = "check the user, the password and the session before login\n".repeat(4);
    let content = format!("one {body}\ntwo {body}");
    let document =
        by("document", Kind::Document, cut("a.txt", &content, &[(1, 4, 1.0), (6, 9, 0.9)]));
    let lines: String = content.lines().skip(1).take(7).map(|line| format!("{line}\n")).collect();
    let text = Arc::new(Text::with_first_line(lines, 2));
    let around = by("cursor", Kind::Cursor, Source::new("a.txt", Kind::Cursor, text));
    let around = Source { relevance: Some(1.0), ..around };
    let mut settings = settings();
    settings.deduplication.near_enabled = true;
    settings.deduplication.content_hash_enabled = false;
    let decision = pack_with(vec![document, around], 10_000, &settings).decision;
    assert_snapshot!(outcome(&decision), @"
    in  a.txt full 1-5
    in  a.txt full 6-9
    out a.txt 2-8 overlap: overlaps a.txt:1-4
    ");
}

fn pinned_and_found() -> Vec<Source> {
    vec![
        found(cut("best.txt", &lines("best", 30), &[(1, 30, 0.9)])),
        named("named.txt", 1, &lines("no word of the task", 60)),
    ]
}

#[test]
fn what_the_caller_names_goes_in_first() {
    let decision = pack_with(pinned_and_found(), 600, &settings()).decision;
    assert_snapshot!(outcome(&decision), @"
    in  named.txt full 1-20
    in  named.txt full 21-40
    in  named.txt full 41-60
    out best.txt 1-30 budget: does not fit in the remaining budget
    ");
    let unpinned = pack_with(pinned_and_found(), 600, &Settings::default()).decision;
    assert_eq!(unpinned.included[0].path, "best.txt");
    assert!(!unpinned.included.iter().any(|item| item.is_pinned));
}

#[test]
fn the_most_relevant_parts_of_what_does_not_fit_go_in() {
    let content = lines("unrelated words", 40) + &lines("why does login fail", 20);
    let mut settings = settings();
    for overflow in [Overflow::Skip, Overflow::Outline, Overflow::Truncate] {
        settings.selection.overflow = overflow;
        let sources = vec![
            named("named.txt", 1, &content),
            found(cut("best.txt", &lines("best", 9), &[(1, 9, 0.9)])),
        ];
        let decision = pack_with(sources, 190, &settings).decision;
        let first = &decision.included[0];
        assert_eq!((first.path.as_str(), first.span.start), ("named.txt", 41), "{overflow:?}");
        assert!(decision.excluded.iter().any(|out| out.is_pinned), "{overflow:?}");
    }
}

fn results() -> Vec<Source> {
    let pieces = [(1, 5, 0.5), (6, 10, 0.04), (11, 15, 0.01), (16, 20, 0.002)];
    vec![found(cut("a.txt", &lines("line", 20), &pieces))]
}

#[test]
fn the_search_ends_where_nothing_is_likely_to_matter() {
    let mut settings = settings();
    settings.selection.stop_below = Some(0.02);
    let decision = pack_with(results(), 10_000, &settings).decision;
    assert_snapshot!(outcome(&decision), @"
    in  a.txt full 1-5
    in  a.txt full 6-10
    out a.txt 11-15 below_stop: its relevance of 0.010 is below 0.02
    out a.txt 16-20 below_stop: its relevance of 0.002 is below 0.02
    ");
    settings.selection.min_chunks = 3;
    let decision = pack_with(results(), 10_000, &settings).decision;
    assert_eq!(decision.included.len(), 3, "the minimum is guaranteed");
    settings.selection.stop_below = None;
    assert_eq!(pack_with(results(), 10_000, &settings).decision.included.len(), 4);
}

#[test]
fn a_task_without_a_strong_result_gets_a_small_pack() {
    let mut settings = settings();
    settings.selection.stop_below = Some(0.004);
    let content = lines("a line with a few more words", 100);
    let pieces = |best: f64| [(1, 25, best), (26, 50, 0.08), (51, 75, 0.05), (76, 100, 0.001)];
    let pack = |best: f64, settings: &Settings| {
        pack_with(vec![found(cut("a.txt", &content, &pieces(best)))], 10_000, settings).decision
    };
    assert_snapshot!(outcome(&pack(0.09, &settings)), @"
    in  a.txt full 1-25
    out a.txt 26-50 below_stop: its relevance is 0.080, and of results below 0.1 at most 400 tokens are included
    out a.txt 51-75 below_stop: its relevance is 0.050, and of results below 0.1 at most 400 tokens are included
    out a.txt 76-100 below_stop: its relevance of 0.001 is below 0.004
    ");
    assert_eq!(pack(0.2, &settings).included.len(), 3, "one strong result");
    settings.selection.stop_below = None;
    assert_eq!(pack(0.09, &settings).included.len(), 4, "the budget is filled");
}

#[test]
fn the_end_of_the_search_affects_nothing_else() {
    let mut settings = settings();
    (settings.selection.stop_below, settings.selection.pin) = (Some(1.0), false);
    let content = lines("irrelevant", 3);
    let given = |path: &str| Source { is_given: true, ..found(file(path, &content, 0.0)) };
    let sources = vec![
        given("given.txt"),
        open("open.txt", &lines("nothing", 3)),
        named("named.txt", 1, &lines("neither", 3)),
        open("both.txt", &lines("known", 3)),
        found(cut("both.txt", &lines("known", 3), &[(1, 3, 0.1)])),
    ];
    let decision = pack_with(sources, 10_000, &settings).decision;
    assert_eq!(decision.included.len(), 4, "{}", outcome(&decision));
}

/// Each blank line that the text shows belongs to the chunk before it.
#[test]
fn blank_lines_between_two_chunks_are_reported() {
    let content = "one\n\n  \ntwo\n\nthree\nfour\n";
    let source = cut("a.txt", content, &[(1, 1, 0.9), (4, 4, 0.5), (7, 7, 0.4)]);
    let decision = pack_with(vec![source], 10_000, &Settings::default()).decision;
    assert_snapshot!(outcome(&decision), @"
    in  a.txt full 1-3
    in  a.txt full 4-4
    in  a.txt full 7-7
    ");
    assert_eq!(decision.included[0].text, "one\n\n  \n");
}

/// The signature alone costs less than the header above it.
#[test]
fn an_outline_of_a_few_tokens_is_not_shown() {
    let content = format!("fn a() {{\n{}}}\n", lines("    step", 60));
    let source = cut("a.rs", &content, &[(1, 62, 0.9)]);
    let source = super::request::with(source, &[(None, &[(1, 1)])]);
    let decision = pack_with(vec![source], 100, &Settings::default()).decision;
    assert_eq!(decision.included.len(), 0, "{}", outcome(&decision));
}

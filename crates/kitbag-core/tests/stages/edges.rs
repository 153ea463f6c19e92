//! Edge cases: empty input, limits, and cancellation.

use super::request::{COUNTING, cut, file, lines, outcome, pack_with, pack_within, try_pack, with};
use insta::assert_snapshot;
use kitbag_core::{
    Cancel, Cancelled, Job, Observer, PackError, Settings, SettingsError, Stage, Weights, pack,
};
use kitbag_text::Source;

// Shows: AC-016, NFR-016-36, ORCH-10, FMT-01
#[test]
fn no_sources_give_an_empty_pack() {
    let packed = pack_within(Vec::new(), 1_000);
    assert_eq!((packed.text.as_str(), packed.decision.total_tokens), ("", 0));
    assert!(packed.decision.included.is_empty() && packed.decision.excluded.is_empty());
}

// Shows: AC-045, AC-120
#[test]
fn empty_and_blank_sources_are_reported_as_empty() {
    let sources =
        vec![file("empty.txt", "", 0.9), file("blank.txt", " \n\t\n", 0.9), file("a", "b\n", 0.1)];
    assert_snapshot!(outcome(&pack_within(sources, 1_000).decision), @"
    in  a full 1-1
    out empty.txt - empty: no content
    out blank.txt - empty: no content
    ");
}

#[test]
fn an_unparsable_source_is_excluded_without_the_line_fallback() {
    let mut settings = Settings::default();
    settings.chunking.max_file_bytes = 10;
    let sources = || vec![file("a.rs", "fn one() {}\nfn two() {}\n", 0.9), file("b", "b\n", 0.1)];
    let by_lines = pack_with(sources(), 1_000, &settings);
    assert_eq!(by_lines.decision.included.len(), 2);
    settings.chunking.fallback_on_error = false;
    assert_snapshot!(outcome(&pack_with(sources(), 1_000, &settings).decision), @"
    in  b full 1-1
    out a.rs - unparsed: cannot be parsed, and splitting by lines is disabled
    ");
}

// Shows: AC-126, NFR-016-40
#[test]
fn a_cancelled_request_is_not_packed() {
    let cancel = Cancel::default();
    cancel.cancel();
    let result = try_pack(vec![file("a", "b\n", 0.5)], 1_000, &Settings::default(), &cancel);
    assert_eq!(result.map(|packed| packed.text), Err(PackError::Cancelled(Cancelled)));
}

/// Cancels when a stage starts.
struct CancelAt<'a>(Stage, &'a Cancel);

impl Observer for CancelAt<'_> {
    fn stage_started(&mut self, stage: Stage) {
        if stage == self.0 {
            self.1.cancel();
        }
    }
}

/// Every stage that takes time checks for cancellation.
// Shows: AC-126, NFR-016-40
#[test]
fn cancellation_stops_each_stage() {
    for stage in [Stage::Chunk, Stage::Rank, Stage::Deduplicate, Stage::Select] {
        let (cancel, settings) = (Cancel::default(), Settings::default());
        let source = Source { relevance: None, ..file("a", "b\n", 0.5) };
        let job = Job {
            sources: vec![source],
            task: "b",
            now: None,
            budget: 1_000,
            settings: &settings,
            counting: &COUNTING,
            cancel: &cancel,
        };
        let result = pack(job, &mut CancelAt(stage, &cancel)).map(|packed| packed.text);
        assert_eq!(result, Err(PackError::Cancelled(Cancelled)), "{stage:?}");
    }
}

#[test]
fn chunks_below_the_minimum_score_are_excluded() {
    let settings = Settings { min_score: Some(0.4), ..Settings::default() };
    let sources = vec![file("a.txt", "one\n", 0.9), file("b.txt", "two\n", 0.1)];
    assert_snapshot!(outcome(&pack_with(sources, 1_000, &settings).decision), @"
    in  a.txt full 1-1
    out b.txt 1-1 score: below the minimum score of 0.4
    ");
}

#[test]
fn a_duplicate_of_a_low_scoring_chunk_is_excluded_for_its_score() {
    let settings = Settings { min_score: Some(0.9), ..Settings::default() };
    let sources = vec![file("a.txt", "one\n", 0.5), file("b.txt", "one\n", 0.1)];
    let decision = pack_with(sources, 1_000, &settings).decision;
    let codes: Vec<&str> = decision.excluded.iter().map(|out| out.reason.as_str()).collect();
    assert_eq!(codes, ["score", "score"]);
}

// Shows: AC-133
#[test]
fn only_the_line_above_the_maximum_chunk_size_is_excluded() {
    let content = format!("short\n{}\nalso short\n", "word ".repeat(3_000));
    let decision = pack_within(vec![file("a.txt", &content, 0.5)], 100_000).decision;
    assert_snapshot!(outcome(&decision), @"
    in  a.txt full 1-1
    in  a.txt full 3-3
    out a.txt 2-2 line_too_long: a single line exceeds the maximum chunk size
    ");
}

// Shows: AC-092, AC-129
#[test]
fn weights_that_do_not_sum_to_one_are_an_error() {
    let weights = Weights { relevance: 0.5, recency: 0.5, source: 0.5 };
    let settings = Settings { weights, ..Settings::default() };
    let result = try_pack(Vec::new(), 1_000, &settings, &Cancel::default());
    let expected = PackError::Settings(SettingsError::Weights(weights));
    assert_eq!(result.map(|packed| packed.text), Err(expected));
}

// Shows: NFR-016-25, NFR-016-27
#[test]
fn a_piece_that_ends_after_its_text_is_clipped() {
    let source =
        with(cut("a.txt", &lines("line", 3), &[(2, 9, 0.5)]), &[(None, &[(2, 2), (8, 9)])]);
    assert_snapshot!(outcome(&pack_within(vec![source], 1_000).decision), @"in  a.txt full 2-3");
}

// Shows: NFR-016-45
#[test]
fn unicode_is_preserved() {
    let content = "größe = \"日本\" # 👨\u{200d}👩\u{200d}👧\n";
    assert!(pack_within(vec![file("ü.py", content, 0.5)], 1_000).text.contains(content));
}

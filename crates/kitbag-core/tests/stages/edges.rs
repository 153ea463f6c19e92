//! Nothing, too little, too much, and a raised flag.

use super::request::{COUNTING, cut, file, lines, outcome, pack_with, pack_within, try_pack, with};
use insta::assert_snapshot;
use kitbag_core::{
    Cancel, Cancelled, Job, Observer, PackError, Settings, SettingsError, Stage, Weights, pack,
};
use kitbag_text::Source;

/// AC-016, AC-134, NFR-016-36.
#[test]
fn no_sources_give_an_empty_pack() {
    let packed = pack_within(Vec::new(), 1_000);
    assert_eq!((packed.text.as_str(), packed.decision.total_tokens), ("", 0));
    assert!(packed.decision.included.is_empty() && packed.decision.excluded.is_empty());
}

/// AC-045, AC-120.
#[test]
fn empty_and_blank_sources_are_reported_as_empty() {
    let sources =
        vec![file("empty.txt", "", 0.9), file("blank.txt", " \n\t\n", 0.9), file("a", "b\n", 0.1)];
    assert_snapshot!(outcome(&pack_within(sources, 1_000).decision), @"
    in  a full 1-1
    out empty.txt - empty: nothing in it
    out blank.txt - empty: nothing in it
    ");
}

#[test]
fn a_source_that_cannot_be_parsed_is_left_out_where_lines_are_no_way_out() {
    let mut settings = Settings::default();
    settings.chunking.max_file_bytes = 10;
    let sources = || vec![file("a.rs", "fn one() {}\nfn two() {}\n", 0.9), file("b", "b\n", 0.1)];
    let by_lines = pack_with(sources(), 1_000, &settings);
    assert_eq!(by_lines.decision.included.len(), 2);
    settings.chunking.fallback_on_error = false;
    assert_snapshot!(outcome(&pack_with(sources(), 1_000, &settings).decision), @"
    in  b full 1-1
    out a.rs - unparsed: it cannot be parsed, and cutting by lines is switched off
    ");
}

/// AC-126, FR-016-15, NFR-016-40.
#[test]
fn a_raised_flag_stops_the_pack() {
    let cancel = Cancel::default();
    cancel.cancel();
    let result = try_pack(vec![file("a", "b\n", 0.5)], 1_000, &Settings::default(), &cancel);
    assert_eq!(result.map(|packed| packed.text), Err(PackError::Cancelled(Cancelled)));
}

/// Raises the flag when a stage begins.
struct At<'a>(Stage, &'a Cancel);

impl Observer for At<'_> {
    fn begins(&mut self, stage: Stage) {
        if stage == self.0 {
            self.1.cancel();
        }
    }
}

/// AC-126, NFR-016-40: every stage that takes time looks at the flag.
#[test]
fn a_flag_that_is_raised_on_the_way_stops_each_stage() {
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
        let result = pack(job, &mut At(stage, &cancel)).map(|packed| packed.text);
        assert_eq!(result, Err(PackError::Cancelled(Cancelled)), "{stage:?}");
    }
}

#[test]
fn what_scores_less_than_the_least_score_is_out() {
    let settings = Settings { min_score: Some(0.4), ..Settings::default() };
    let sources = vec![file("a.txt", "one\n", 0.9), file("b.txt", "two\n", 0.1)];
    assert_snapshot!(outcome(&pack_with(sources, 1_000, &settings).decision), @"
    in  a.txt full 1-1
    out b.txt 1-1 score: below the least score of 0.4
    ");
}

/// What scores too low wins over nothing.
#[test]
fn a_copy_of_what_scores_too_low_is_out_for_its_score() {
    let settings = Settings { min_score: Some(0.9), ..Settings::default() };
    let sources = vec![file("a.txt", "one\n", 0.5), file("b.txt", "one\n", 0.1)];
    let decision = pack_with(sources, 1_000, &settings).decision;
    let codes: Vec<&str> = decision.excluded.iter().map(|out| out.reason.code()).collect();
    assert_eq!(codes, ["score", "score"]);
}

/// AC-133.
#[test]
fn a_line_larger_than_a_chunk_may_be_is_out_alone() {
    let content = format!("short\n{}\nalso short\n", "word ".repeat(3_000));
    let decision = pack_within(vec![file("a.txt", &content, 0.5)], 100_000).decision;
    assert_snapshot!(outcome(&decision), @"
    in  a.txt full 1-1
    in  a.txt full 3-3
    out a.txt 2-2 line_too_long: a single line larger than a chunk may be
    ");
}

/// AC-092, AC-129, FR-016-58.
#[test]
fn weights_that_do_not_sum_to_one_are_an_error() {
    let weights = Weights { relevance: 0.5, recency: 0.5, source: 0.5 };
    let settings = Settings { weights, ..Settings::default() };
    let result = try_pack(Vec::new(), 1_000, &settings, &Cancel::default());
    let expected = PackError::Settings(SettingsError::Weights(weights));
    assert_eq!(result.map(|packed| packed.text), Err(expected));
}

/// NFR-016-25, NFR-016-27: what is reported as shown is shown.
#[test]
fn a_piece_that_ends_after_its_text_is_reported_as_far_as_it_is_there() {
    let source =
        with(cut("a.txt", &lines("line", 3), &[(2, 9, 0.5)]), &[(None, &[(2, 2), (8, 9)])]);
    assert_snapshot!(outcome(&pack_within(vec![source], 1_000).decision), @"in  a.txt full 2-3");
}

/// NFR-016-45.
#[test]
fn unicode_is_packed_as_it_is() {
    let content = "größe = \"日本\" # 👨\u{200d}👩\u{200d}👧\n";
    assert!(pack_within(vec![file("ü.py", content, 0.5)], 1_000).text.contains(content));
}

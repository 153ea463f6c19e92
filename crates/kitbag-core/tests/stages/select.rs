//! Selection.

use super::request::{COUNTING, cut, file, lines, outcome, pack_with, pack_within, with};
use insta::assert_snapshot;
use kitbag_core::{Cancel, ChunkForm, Job, Overflow, SelectionSettings, Settings, pack};
use kitbag_text::Source;
use kitbag_tokens::CachedCounter;

pub fn with_overflow(overflow: Overflow) -> Settings {
    let selection = SelectionSettings { overflow, ..SelectionSettings::default() };
    Settings { selection, ..Settings::default() }
}

fn skip() -> Settings {
    with_overflow(Overflow::Skip)
}

fn three() -> Vec<Source> {
    let large = file("large.txt", &lines("large", 40), 0.8);
    vec![file("best.txt", "best\n", 0.9), large, file("small.txt", "small\n", 0.1)]
}

// Shows: AC-108, FR-016-106, FR-016-107, FR-016-109, FR-016-113, FR-016-114, FMT-03
#[test]
fn a_smaller_chunk_replaces_one_that_does_not_fit() {
    let packed = pack_with(three(), 40, &skip());
    assert_snapshot!(outcome(&packed.decision), @"
    in  best.txt full 1-1
    in  small.txt full 1-1
    out large.txt 1-40 budget: does not fit in the remaining budget
    ");
    assert!(packed.decision.total_tokens <= 40);
}

/// Headers, fences and separators count too.
// Shows: AC-058, AC-107, FR-016-84, FR-016-108, NFR-016-24, NFR-016-33, NFR-016-35
#[test]
fn an_exact_fit_is_included_and_one_token_less_is_not() {
    let all = pack_within(three(), 100_000).decision.total_tokens;
    let exact = pack_with(three(), all, &skip()).decision;
    assert_eq!((exact.included.len(), exact.total_tokens), (3, all));
    let less = pack_with(three(), all - 1, &skip()).decision;
    assert_eq!(less.included.len(), 2);
}

// Shows: AC-062, AC-135, NFR-016-39
#[test]
fn a_zero_budget_excludes_everything() {
    for budget in [0, 1] {
        let packed = pack_within(three(), budget);
        assert_eq!((packed.text.as_str(), packed.decision.total_tokens), ("", 0));
        assert!(packed.decision.included.is_empty());
        let codes: Vec<&str> =
            packed.decision.excluded.iter().map(|out| out.reason.as_str()).collect();
        assert_eq!(codes, ["budget"; 3]);
    }
}

// Shows: AC-106, FR-016-110
#[test]
fn of_two_chunks_that_do_not_fit_together_the_better_is_included() {
    let sources =
        || vec![file("a.txt", &lines("one", 9), 0.2), file("b.txt", &lines("two", 9), 0.9)];
    let all = pack_with(sources(), 100_000, &skip()).decision.total_tokens;
    let decision = pack_with(sources(), all - 1, &skip()).decision;
    assert_eq!(decision.included.len(), 1);
    assert_eq!(decision.included[0].path, "b.txt");
}

#[test]
fn the_maximum_budget_includes_everything() {
    let sources = vec![cut("a.txt", &lines("line", 9), &[(1, 3, 0.9), (5, 9, 0.5)])];
    assert_eq!(pack_within(sources, usize::MAX).decision.included.len(), 2);
}

fn outlined() -> Vec<Source> {
    let rust = format!(
        "/// Logs in.\nfn login(user: &str, password: &str) {{\n{}}}\n",
        "    step(1, 2, 3);\n".repeat(30)
    );
    let source = with(cut("a.rs", &rust, &[(1, 33, 0.9)]), &[(None, &[(1, 2)])]);
    vec![source, file("b.txt", "other\n", 0.1)]
}

#[test]
fn outlines_are_added_after_whole_chunks() {
    let packed = pack_within(outlined(), 60);
    assert_snapshot!(outcome(&packed.decision), @"
    in  a.rs outline 1-2
    in  b.txt full 1-1
    ");
    assert_snapshot!(packed.text, @r"
    ### a.rs (lines 1-2 outline)
    ```rust
    /// Logs in.
    fn login(user: &str, password: &str) {
    ```

    ### b.txt (line 1)
    ```text
    other
    ```
    ");
}

/// Two signatures of one part with a blank line between them share a fence and a label.
#[test]
fn an_outline_names_its_part_once() {
    let content = format!(
        "one of two signatures\n\nthe other one of the two signatures\n{}",
        lines("a body that does not fit", 40)
    );
    let source = cut("a.txt", &content, &[(1, 43, 0.9)]);
    let source = with(source, &[(Some((1, 2)), &[(1, 1), (3, 3)])]);
    let header = "### a.txt (lines 1-3 outline part 1 of 2)\n";
    let text = pack_within(vec![source], 60).text;
    assert!(text.starts_with(header), "{text}");
}

#[test]
fn skip_shows_no_outlines() {
    let packed = pack_with(outlined(), 60, &skip());
    assert_snapshot!(outcome(&packed.decision), @"
    in  b.txt full 1-1
    out a.rs 1-33 budget: does not fit in the remaining budget
    ");
}

/// On its own, the second chunk needs a gap line and a fence that do not fit. Once the lines between
/// are included, it fits.
// Shows: AC-109, FR-016-111
#[test]
fn a_chunk_is_tried_again_once_its_neighbor_is_included() {
    let pieces = [(1, 1, 0.9), (5, 5, 0.8), (2, 4, 0.1)];
    let source = || vec![cut("a.txt", "one\na\nb\nc\ntwo\n", &pieces)];
    let all = pack_within(source(), 100_000).decision.total_tokens;
    let decision = pack_with(source(), all, &skip()).decision;
    assert_snapshot!(outcome(&decision), @"
    in  a.txt full 1-1
    in  a.txt full 5-5
    in  a.txt full 2-4
    ");
}

/// A chunk with its first lines already shown costs only the rest.
// Shows: AC-063, AC-105
#[test]
fn shared_lines_are_counted_once() {
    let content = lines("a line that costs a number of tokens", 40);
    let source = || vec![cut("a.txt", &content, &[(1, 20, 0.9), (15, 34, 0.5)])];
    let mut settings = skip();
    settings.deduplication.overlap_threshold = 0.5;
    let all = pack_with(source(), 100_000, &settings).decision;
    assert_eq!(all.included.len(), 2);
    let exact = pack_with(source(), all.total_tokens, &settings).decision;
    assert_eq!(exact.included.len(), 2, "{}", outcome(&exact));
}

/// Two lines may be one token for the `characters` counter.
// Shows: AC-063
#[test]
fn an_outline_of_short_lines_is_tried() {
    let counting = CachedCounter::named("characters").expect("a built-in counter");
    let run = |budget: usize| {
        let content = format!("{}{}", "a\n".repeat(60), "a long body of the thing\n".repeat(60));
        let mut source = with(cut("a", &content, &[(1, 120, 0.9)]), &[(None, &[(1, 60)])]);
        for piece in source.pieces.iter_mut().flatten() {
            piece.chunk.tokens = counting.count(&content) as u32;
        }
        let (settings, cancel) = (Settings::default(), Cancel::default());
        let (sources, task, counting) = (vec![source], "", &counting);
        let job = Job {
            sources,
            task,
            now: None,
            budget,
            settings: &settings,
            counting,
            cancel: &cancel,
        };
        pack(job, &mut ()).expect("it can be packed").decision
    };
    let decision = run(44);
    assert_eq!(decision.included.len(), 1, "{}", outcome(&decision));
    assert_eq!((decision.included[0].form, decision.total_tokens), (ChunkForm::Outline, 44));
}

// Shows: AC-007, AC-048, AC-118, FR-016-07, FR-016-138, NFR-016-33, NFR-016-34
#[test]
fn the_total_equals_the_count_of_the_finished_text() {
    let packed = pack_within(three(), 100_000);
    assert_eq!(COUNTING.count(&packed.text), packed.decision.total_tokens);
}

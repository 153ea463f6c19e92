//! Ranking.

use super::request::{COUNTING, DAY, NOW, cut, file, pack_with, pack_within};
use kitbag_core::{
    Cancel, Cancelled, Candidate, Factors, Included, Job, RankContext, Ranker, Scored, Settings,
    Weights,
};
use kitbag_text::{Kind, Source};

fn ranked(sources: Vec<Source>, settings: &Settings) -> Vec<Included> {
    pack_with(sources, 100_000, settings).decision.included
}

fn paths(included: &[Included]) -> Vec<&str> {
    included.iter().map(|item| item.path.as_str()).collect()
}

// Shows: AC-069, AC-079, AC-090, AC-091, FR-016-59 to FR-016-61
#[test]
fn the_score_is_the_weighted_sum_of_its_factors() {
    let source = Source { timestamp: Some(NOW - 10 * DAY), ..file("a.txt", "one\n", 0.8) };
    let item = &ranked(vec![source], &Settings::default())[0];
    let recency = (-1.0f64).exp();
    assert!((item.factors.relevance - 0.8).abs() < 1e-12);
    assert!((item.factors.recency - recency).abs() < 1e-12);
    assert!((item.factors.source - 0.8).abs() < 1e-12);
    assert!((item.score - (0.8 * 0.5 + recency * 0.3 + 0.8 * 0.2)).abs() < 1e-12);
}

// Shows: AC-086 to AC-089, FR-016-17 to FR-016-21, FR-016-57, FR-016-63 to FR-016-66
#[test]
fn kinds_are_ordered_by_priority() {
    let kinds = [Kind::Reference, Kind::SearchResult, Kind::ToolResult, Kind::OpenFile];
    let source =
        |(index, kind)| Source { kind, ..file(&format!("{index}"), &format!("x{index}\n"), 0.5) };
    let included =
        ranked(kinds.into_iter().enumerate().map(source).collect(), &Settings::default());
    let order: Vec<(&str, f64)> =
        included.iter().map(|item| (item.kind.name(), item.factors.source)).collect();
    let expected =
        [("tool_result", 1.0), ("open_file", 0.8), ("search_result", 0.6), ("reference", 0.4)];
    assert_eq!(order, expected);
}

// Shows: AC-074, AC-094, FR-016-68
#[test]
fn ties_are_broken_by_path_then_line() {
    let b = cut("b.txt", "one\ntwo\nsix\n", &[(3, 3, 0.5), (1, 1, 0.5)]);
    let included = ranked(vec![b, file("a.txt", "ten\n", 0.5)], &Settings::default());
    let order: Vec<(&str, u32)> =
        included.iter().map(|i| (i.path.as_str(), i.span.start)).collect();
    assert_eq!(order, [("a.txt", 1), ("b.txt", 1), ("b.txt", 3)]);
}

// Shows: AC-066, AC-071, FR-016-53, FR-016-55
#[test]
fn chunks_without_a_relevance_are_ranked_by_the_tasks_words() {
    let source = |path, content| Source { relevance: None, ..file(path, content, 0.0) };
    let sources = vec![
        source("a.txt", "nothing\n"),
        source("b.txt", "LOGIN FAIL\n"),
        source("c.txt", "login\n"),
    ];
    let packed = pack_within(sources, 100_000);
    assert_eq!(paths(&packed.decision.included), ["b.txt", "c.txt", "a.txt"]);
    let relevance: Vec<f64> =
        packed.decision.included.iter().map(|i| i.factors.relevance).collect();
    assert_eq!((relevance[0], relevance[2]), (1.0, 0.0));
}

// Shows: AC-076, AC-078, AC-085, FR-016-56
#[test]
fn recent_changes_rank_first() {
    let at = |path, timestamp| Source { timestamp, ..file(path, &format!("{path}\n"), 0.5) };
    let sources =
        vec![at("none", None), at("old", Some(NOW - 30 * DAY)), at("new", Some(NOW - DAY))];
    assert_eq!(paths(&ranked(sources, &Settings::default())), ["new", "old", "none"]);
}

// Shows: AC-067, FR-016-67, NFR-016-28
#[test]
fn relevance_is_clamped() {
    let sources =
        vec![file("a", "one\n", 7.0), file("b", "two\n", -3.0), file("c", "six\n", f64::NAN)];
    let included = ranked(sources, &Settings::default());
    let relevance: Vec<f64> = included.iter().map(|item| item.factors.relevance).collect();
    assert_eq!(relevance, [1.0, 0.0, 0.0]);
}

/// Rounding may take the sum of the weights slightly above 1.
// Shows: FR-016-67
#[test]
fn a_score_is_at_most_one() {
    let weights = Weights { relevance: 0.500_000_9, recency: 0.3, source: 0.2 };
    let source =
        Source { kind: Kind::ToolResult, timestamp: Some(NOW), ..file("a.txt", "one\n", 1.0) };
    let included = ranked(vec![source], &Settings { weights, ..Settings::default() });
    assert_eq!(included[0].score, 1.0);
}

/// Scores a chunk by its length.
struct Longest;

impl Ranker for Longest {
    fn score(
        &self,
        candidates: Vec<Candidate>,
        _ranking: &RankContext<'_>,
    ) -> Result<Vec<Scored>, Cancelled> {
        let score = |candidate: &Candidate| f64::from(candidate.chunk.span.lines()) / 100.0;
        let factors = Factors::default();
        Ok(candidates
            .into_iter()
            .map(|it| Scored { score: score(&it), candidate: it, factors })
            .collect())
    }
}

// Shows: FR-016-51, FR-016-52, FR-016-54, NFR-016-50, NFR-016-55
#[test]
fn a_custom_ranker_decides_the_order() {
    let sources = vec![
        file("a.txt", "one\n", 0.9),
        file("b.txt", "one\ntwo\nsix\n", 0.1),
        file("c.txt", "one\ntwo\n", 0.5),
    ];
    let (settings, cancel) = (Settings::default(), Cancel::default());
    let (task, now, budget, counting) = ("", None, 1_000, &*COUNTING);
    let job = Job { sources, task, now, budget, settings: &settings, counting, cancel: &cancel };
    let packed = kitbag_core::pack_with(job, &Longest, &mut ()).expect("it can be packed");
    assert_eq!(paths(&packed.decision.included), ["b.txt", "c.txt", "a.txt"]);
}

// Shows: FR-016-58
#[test]
fn weights_change_the_order() {
    let sources = || {
        vec![
            file("a.txt", "one\n", 0.9),
            Source { kind: Kind::ToolResult, ..file("b.txt", "two\n", 0.1) },
        ]
    };
    let weighed = |relevance, source| {
        let weights = Weights { relevance, recency: 0.0, source };
        ranked(sources(), &Settings { weights, ..Settings::default() })
    };
    assert_eq!(paths(&weighed(1.0, 0.0)), ["a.txt", "b.txt"]);
    assert_eq!(paths(&weighed(0.0, 1.0)), ["b.txt", "a.txt"]);
}

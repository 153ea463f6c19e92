//! Ranking weights through the program: the recipes of the designs, and the factors of sources that
//! come without a relevance.

use crate::fixture::{Fixture, included};
use serde_json::{Value, json};

/// Noon on the first of January 2024.
const JANUARY: i64 = 1_704_110_400;
const DAY: i64 = 86_400;

/// An old text with all words of the task, and a new one with some.
fn old_and_new() -> String {
    let old = json!({"path": "old.txt", "content": "the payment fails with a timeout\n",
                     "timestamp": JANUARY});
    let new = json!({"path": "new.txt", "content": "a payment\n", "timestamp": JANUARY + 30 * DAY});
    format!("{old}\n{new}\n")
}

fn pack_sources(fixture: &Fixture, sources: String, arguments: &[&str]) -> Value {
    let own =
        ["pack", "payment fails timeout", "--no-provider", "search", "--sources", "-", "--json"];
    let run = fixture.feed(own.iter().chain(arguments), sources);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn configured(ranking: &str) -> Fixture {
    let fixture = Fixture::empty();
    fixture.write(".agent/config.yml", format!("context:\n  ranking: {ranking}\n"));
    fixture
}

/// A single weight is enough, and it changes the order of the same sources.
#[test]
fn the_recipe_for_bugs_ranks_recent_changes_first() {
    let first = |fixture: &Fixture| {
        let report = pack_sources(fixture, old_and_new(), &[]);
        included(&report)[0].to_owned()
    };
    assert_eq!(first(&Fixture::empty()), "old.txt", "by relevance");
    assert_eq!(first(&configured("{recency_weight: 0.6}")), "new.txt");
    let all = "{relevance_weight: 0.3, recency_weight: 0.6, source_weight: 0.1}";
    assert_eq!(first(&configured(all)), "new.txt");
    assert_eq!(first(&configured("{relevance_weight: 0.8}")), "old.txt", "the one for security");
}

#[test]
fn weights_that_are_not_set_share_the_rest() {
    let shown = |fixture: &Fixture, arguments: &[&str]| {
        let own = ["config", "show", "context.ranking"];
        fixture.run(own.iter().chain(arguments)).stdout
    };
    let default = shown(&Fixture::empty(), &[]);
    assert_eq!(default.matches("# profile agent").count(), 3, "{default}");
    let other = shown(&Fixture::empty(), &["--profile", "chunks"]);
    for line in ["relevance_weight: 0.5", "recency_weight: 0.3", "source_weight: 0.2"] {
        assert!(other.contains(line), "{line}: {other}");
    }
    let security = shown(&configured("{relevance_weight: 0.8}"), &[]);
    for line in ["relevance_weight: 0.8", "recency_weight: 0.12", "source_weight: 0.08"] {
        assert!(security.contains(line), "{line}: {security}");
    }
    assert!(security.contains("# .agent/config.yml:2:31"), "{security}");
    assert_eq!(security.matches("# remainder").count(), 2, "{security}");
    let run = configured("{relevance_weight: 0.8, recency_weight: 0.4}").run(["pack", "x"]);
    run.fails(2, &["ranking weights must sum to 1, not 1.2"]);
}

/// The report has the weighted sum of the design in every profile but `agent`.
#[test]
fn the_score_is_the_weighted_sum() {
    let check = |arguments: &[&str], weights: [f64; 3]| {
        let report = pack_sources(&Fixture::empty(), old_and_new(), arguments);
        let items = report["included"].as_array().unwrap();
        assert_eq!(items.len(), 2);
        for item in items {
            let factor = |name: &str| item["factors"][name].as_f64().unwrap();
            let sum = factor("relevance") * weights[0]
                + factor("recency") * weights[1]
                + factor("source") * weights[2];
            assert!((item["score"].as_f64().unwrap() - sum).abs() < 1e-9, "{item}");
        }
    };
    check(&["--profile", "chunks"], [0.5, 0.3, 0.2]);
    let sevenths = [0.4 * 5.0 / 7.0, 0.6, 0.4 * 2.0 / 7.0];
    check(&["--set", "context.ranking.recency_weight=0.6"], sevenths);
}

// Shows: AC-066, AC-068, AC-072, AC-073
#[test]
fn sources_without_a_relevance_are_ranked_by_the_words_of_the_task() {
    let source = |path: &str, content: &str| json!({"path": path, "content": content}).to_string();
    let sources = [
        source("none.txt", "nothing of it\n"),
        source("some.txt", "a payment\n"),
        source("more.txt", "a payment that fails\n"),
        source("all.txt", "PaymentFailsTimeout\n"),
    ];
    let report = pack_sources(&Fixture::empty(), sources.join("\n"), &[]);
    assert_eq!(included(&report), ["all.txt", "more.txt", "some.txt", "none.txt"]);
    let relevance = |index: usize| report["included"][index]["factors"]["relevance"].as_f64();
    assert_eq!((relevance(0), relevance(3)), (Some(1.0), Some(0.0)));
    assert!(relevance(1) > relevance(2), "{report:#}");
}

// Shows: AC-076, AC-078
#[test]
fn the_time_of_the_last_change_is_the_recency() {
    let fixture = Fixture::empty();
    fixture.git(&["init", "--quiet"]);
    fixture.write("month.txt", "a payment of the month\n");
    fixture.commit(1, "month");
    fixture.write("today.txt", "a payment of the day\n");
    fixture.commit(31, "today");
    let open = ["--open", "month.txt", "--open", "today.txt", "--no-provider", "search"];
    let set = ["--set", "context.ranking.recency_weight=0.6"];
    let report = fixture.json(["pack", "payment", "--json"].iter().chain(&open).chain(&set));
    assert_eq!(included(&report), ["today.txt", "month.txt"]);
    let recency = |index: usize| report["included"][index]["factors"]["recency"].as_f64().unwrap();
    assert!((recency(0) - 1.0).abs() < 1e-9 && recency(1) < 0.1, "{report:#}");
}

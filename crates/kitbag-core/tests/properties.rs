//! Properties that hold for every request.
//!
//! `PROPTEST_CASES` sets the number of random requests for each property.

#[path = "properties/accounts.rs"]
mod accounts;
#[path = "properties/case.rs"]
mod case;
#[path = "properties/formats.rs"]
mod formats;
#[path = "properties/frame.rs"]
mod frame;
#[path = "properties/generate.rs"]
mod generate;
#[path = "properties/reach.rs"]
mod reach;
#[path = "properties/readers.rs"]
mod readers;
#[path = "properties/scraps.rs"]
mod scraps;
#[path = "properties/sources.rs"]
mod sources;
#[path = "properties/text.rs"]
mod text;

use case::{Case, Outcome};
use generate::case;
use kitbag_core::{Decision, Weights};
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::LazyLock;

static ONE_THREAD: LazyLock<ThreadPool> = LazyLock::new(|| pool(1));
static TWO_THREADS: LazyLock<ThreadPool> = LazyLock::new(|| pool(2));

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool")
}

fn run(case: &Case) -> Result<Outcome, TestCaseError> {
    case.run().map_err(|error| TestCaseError::fail(error.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The text, counted independently, has the reported tokens and stays within the budget.
    // Shows: AC-046, AC-048, AC-058, AC-059, AC-061, AC-118, FR-016-89, FR-016-112
    // Shows: NFR-016-23, NFR-016-24, THREAT-1, ORCH-05, FMT-28
    #[test]
    fn the_recounted_text_matches_the_report_and_the_budget(case in case()) {
        let Outcome { budget, packed } = run(&case)?;
        let recounted = case.recount(&packed.text);
        prop_assert_eq!(recounted, packed.decision.total_tokens, "\n{}", packed.text);
        prop_assert!(recounted <= budget, "{} of {}", recounted, budget);
    }

    /// Results do not depend on threads or earlier runs.
    // Shows: AC-095, FR-016-69, FR-016-137, NFR-016-11, NFR-016-29, NFR-016-30, FMT-38
    #[test]
    fn the_same_request_gives_the_same_bytes(case in case()) {
        let Outcome { budget, packed } = run(&case)?;
        let first = report(&packed.decision);
        for pool in [&*ONE_THREAD, &*TWO_THREADS] {
            let again = pool.install(|| case.pack(budget)).expect("it succeeded before");
            prop_assert_eq!(&again.text, &packed.text);
            prop_assert_eq!(report(&again.decision), first.as_str());
        }
        let decided = case.decide(budget).expect("it succeeded before");
        prop_assert_eq!(report(&decided), first.as_str(), "a preview must be the same decision");
    }

    /// The text shows every reported range with the lines of its source, and nothing else.
    // Shows: AC-114, FR-016-34, FR-016-126, FR-016-131 to FR-016-134, NFR-016-27, FMT-13, FMT-27
    #[test]
    fn the_parsed_text_matches_the_report(case in case()) {
        let outcome = run(&case)?;
        text::check(&case, &outcome)?;
        let blocks = frame::parse(&outcome.packed.text).map_err(TestCaseError::fail)?;
        text::check_forms(&outcome, &blocks)?;
    }

    /// No content or path can imitate a header or a fence.
    // Shows: AC-117, FR-016-135, FR-016-136, FR-016-140, FMT-31
    #[test]
    fn a_markdown_parser_sees_the_same_blocks(case in case()) {
        text::check_markdown(&run(&case)?)?;
    }

    /// Every chunk is reported once, and excluded ones with a reason.
    // Shows: AC-008, AC-009, FR-016-08, FR-016-09, FR-016-117, FR-016-118
    #[test]
    fn every_chunk_is_accounted_for(case in case()) {
        let outcome = run(&case)?;
        accounts::check_complete(&case, &outcome)?;
        accounts::check_reasons(&case, &outcome)?;
    }

    // Shows: AC-063, AC-107, AC-109, FR-016-111, FR-016-114
    #[test]
    fn nothing_excluded_for_the_budget_would_fit(case in case()) {
        accounts::check_full(&case, &run(&case)?)?;
    }

    // Shows: FR-016-86, FR-016-119, FR-016-120
    #[test]
    fn the_minimum_is_reached_and_no_kind_exceeds_its_limit(case in case()) {
        let outcome = run(&case)?;
        accounts::check_min_chunks(&case, &outcome)?;
        accounts::check_categories(&case, &outcome)?;
    }

    // Shows: AC-077, AC-091, AC-093, FR-016-54, FR-016-58, FR-016-67, FR-016-68, FR-016-102,
    // NFR-016-28
    #[test]
    fn reports_are_in_rank_order(case in case()) {
        let Outcome { packed, .. } = run(&case)?;
        let Decision { included, excluded, .. } = packed.decision;
        let weights = case.settings.weights;
        for item in &included {
            let kitbag_core::Factors { relevance, recency, source } = item.factors;
            for factor in [item.score, relevance, recency, source] {
                prop_assert!((0.0..=1.0).contains(&factor), "{:?}", item);
            }
            let Weights { relevance: a, recency: b, source: c } = weights;
            let sum = relevance * a + recency * b + source * c;
            prop_assert!((item.score - sum).abs() < 1e-5, "{:?}", item);
        }
        let ranks =
            included.iter().map(|item| (!item.is_pinned, -item.score, &item.path, item.span));
        prop_assert!(ranks.is_sorted(), "{:?}", included);
        let ranks = excluded.iter().filter_map(|out| Some((-out.score?, &out.path, out.span)));
        prop_assert!(ranks.is_sorted(), "{:?}", excluded);
    }
}

fn report(decision: &Decision) -> String {
    format!("{decision:#?}")
}

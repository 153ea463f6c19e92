//! What holds for every request.
//!
//! `PROPTEST_CASES` says how many random requests each property is tried on.

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

    /// The finished text, counted again, has the tokens that the report says, within the budget.
    // Shows: AC-046, AC-048, AC-058, AC-059, AC-061, AC-118, FR-016-89, FR-016-112
    // Shows: NFR-016-23, NFR-016-24, THREAT-1, ORCH-05, FMT-28
    #[test]
    fn the_text_recounted_is_the_report_and_within_the_budget(case in case()) {
        let Outcome { budget, packed } = run(&case)?;
        let recounted = case.recount(&packed.text);
        prop_assert_eq!(recounted, packed.decision.total_tokens, "\n{}", packed.text);
        prop_assert!(recounted <= budget, "{} of {}", recounted, budget);
    }

    /// No thread order or earlier run shows.
    // Shows: AC-095, FR-016-69, FR-016-137, NFR-016-11, NFR-016-29, NFR-016-30, FMT-38
    #[test]
    fn the_same_request_gives_the_same_bytes(case in case()) {
        let Outcome { budget, packed } = run(&case)?;
        let first = report(&packed.decision);
        for pool in [&*ONE_THREAD, &*TWO_THREADS] {
            let again = pool.install(|| case.pack(budget)).expect("it went well before");
            prop_assert_eq!(&again.text, &packed.text);
            prop_assert_eq!(report(&again.decision), first.as_str());
        }
        let decided = case.decide(budget).expect("it went well before");
        prop_assert_eq!(report(&decided), first.as_str(), "a preview is the same decision");
    }

    /// Every reported range stands in the text with the source's own lines, and nothing else does.
    // Shows: AC-114, FR-016-34, FR-016-126, FR-016-131 to FR-016-134, NFR-016-27, FMT-13, FMT-27
    #[test]
    fn the_text_read_back_is_the_report(case in case()) {
        let outcome = run(&case)?;
        text::check(&case, &outcome)?;
        let blocks = frame::parse(&outcome.packed.text).map_err(TestCaseError::fail)?;
        text::check_forms(&outcome, &blocks)?;
    }

    /// No content and no path imitates the frame.
    // Shows: AC-117, FR-016-135, FR-016-136, FR-016-140, FMT-31
    #[test]
    fn a_markdown_reader_sees_the_same_blocks(case in case()) {
        text::check_markdown(&run(&case)?)?;
    }

    /// Every chunk is in or out, once, with a reason.
    // Shows: AC-008, AC-009, FR-016-08, FR-016-09, FR-016-117, FR-016-118
    #[test]
    fn every_chunk_is_accounted_for(case in case()) {
        let outcome = run(&case)?;
        accounts::check_complete(&case, &outcome)?;
        accounts::check_reasons(&case, &outcome)?;
    }

    // Shows: AC-063, AC-107, AC-109, FR-016-111, FR-016-114
    #[test]
    fn nothing_left_out_for_the_budget_would_fit(case in case()) {
        accounts::check_full(&case, &run(&case)?)?;
    }

    // Shows: FR-016-86, FR-016-119, FR-016-120
    #[test]
    fn the_least_number_is_reached_and_no_kind_has_more_than_its_limit(case in case()) {
        let outcome = run(&case)?;
        accounts::check_least(&case, &outcome)?;
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
        let ranks = included.iter().map(|item| (-item.score, &item.path, item.span));
        prop_assert!(ranks.is_sorted(), "{:?}", included);
        let ranks = excluded.iter().filter_map(|out| Some((-out.score?, &out.path, out.span)));
        prop_assert!(ranks.is_sorted(), "{:?}", excluded);
    }
}

fn report(decision: &Decision) -> String {
    format!("{decision:#?}")
}

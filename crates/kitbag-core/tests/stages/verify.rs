//! The last stage counts the finished text independently.

use super::request::file;
use kitbag_core::{Cancel, Job, PackError, Settings, pack};
use kitbag_tokens::{CachedCounter, Measure, TokenCounter};
use std::sync::Arc;

/// A counter that wrongly claims that counts add up everywhere.
struct Liar;

impl TokenCounter for Liar {
    fn name(&self) -> &str {
        "liar"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn measure(&self, text: &str) -> Measure {
        Measure { main: if text.len() < 30 { 1 } else { 1_000 }, extra: 0 }
    }

    fn tokens(&self, measure: Measure) -> usize {
        measure.main as usize
    }

    fn is_additive_between(&self, _previous: &str, _line: &str) -> bool {
        true
    }
}

// Shows: AC-060, FR-016-90, THREAT-1
#[test]
fn a_text_over_the_budget_is_an_error() {
    let counting = CachedCounter::new(Arc::new(Liar), 0);
    let (settings, cancel) = (Settings::default(), Cancel::default());
    let sources = vec![file("a.txt", "one\ntwo\nsix\nten\n", 0.5)];
    let (task, now, budget, counting) = ("", None, 500, &counting);
    let job = Job { sources, task, now, budget, settings: &settings, counting, cancel: &cancel };
    let result = pack(job, &mut ()).map(|packed| packed.text);
    assert_eq!(result, Err(PackError::ContextOverflow { tokens: 1_000, budget: 500 }));
}

//! Counters without exact sums: the whole pack is counted for every chunk that is tried.

use crate::request::{file, lines};
use kitbag_core::{Cancel, Job, Packed, Settings, decide, pack};
use kitbag_text::Source;
use kitbag_tokens::{CachedCounter, Measure, TokenCounter};
use std::sync::Arc;

/// Counts words, plus one for each header that directly follows another line, so that two files cost
/// more together than separately.
struct Clinging;

impl TokenCounter for Clinging {
    fn name(&self) -> &str {
        "clinging"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn measure(&self, text: &str) -> Measure {
        let words = text.split_whitespace().count() + text.matches("\n###").count();
        Measure { main: words as u32, extra: 0 }
    }

    fn tokens(&self, measure: Measure) -> usize {
        measure.main as usize
    }

    fn is_additive_between(&self, _previous: &str, line: &str) -> bool {
        !line.starts_with('#')
    }

    fn has_exact_sums(&self) -> bool {
        false
    }
}

fn sources() -> Vec<Source> {
    let name = |number: u32| char::from(b'a' + number as u8).to_string();
    let source = |number: u32| file(&name(number), &lines(&name(number), 20), 0.5);
    (0..20).map(source).collect()
}

fn packed(budget: usize) -> (Packed, usize) {
    let counting = CachedCounter::new(Arc::new(Clinging), 0);
    let (settings, cancel) = (Settings::default(), Cancel::default());
    let job = || Job {
        sources: sources(),
        task: "",
        now: None,
        budget,
        settings: &settings,
        counting: &counting,
        cancel: &cancel,
    };
    let preview = decide(job(), &mut ()).map_or(0, |decision| decision.total_tokens);
    (pack(job(), &mut ()).expect("it can be packed"), preview)
}

// Shows: AC-058, AC-059, NFR-016-21
#[test]
fn a_pack_is_exact_if_files_cost_more_together() {
    for budget in (50..1_000).step_by(7) {
        let (pack, preview) = packed(budget);
        let counted = Clinging.count(&pack.text);
        assert_eq!((pack.decision.total_tokens, preview), (counted, counted), "budget {budget}");
        assert!(counted <= budget && counted > 0, "{counted} of {budget}");
    }
}

//! Files with many separate runs: the work is linear in the number of runs.

use crate::request::{cut, lines};
use kitbag_core::{Cancel, Format, Formatting, Job, Overflow, Packed, Settings, pack};
use kitbag_text::Source;
use kitbag_tokens::{CachedCounter, Estimator, Measure, TokenCounter};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts words, and the bytes passed to it.
#[derive(Default)]
struct Watched {
    bytes: AtomicUsize,
}

impl TokenCounter for Watched {
    fn name(&self) -> &str {
        "watched"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn measure(&self, text: &str) -> Measure {
        self.bytes.fetch_add(text.len(), Ordering::Relaxed);
        Estimator::Words.measure(text)
    }

    fn tokens(&self, measure: Measure) -> usize {
        Estimator::Words.tokens(measure)
    }

    fn is_additive_between(&self, _previous: &str, _line: &str) -> bool {
        true
    }

    fn is_additive_at(&self, before: char, after: char) -> bool {
        Estimator::Words.is_additive_at(before, after)
    }
}

/// A file with every second line as a piece, in mixed order.
fn scattered(count: u32) -> Source {
    let relevance = |line: u32| f64::from(line * 7_919 % count) / f64::from(count);
    let pieces: Vec<(u32, u32, f64)> =
        (0..count).map(|line| (2 * line + 1, 2 * line + 1, relevance(line))).collect();
    cut("src/scattered.txt", &lines("a line", 2 * count), &pieces)
}

/// Packs `count` runs; also returns the number of bytes that were counted.
fn packed(count: u32, format: Format) -> (Packed, usize) {
    let watched = Arc::new(Watched::default());
    let counting = CachedCounter::new(watched.clone(), 0);
    let mut settings = Settings { formatting: Formatting::default(), ..Settings::default() };
    settings.formatting.format = format;
    settings.selection.overflow = Overflow::Outline;
    let cancel = Cancel::default();
    let (sources, task, budget) = (vec![scattered(count)], "", usize::MAX);
    let settings = &settings;
    let counting = &counting;
    let job = Job { sources, task, now: None, budget, settings, counting, cancel: &cancel };
    let packed = pack(job, &mut ()).expect("it can be packed");
    assert_eq!(packed.decision.included.len(), count as usize);
    assert_eq!(packed.decision.total_tokens, counting.count(&packed.text));
    (packed, watched.bytes.load(Ordering::Relaxed))
}

// Shows: NFR-016-14
#[test]
fn work_is_linear_in_the_number_of_runs() {
    for format in Format::ALL {
        let (_, few) = packed(200, format);
        let (_, many) = packed(800, format);
        assert!(many < few * 6, "{format}: {few} bytes for 200 runs, {many} for 800");
    }
}

#[test]
fn the_header_names_every_run_in_order() {
    let (packed, _) = packed(60, Format::Markdown);
    let title = packed.text.lines().next().unwrap_or_default();
    let numbers: Vec<String> = (0..60).map(|line| (2 * line + 1).to_string()).collect();
    assert_eq!(title, format!("### src/scattered.txt (lines {})", numbers.join(", ")));
}

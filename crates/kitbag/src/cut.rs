//! The chunks of the files that requests name, kept for the next request.
//!
//! Whoever edits a file asks again and again about the same text. What is kept is bounded, compared
//! with the text itself, and never shared between tenants.

use kitbag_core::{Cancel, Cancelled};
use kitbag_text::{Chunk, ChunkLimits, Text, chunk_text_until};
use kitbag_tokens::Counting;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Of so many bytes of text the chunks are kept.
const MOST_BYTES: usize = 4 << 20;

/// What is smaller is cut in no time, and what is larger would drive out the rest.
const SMALLEST: usize = 4 << 10;
const LARGEST: usize = MOST_BYTES / 4;

/// The chunks that are kept, those that were used last in front.
#[derive(Default)]
pub(crate) struct Cuts {
    kept: Mutex<VecDeque<Kept>>,
}

/// The chunks of a text, and all that they depend on.
struct Kept {
    path: String,
    text: Arc<Text>,
    limits: ChunkLimits,
    /// Whoever counted. It is not kept alive: it may be a tenant's, with a cache of its own.
    counting: Weak<Counting>,
    chunks: Arc<Vec<Chunk>>,
}

/// How a text is to be cut.
pub(crate) struct Cutting<'a> {
    pub cuts: &'a Cuts,
    pub counting: &'a Arc<Counting>,
    pub cancel: &'a Cancel,
}

impl Cutting<'_> {
    /// The chunks of a text.
    pub fn chunks(
        &self,
        path: &str,
        text: &Arc<Text>,
        limits: &ChunkLimits,
    ) -> Result<Arc<Vec<Chunk>>, Cancelled> {
        let Self { cuts, counting, cancel } = self;
        let is_kept = (SMALLEST..=LARGEST).contains(&text.content().len());
        if let Some(chunks) = is_kept.then(|| cuts.get(path, text, limits, counting)).flatten() {
            return Ok(chunks);
        }
        let chunks = Arc::new(chunk_text_until(path, text, limits, counting, cancel)?.chunks);
        if is_kept {
            cuts.keep(Kept {
                path: path.to_owned(),
                text: Arc::clone(text),
                limits: limits.clone(),
                counting: Arc::downgrade(counting),
                chunks: Arc::clone(&chunks),
            });
        }
        Ok(chunks)
    }
}

impl Cuts {
    fn get(
        &self,
        path: &str,
        text: &Text,
        limits: &ChunkLimits,
        counting: &Arc<Counting>,
    ) -> Option<Arc<Vec<Chunk>>> {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |kept: &Kept| {
            kept.path == path
                && kept.counting.as_ptr() == Arc::as_ptr(counting)
                && kept.limits == *limits
                && kept.text.content() == text.content()
        };
        let at = all.iter().position(is_it)?;
        let kept = all.remove(at)?;
        let chunks = Arc::clone(&kept.chunks);
        all.push_front(kept);
        Some(chunks)
    }

    fn keep(&self, kept: Kept) {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_front(kept);
        let mut bytes = 0;
        all.retain(|kept| {
            bytes += kept.text.content().len();
            bytes <= MOST_BYTES
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_tokens::Estimator;

    fn counting() -> Arc<Counting> {
        Arc::new(Counting::new(Arc::new(Estimator::Characters), 0))
    }

    fn text(word: &str) -> Arc<Text> {
        Arc::new(Text::new(format!("fn {word}() {{}}\n\n").repeat(SMALLEST / 8)))
    }

    fn cut(
        cuts: &Cuts,
        (path, text): (&str, &Arc<Text>),
        limits: &ChunkLimits,
        counting: &Arc<Counting>,
    ) -> Arc<Vec<Chunk>> {
        let cancel = &Cancel::default();
        Cutting { cuts, counting, cancel }.chunks(path, text, limits).expect("not cancelled")
    }

    #[test]
    fn the_same_text_is_cut_once_and_whatever_differs_again() {
        let (cuts, counting, limits) = (Cuts::default(), counting(), ChunkLimits::default());
        let (one, other) = (text("one"), text("two"));
        let first = cut(&cuts, ("a.rs", &one), &limits, &counting);
        assert!(first.len() > 1);
        let copy = Arc::new(Text::new(one.content()));
        assert!(Arc::ptr_eq(&first, &cut(&cuts, ("a.rs", &copy), &limits, &counting)));
        let small = ChunkLimits { max_class_tokens: 1, ..limits.clone() };
        let else_counted = self::counting();
        for again in [
            cut(&cuts, ("b.rs", &one), &limits, &counting),
            cut(&cuts, ("a.rs", &other), &limits, &counting),
            cut(&cuts, ("a.rs", &one), &small, &counting),
            cut(&cuts, ("a.rs", &one), &limits, &else_counted),
        ] {
            assert!(!Arc::ptr_eq(&first, &again));
        }
        assert!(Arc::ptr_eq(&first, &cut(&cuts, ("a.rs", &one), &limits, &counting)));
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_used_stays() {
        let (cuts, counting, limits) = (Cuts::default(), counting(), ChunkLimits::default());
        let used = text("used");
        let first = cut(&cuts, ("used.rs", &used), &limits, &counting);
        let line = format!("{}\n", "x".repeat(1_023));
        let large = Arc::new(Text::new(line.repeat(LARGEST / 1_024)));
        for number in 0..9 {
            cut(&cuts, (&format!("{number}.txt"), &large), &limits, &counting);
            assert!(Arc::ptr_eq(&first, &cut(&cuts, ("used.rs", &used), &limits, &counting)));
        }
        let bytes = || {
            cuts.kept
                .lock()
                .expect("no panic")
                .iter()
                .map(|it| it.text.content().len())
                .sum::<usize>()
        };
        assert!(bytes() <= MOST_BYTES);
        let before = bytes();
        cut(&cuts, ("small.rs", &Arc::new(Text::new("fn f() {}\n"))), &limits, &counting);
        cut(
            &cuts,
            ("huge.txt", &Arc::new(Text::new(line.repeat(LARGEST / 512)))),
            &limits,
            &counting,
        );
        assert_eq!(bytes(), before, "neither small nor huge ones are kept");
    }
}

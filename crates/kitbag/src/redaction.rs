//! Secrets are taken out of sources before anything is decided about them.

use kitbag_core::{Cancel, Cancelled};
use kitbag_text::{Redaction, Source, Text, redact, redact_str};
use kitbag_tokens::Counting;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// That a secret was replaced by a marker: where it stood and which rule found it, never what it
/// was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedactionItem {
    /// The file.
    pub path: String,
    /// The line that the marker stands on.
    pub line: u32,
    /// The rule that found it.
    pub rule: &'static str,
}

/// The rule whose secrets have several lines.
const PRIVATE_KEY: &str = "private-key";

/// What was replaced in the sources of a request.
#[derive(Debug, Default)]
pub(crate) struct Redactions {
    /// How many of a rule on a line. Two sources may bring the same line of a file.
    counts: BTreeMap<RedactionItem, usize>,
}

impl Redactions {
    /// Notes what was replaced in one text of a file.
    pub fn note(&mut self, path: &str, redactions: &[Redaction]) {
        let mut counts: BTreeMap<RedactionItem, usize> = BTreeMap::new();
        for &Redaction { line, rule } in redactions {
            *counts.entry(RedactionItem { path: path.to_owned(), line, rule }).or_default() += 1;
        }
        for (item, count) in counts {
            let known = self.counts.entry(item).or_default();
            *known = (*known).max(count);
        }
    }

    /// Those on lines that are shown, in order.
    pub fn shown(self, is_shown: impl Fn(&str, u32) -> bool) -> Vec<RedactionItem> {
        let shown = self.counts.into_iter().filter(|(item, _)| is_shown(&item.path, item.line));
        shown.flat_map(|(item, count)| std::iter::repeat_n(item, count)).collect()
    }
}

/// How many secrets each rule found. A key has a marker on each of its lines, and is one secret.
pub(crate) fn by_rule(redactions: &[RedactionItem]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    let mut key: Option<&RedactionItem> = None;
    for item in redactions {
        let goes_on = item.rule == PRIVATE_KEY
            && key.is_some_and(|key| key.path == item.path && key.line + 1 == item.line);
        if item.rule == PRIVATE_KEY {
            key = Some(item);
        }
        *counts.entry(item.rule).or_default() += usize::from(!goes_on);
    }
    counts
}

/// A text with its secrets replaced.
pub(crate) fn without_secrets(text: &str) -> Cow<'_, str> {
    redact_str(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Replaces the secrets in `sources`. What a source was counted to have is counted again where that
/// changes it, and only there.
pub(crate) fn redact_sources(
    sources: &mut [Source],
    counting: &Counting,
    cancel: &Cancel,
) -> Result<Redactions, Cancelled> {
    // Sources of one file share its text, and have to share the new one.
    let mut texts: Vec<Arc<Text>> = sources.iter().map(|it| Arc::clone(&it.text)).collect();
    texts.sort_by_key(Arc::as_ptr);
    texts.dedup_by(|a, b| Arc::ptr_eq(a, b));
    let replaced = texts.par_iter().map(|text| cancel.check().map(|()| redact(text)));
    let replaced = replaced.collect::<Result<Vec<_>, Cancelled>>()?;
    let changed = texts.iter().zip(replaced).filter_map(|(old, new)| {
        let (text, redactions) = new?;
        Some((Arc::as_ptr(old), (Arc::new(text), redactions)))
    });
    let changed: FxHashMap<*const Text, (Arc<Text>, Vec<Redaction>)> = changed.collect();
    let mut all = Redactions::default();
    for source in sources {
        if let Some((text, redactions)) = changed.get(&Arc::as_ptr(&source.text)) {
            all.note(&source.path, redactions);
            replace(source, text, counting);
        }
        // What is shown in place of the content is a text of its own.
        if let Some((text, redactions)) = source.expanded_context.as_deref().and_then(redact) {
            all.note(&source.path, &redactions);
            source.expanded_context = Some(Arc::new(text));
        }
    }
    Ok(all)
}

/// Gives a source its new text, with counts and names that are the text's own.
fn replace(source: &mut Source, text: &Arc<Text>, counting: &Counting) {
    source.text = Arc::clone(text);
    source.tally = None;
    for piece in source.pieces.iter_mut().flatten() {
        let chunk = &mut piece.chunk;
        let tokens = counting.count(text.slice(chunk.span));
        chunk.tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        for name in chunk.symbol.iter_mut().chain(&mut chunk.defines) {
            if let Some(redacted) = redact_str(name) {
                *name = redacted;
            }
        }
    }
}

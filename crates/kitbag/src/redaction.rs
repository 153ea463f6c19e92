//! Replaces secrets in sources before any decision is made about them.

use kitbag_core::{Cancel, Cancelled, Excluded};
use kitbag_text::{Redaction, Source, Text, redact, redact_str};
use kitbag_tokens::CachedCounter;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A secret that was replaced by a marker. Contains its location and the rule that found it, never
/// the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RedactionItem {
    /// Path of the file.
    pub path: String,
    /// Line of the marker.
    pub line: u32,
    /// Rule that found the secret.
    pub rule: &'static str,
}

/// The only rule whose secrets span several lines.
const PRIVATE_KEY: &str = "private-key";

/// Redactions in the sources of a request.
#[derive(Debug, Default)]
pub(crate) struct Redactions {
    /// Number of redactions per line and rule. Several sources may contain the same line of a file,
    /// so these are maxima and not sums.
    counts: BTreeMap<RedactionItem, usize>,
}

impl Redactions {
    /// Records the redactions in one text of a file.
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

    /// Returns the redactions on lines that are shown, in order.
    pub fn shown(self, is_shown: impl Fn(&str, u32) -> bool) -> Vec<RedactionItem> {
        let shown = self.counts.into_iter().filter(|(item, _)| is_shown(&item.path, item.line));
        shown.flat_map(|(item, count)| std::iter::repeat_n(item, count)).collect()
    }
}

/// Counts the secrets found by each rule. A key has a marker on each of its lines but is a single
/// secret.
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

/// Returns a text with its secrets replaced.
pub(crate) fn without_secrets(text: &str) -> Cow<'_, str> {
    redact_str(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Replaces the secrets in the paths and details of rejected sources.
pub(crate) fn redact_rejected<'a>(rejected: impl Iterator<Item = &'a mut Excluded>) {
    for item in rejected {
        for name in [&mut item.path, &mut item.detail] {
            if let Some(redacted) = redact_str(name) {
                *name = redacted;
            }
        }
    }
}

/// Replaces the secrets in `sources`. Tokens are counted again only in texts that changed.
pub(crate) fn redact_sources(
    sources: &mut [Source],
    counting: &CachedCounter,
    cancel: &Cancel,
) -> Result<Redactions, Cancelled> {
    // Sources of one file share its text and must share the redacted text as well.
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
        // A file or a label may be named after a token.
        if let Some(path) = redact_str(&source.path) {
            source.path = path;
        }
        if let Some((text, redactions)) = changed.get(&Arc::as_ptr(&source.text)) {
            all.note(&source.path, redactions);
            replace(source, text, counting);
        }
        // The expanded context is a separate text.
        if let Some((text, redactions)) = source.expanded_context.as_deref().and_then(redact) {
            all.note(&source.path, &redactions);
            source.expanded_context = Some(Arc::new(text));
        }
    }
    Ok(all)
}

/// Sets the redacted text of a source, and updates its token counts and symbol names.
fn replace(source: &mut Source, text: &Arc<Text>, counting: &CachedCounter) {
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

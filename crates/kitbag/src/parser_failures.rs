//! Files that were split by lines because they killed or stalled their parser.

use kitbag_index::{IndexView, IndexedFile};
use kitbag_text::{Cancel, Fallback, Source, Text, plural, syntax};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The texts of a pack's sources, which may be parsed while the pack is decided.
pub(crate) struct SourceTexts(Vec<(String, Arc<Text>)>);

impl SourceTexts {
    pub fn of(sources: &[Source]) -> Self {
        Self(sources.iter().map(|it| (it.path.clone(), Arc::clone(&it.text))).collect())
    }
}

/// The files of a pack whose parser failed, with the reason.
pub(crate) struct ParserFailures {
    by_path: BTreeMap<String, Fallback>,
}

impl ParserFailures {
    /// Finds the failures among indexed files.
    pub fn of_index(view: Option<&IndexView>) -> Self {
        let files = view.map(IndexView::files).unwrap_or_default();
        let failure = |file: &IndexedFile| Some((file.path.clone(), file.doc.parser_failure?));
        Self { by_path: files.iter().filter_map(failure).collect() }
    }

    /// Adds the failures among the sources of a pack, which was made with `cancel`.
    pub fn add_sources(&mut self, SourceTexts(texts): SourceTexts, cancel: &Cancel) {
        let failure = |(path, text): (String, Arc<Text>)| {
            syntax::known_failure(&path, &text, cancel).map(|failure| (path, failure))
        };
        self.by_path.extend(texts.into_iter().filter_map(failure));
    }

    /// Whether the pack could be another on a faster machine, or one with more memory.
    pub fn depend_on_machine(&self) -> bool {
        self.by_path.values().any(|failure| failure.depends_on_machine())
    }

    /// Returns a warning that names the first file.
    pub fn warning(&self) -> Option<String> {
        let (path, failure) = self.by_path.first_key_value()?;
        let more = self.by_path.len() - 1;
        let and_more =
            if more == 0 { String::new() } else { format!(" and {}", plural(more, "more file")) };
        Some(format!("split by lines: `{path}` ({failure}){and_more}"))
    }
}

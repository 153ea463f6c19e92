//! The built-in providers, in the order in which their answers are merged.

mod diagnostics;
mod document;
mod given;
mod history;
mod rules;
mod search;
mod style;

pub use diagnostics::{Reading, around_frames};

use crate::gather::provider::Provider;
use std::sync::Arc;

/// Returns the built-in providers.
pub(crate) fn built_in() -> Vec<Arc<dyn Provider>> {
    vec![
        Arc::new(document::Document),
        Arc::new(document::Selection),
        Arc::new(document::Cursor),
        Arc::new(document::Heading),
        Arc::new(given::OpenFiles),
        Arc::new(given::ToolResults),
        Arc::new(given::References),
        Arc::new(given::Sources),
        Arc::new(diagnostics::Diagnostics),
        Arc::new(history::History::default()),
        Arc::new(search::Searching),
        Arc::new(rules::Rules::default()),
        Arc::new(style::Style),
    ]
}

/// Creates a source from prose that a provider wrote, as opposed to the content of a file.
fn prose(path: &str, kind: kitbag_text::Kind, text: String, relevance: f64) -> kitbag_text::Source {
    let from = kitbag_text::Provenance { is_prose: true, ..kitbag_text::Provenance::default() };
    kitbag_text::Source {
        relevance: Some(relevance),
        from: Some(Arc::new(from)),
        ..kitbag_text::Source::new(path, kind, Arc::new(kitbag_text::Text::new(text)))
    }
}

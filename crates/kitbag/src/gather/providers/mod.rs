//! The built-in providers, in the order in which their answers are merged.

mod diagnostics;
mod diff;
mod document;
mod given;
mod history;
mod overview;
mod rules;
mod search;
mod style;
mod tree;

pub use diagnostics::{Reading, around_frames};

use crate::gather::provider::{Gathered, Gathering, Needs, Provider, ProviderError};
use crate::request::Request;
use kitbag_text::{Kind, Provenance, Source, Text};
use std::sync::Arc;

/// Returns the built-in providers.
pub(crate) fn built_in() -> Vec<Arc<dyn Provider>> {
    vec![
        Arc::new(diff::DIFF),
        Arc::new(tree::TREE),
        Arc::new(overview::OVERVIEW),
        Arc::new(document::DOCUMENT),
        Arc::new(document::SELECTION),
        Arc::new(document::CURSOR),
        Arc::new(document::HEADING),
        Arc::new(given::OPEN_FILES),
        Arc::new(given::TOOL_RESULTS),
        Arc::new(given::REFERENCES),
        Arc::new(given::SOURCES),
        Arc::new(diagnostics::DIAGNOSTICS),
        Arc::new(history::History::default()),
        Arc::new(search::SEARCH),
        Arc::new(rules::Rules::default()),
        Arc::new(style::STYLE),
    ]
}

/// A provider without state.
struct BuiltIn {
    id: &'static str,
    title: &'static str,
    description: &'static str,
    needs: Needs,
    applies: fn(&Request) -> bool,
    /// Returns whether the request has input that only this provider uses.
    has_input: fn(&Request) -> bool,
    /// Returns whether it can do without the data that it needs, for this request.
    starts_early: fn(&Gathering) -> bool,
    gather: fn(&Gathering) -> Result<Gathered, ProviderError>,
}

impl Provider for BuiltIn {
    fn id(&self) -> &str {
        self.id
    }

    fn title(&self) -> &str {
        self.title
    }

    fn description(&self) -> &str {
        self.description
    }

    fn applies(&self, request: &Request) -> bool {
        (self.applies)(request)
    }

    fn has_input(&self, request: &Request) -> bool {
        (self.has_input)(request)
    }

    fn needs(&self) -> Needs {
        self.needs
    }

    fn starts_early(&self, gathering: &Gathering) -> bool {
        (self.starts_early)(gathering)
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        (self.gather)(gathering)
    }
}

/// Creates a source from prose that a provider wrote, as opposed to the content of a file.
fn prose(path: &str, kind: Kind, text: String, relevance: f64) -> Source {
    let from = Provenance { is_prose: true, ..Provenance::default() };
    Source {
        relevance: Some(relevance),
        from: Some(Arc::new(from)),
        ..Source::new(path, kind, Arc::new(Text::new(text)))
    }
}

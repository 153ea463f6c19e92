//! Providers for inputs in the request itself: open files, tool results, references and sources.

use crate::gather::inputs::{Gatherer, Inputs};
use crate::gather::provider::{Gathered, Gathering, Provider, ProviderError};
use crate::request::{Request, SourceLine};
use kitbag_text::Kind;

/// Creates the `Gatherer` for a request.
fn gatherer(gathering: &Gathering) -> Gatherer<'_> {
    Gatherer {
        root: &gathering.root,
        limits: &gathering.chunking,
        counting: &gathering.counting,
        redact: gathering.redact,
    }
}

fn gathered(inputs: Inputs) -> Gathered {
    Gathered { inputs, is_undated: true, ..Gathered::default() }
}

/// Provides the open files.
pub(super) struct OpenFiles;

impl Provider for OpenFiles {
    fn id(&self) -> &str {
        "open_files"
    }

    fn title(&self) -> &str {
        "Open Files"
    }

    fn description(&self) -> &str {
        "The files that the caller has open, saved or not."
    }

    fn applies(&self, request: &Request) -> bool {
        !request.open_files.is_empty()
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let mut inputs = Inputs::default();
        for file in &gathering.request.open_files {
            gathering.cancel.check()?;
            let line = SourceLine {
                path: file.path.clone(),
                content: file.content.clone(),
                kind: Some(Kind::OpenFile),
                ..SourceLine::default()
            };
            gatherer(gathering).line(line, &mut inputs);
        }
        Ok(gathered(inputs))
    }
}

/// Provides the output of tools.
pub(super) struct ToolResults;

impl Provider for ToolResults {
    fn id(&self) -> &str {
        "tool_results"
    }

    fn title(&self) -> &str {
        "Tool Results"
    }

    fn description(&self) -> &str {
        "The output of commands and tools that the caller ran."
    }

    fn applies(&self, request: &Request) -> bool {
        !request.tool_results.is_empty()
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let mut inputs = Inputs::default();
        for result in &gathering.request.tool_results {
            gathering.cancel.check()?;
            let line = SourceLine {
                path: result.label.trim().to_owned(),
                content: Some(result.content.clone()),
                kind: Some(Kind::ToolResult),
                ..SourceLine::default()
            };
            gatherer(gathering).labelled(line, &mut inputs);
        }
        Ok(Gathered { is_undated: false, is_labelled: true, ..gathered(inputs) })
    }
}

/// Provides the paths that the caller references.
pub(super) struct References;

impl Provider for References {
    fn id(&self) -> &str {
        "references"
    }

    fn title(&self) -> &str {
        "References"
    }

    fn description(&self) -> &str {
        "The files that the caller names, whole or some lines of them."
    }

    fn applies(&self, request: &Request) -> bool {
        !request.references.is_empty()
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let mut inputs = Inputs::default();
        for reference in &gathering.request.references {
            gathering.cancel.check()?;
            let found = gatherer(gathering).reference(reference, &mut inputs);
            found.map_err(ProviderError::request)?;
        }
        Ok(gathered(inputs))
    }
}

/// Provides the sources that the caller supplies.
pub(super) struct Sources;

impl Provider for Sources {
    fn id(&self) -> &str {
        "sources"
    }

    fn title(&self) -> &str {
        "Sources"
    }

    fn description(&self) -> &str {
        "The sources that the caller brings, with all that is known of them."
    }

    fn applies(&self, request: &Request) -> bool {
        !request.sources.is_empty()
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let mut inputs = Inputs::default();
        for line in &gathering.request.sources {
            gathering.cancel.check()?;
            gatherer(gathering).line(line.clone(), &mut inputs);
        }
        Ok(gathered(inputs))
    }
}

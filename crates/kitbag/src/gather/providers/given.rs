//! Providers for inputs in the request itself: open files, tool results, references and sources.

use super::BuiltIn;
use crate::gather::inputs::{Gatherer, Inputs};
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use crate::request::SourceLine;
use kitbag_text::Kind;

pub(super) const OPEN_FILES: BuiltIn = BuiltIn {
    id: "open_files",
    title: "Open Files",
    description: "The files that the caller has open, saved or not.",
    needs: Needs::Nothing,
    applies: |request| !request.open_files.is_empty(),
    has_input: |request| !request.open_files.is_empty(),
    starts_early: |_| false,
    gather: |gathering| {
        gather_each(gathering, &gathering.request.open_files, |gatherer, file, inputs| {
            let line = SourceLine {
                path: file.path.clone(),
                content: file.content.clone(),
                kind: Some(Kind::OpenFile),
                ..SourceLine::default()
            };
            gatherer.line(line, inputs);
            Ok(())
        })
    },
};

pub(super) const TOOL_RESULTS: BuiltIn = BuiltIn {
    id: "tool_results",
    title: "Tool Results",
    description: "The output of commands and tools that the caller ran.",
    needs: Needs::Nothing,
    applies: |request| !request.tool_results.is_empty(),
    has_input: |request| !request.tool_results.is_empty(),
    starts_early: |_| false,
    gather: |gathering| {
        let results = &gathering.request.tool_results;
        let gathered = gather_each(gathering, results, |gatherer, result, inputs| {
            let line = SourceLine {
                path: result.label.trim().to_owned(),
                content: Some(result.content.clone()),
                kind: Some(Kind::ToolResult),
                ..SourceLine::default()
            };
            gatherer.labeled(line, inputs);
            Ok(())
        })?;
        Ok(given(Gathered { is_undated: false, is_labeled: true, ..gathered }))
    },
};

pub(super) const REFERENCES: BuiltIn = BuiltIn {
    id: "references",
    title: "References",
    description: "The files that the caller names, entirely or in part.",
    needs: Needs::Nothing,
    applies: |request| !request.references.is_empty(),
    has_input: |request| !request.references.is_empty(),
    starts_early: |_| false,
    gather: |gathering| {
        let has_task = !gathering.request.task.trim().is_empty();
        gather_each(gathering, &gathering.request.references, |gatherer, reference, inputs| {
            gatherer.reference(reference, has_task, inputs).map_err(ProviderError::request)
        })
        .map(given)
    },
};

pub(super) const SOURCES: BuiltIn = BuiltIn {
    id: "sources",
    title: "Sources",
    description: "The sources that the caller supplies.",
    needs: Needs::Nothing,
    applies: |request| !request.sources.is_empty(),
    has_input: |request| !request.sources.is_empty(),
    starts_early: |_| false,
    gather: |gathering| {
        gather_each(gathering, &gathering.request.sources, |gatherer, line, inputs| {
            gatherer.line(line.clone(), inputs);
            Ok(())
        })
        .map(given)
    },
};

/// Marks sources that the caller names or supplies. Open files are not among them: the editor has
/// them open for any task.
fn given(mut gathered: Gathered) -> Gathered {
    for source in &mut gathered.inputs.sources {
        source.is_given = true;
    }
    gathered
}

/// Adds each input of a request to the answer.
fn gather_each<T>(
    gathering: &Gathering,
    all: &[T],
    add: impl Fn(&Gatherer<'_>, &T, &mut Inputs) -> Result<(), ProviderError>,
) -> Result<Gathered, ProviderError> {
    let mut inputs = Inputs::default();
    for one in all {
        gathering.cancel.check()?;
        add(&gathering.gatherer(), one, &mut inputs)?;
    }
    Ok(Gathered { inputs, is_undated: true, ..Gathered::default() })
}

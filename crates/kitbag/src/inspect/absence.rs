//! Explains why an expected file is missing from a pack.
//!
//! The report has a reason for every excluded candidate. For other files, this module checks
//! whether the file exists and whether globs or ignore files exclude it.

use crate::error::Error;
use crate::gather::inputs::split_reference;
use crate::report::Report;
use kitbag_core::ChunkForm;
use kitbag_repo::{Globs, Root, SkipCode, Tree, scan};
use kitbag_text::Span;
use std::path::{Path, PathBuf};

/// Places that a pack is expected to contain.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The repository's folder; defaults to the current directory.
    pub repo: Option<PathBuf>,
    /// Files, each with optional lines: `src/a.rs:10-40`.
    pub places: Vec<String>,
    /// The include globs of the request.
    pub include: Vec<String>,
    /// The exclude globs of the request.
    pub exclude: Vec<String>,
}

/// An expected place that is missing from a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The place, relative to the root.
    pub place: String,
    /// Human-readable reason for the absence.
    pub why: String,
}

/// The reason why a file was not a candidate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Absence {
    /// The file does not exist.
    #[error("no such file")]
    NoFile,
    /// The file is outside the repository.
    #[error("outside the repository")]
    Outside,
    /// The file matches `security.deny` or the built-in denylist.
    #[error("denied by `security.deny` or the built-in denylist")]
    Denied,
    /// The file matches an exclude glob of the request.
    #[error("excluded by an exclude glob")]
    Excluded,
    /// The file does not match any include glob of the request.
    #[error("matches no include glob")]
    NotIncluded,
    /// The file is hidden or excluded by an ignore file.
    #[error("hidden, or ignored by a file such as `.gitignore`")]
    Ignored,
}

/// Returns why a file was not a candidate, or `None` if search could have found it.
pub(super) fn why_absent(
    root: &Root,
    path: &str,
    include: &[String],
    exclude: &[String],
) -> Option<Absence> {
    if let Err(error) = root.resolve(Path::new(path)) {
        return Some(match error.code() {
            SkipCode::Denied => Absence::Denied,
            SkipCode::OutsideRoot => Absence::Outside,
            _ => Absence::NoFile,
        });
    }
    let rejects = |globs: Result<Globs, _>| globs.is_ok_and(|globs| !globs.accepts(path));
    let is_walked = || {
        let tree = scan(root, &Globs::default()).tree;
        tree.files().iter().any(|file| file.path == path)
    };
    if rejects(Globs::new(&[], exclude)) {
        Some(Absence::Excluded)
    } else if rejects(Globs::new(include, &[])) {
        Some(Absence::NotIncluded)
    } else {
        (!is_walked()).then_some(Absence::Ignored)
    }
}

/// Returns the expected places that are missing from a pack, each with a reason.
pub(crate) fn missing(
    expected: &Expected,
    report: &Report,
    root: &Root,
) -> Result<Vec<Missing>, Error> {
    let mut missing = Vec::new();
    for place in &expected.places {
        let (path, span) = split_place(root, place)?;
        if is_included(report, &path, span) {
            continue;
        }
        let absence = || why_absent(root, &path, &expected.include, &expected.exclude);
        let why = reported_reason(report, &path, span).or_else(|| Some(absence()?.to_string()));
        let lines = span.map(|span| format!(":{span}")).unwrap_or_default();
        missing.push(Missing {
            place: format!("{path}{lines}"),
            why: why.unwrap_or_else(|| "not found for the task".to_owned()),
        });
    }
    Ok(missing)
}

/// Splits a reference into a path relative to the root and an optional line range.
fn split_place(root: &Root, place: &str) -> Result<(String, Option<Span>), Error> {
    let (path, span) = match root.resolve(Path::new(place)) {
        Ok(_) => (place, None),
        Err(_) => split_reference(place)?,
    };
    let resolved = root.resolve(Path::new(path)).or_else(|_| root.normalize(path));
    Ok((resolved.unwrap_or_else(|_| path.to_owned()), span))
}

/// Returns whether a pack contains a file, including all expected lines.
fn is_included(report: &Report, path: &str, span: Option<Span>) -> bool {
    let own = || report.included.iter().filter(|item| item.path == path);
    let is_shown =
        |line: u32| own().flat_map(|item| &item.shown).any(|run| run.contains_line(line));
    match span {
        None => own().next().is_some(),
        Some(span) => (span.start..=span.end).all(is_shown),
    }
}

/// Returns the first reason that the report gives for excluding the place.
fn reported_reason(report: &Report, path: &str, span: Option<Span>) -> Option<String> {
    let overlaps = |start: Option<u32>, end: Option<u32>| match (span, start.zip(end)) {
        (Some(span), Some(lines)) => span.shared_lines(lines.into()) > 0,
        _ => true,
    };
    let mut excluded = report.excluded.iter().filter(|it| it.path == path);
    if let Some(it) = excluded.find(|it| overlaps(it.start_line, it.end_line)) {
        return Some(format!("{}: {}", it.reason.as_str(), it.detail));
    }
    let mut included = report.included.iter().filter(|it| it.path == path).peekable();
    included.peek()?;
    let partial = included
        .find(|it| it.form != ChunkForm::Full && overlaps(Some(it.start_line), Some(it.end_line)));
    Some(match partial {
        Some(it) => format!("its chunk is only shown as {}", it.form.as_str()),
        None => "only other lines of the file are included".to_owned(),
    })
}

//! Explains why an expected file is missing from a pack.
//!
//! The report has a reason for every excluded candidate. For other files, this module checks
//! whether the file exists and whether globs or ignore files exclude it.

use crate::engine::Engine;
use crate::error::Error;
use crate::gather::inputs::split_reference;
use crate::report::Report;
use crate::root::open_root;
use kitbag_core::Cancel;
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
    #[error("there is no such file")]
    NoFile,
    /// The file is outside the repository.
    #[error("it is outside the repository")]
    Outside,
    /// The file matches `security.deny`.
    #[error("it may not be read (security.deny)")]
    Denied,
    /// The file matches an exclude glob of the request.
    #[error("a glob to exclude leaves it out")]
    Excluded,
    /// The file does not match any include glob of the request.
    #[error("no glob to include takes it in")]
    NotIncluded,
    /// The file is hidden or excluded by an ignore file.
    #[error("it is hidden, or an ignore file such as .gitignore leaves it out of the search")]
    Ignored,
}

/// Returns why a file was not a candidate, or `None` if search could have found it.
pub(crate) fn why_absent(
    root: &Root,
    path: &str,
    (include, exclude): (&[String], &[String]),
) -> Option<Absence> {
    match root.resolve(Path::new(path)) {
        Ok(_) => {}
        Err(error) => {
            return Some(match error.code() {
                SkipCode::Denied => Absence::Denied,
                SkipCode::OutsideRoot => Absence::Outside,
                _ => Absence::NoFile,
            });
        }
    }
    let globs = |include: &[String], exclude: &[String]| Globs::new(include, exclude).ok();
    if globs(&[], exclude).is_some_and(|it| !it.accepts(path)) {
        return Some(Absence::Excluded);
    }
    if globs(include, &[]).is_some_and(|it| !it.accepts(path)) {
        return Some(Absence::NotIncluded);
    }
    let tree = scan(root, &Globs::default()).tree;
    let is_seen = tree.files().iter().any(|file| file.path == path);
    (!is_seen).then_some(Absence::Ignored)
}

impl Engine {
    /// Returns the expected places that are missing from a pack, each with a reason.
    pub async fn missing(
        &self,
        expected: Expected,
        report: &Report,
        cancel: &Cancel,
    ) -> Result<Vec<Missing>, Error> {
        let repo = expected.repo.as_deref().unwrap_or(Path::new("."));
        let deny = self.settled(repo, None, cancel).await?.0.deny;
        let root = open_root(Some(repo), &deny, &[])?;
        let mut missing = Vec::new();
        for place in &expected.places {
            let (path, span) = named(&root, place)?;
            if !is_in(report, &path, span) {
                missing.push((path, span));
            }
        }
        let reasons: Vec<Option<String>> =
            missing.iter().map(|(path, span)| reason(report, path, *span)).collect();
        let tell = move |_: &Cancel| {
            let globs = (&expected.include[..], &expected.exclude[..]);
            let each = missing.into_iter().zip(reasons).map(|((path, span), known)| {
                let absent = || why_absent(&root, &path, globs).map(|it| it.to_string());
                let why = known.or_else(absent).unwrap_or_else(|| "nothing found it".to_owned());
                let lines = span.map(|span| format!(":{span}")).unwrap_or_default();
                Missing { place: format!("{path}{lines}"), why }
            });
            Ok(each.collect())
        };
        self.run(cancel, tell).await
    }
}

/// Splits a reference into a path relative to the root and an optional line range.
fn named(root: &Root, place: &str) -> Result<(String, Option<Span>), Error> {
    let (path, span) = match root.resolve(Path::new(place)) {
        Ok(_) => (place, None),
        Err(_) => split_reference(place)?,
    };
    let resolved = root.resolve(Path::new(path)).or_else(|_| root.normalize(path));
    Ok((resolved.unwrap_or_else(|_| path.to_owned()), span))
}

/// Returns whether a pack contains a file, including all expected lines.
fn is_in(report: &Report, path: &str, span: Option<Span>) -> bool {
    let own = || report.included.iter().filter(|item| item.path == path);
    let is_shown = |line: u32| {
        own().flat_map(|item| &item.shown).any(|run| run.start <= line && line <= run.end)
    };
    match span {
        None => own().next().is_some(),
        Some(span) => (span.start..=span.end).all(is_shown),
    }
}

/// Returns the first reason that the report gives for excluding the place.
fn reason(report: &Report, path: &str, span: Option<Span>) -> Option<String> {
    let has = |start: Option<u32>, end: Option<u32>| match (span, start.zip(end)) {
        (Some(span), Some((start, end))) => start <= span.end && span.start <= end,
        _ => true,
    };
    let mut out = report.excluded.iter().filter(|it| it.path == path);
    let out = out.find(|it| has(it.start_line, it.end_line));
    let out = out.map(|it| format!("{}: {}", it.reason, it.detail));
    let other = || {
        let mut own = report.included.iter().filter(|it| it.path == path);
        let is_part = |it: &&crate::report::IncludedItem| {
            it.form != "full" && has(Some(it.start_line), Some(it.end_line))
        };
        let form = own.find(is_part).map(|it| format!("its chunk is shown as {} only", it.form));
        let mut rest = report.included.iter();
        form.or_else(|| {
            rest.any(|it| it.path == path).then(|| "other lines of the file are in".to_owned())
        })
    };
    out.or_else(other)
}

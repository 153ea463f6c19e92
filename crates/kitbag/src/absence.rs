//! Why is a file that is expected in a pack not there?
//!
//! What came to be a candidate has its reason in the report. Of what did not, this tells whether the
//! file is there at all, and whether globs or ignore files leave it out.

use crate::engine::Engine;
use crate::error::Error;
use crate::inputs::{open_root, split_reference};
use crate::report::Report;
use kitbag_core::Cancel;
use kitbag_repo::{Globs, Root, Tree, survey};
use kitbag_text::Span;
use std::path::{Path, PathBuf};

/// What is expected in a pack.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The repository's folder; the current one if not given.
    pub repo: Option<PathBuf>,
    /// Files, each with optional lines: `src/a.rs:10-40`.
    pub places: Vec<String>,
    /// The globs of the request.
    pub include: Vec<String>,
    /// The same.
    pub exclude: Vec<String>,
}

/// What is expected and is not in a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The place, relative to the root.
    pub place: String,
    /// Why it is not there.
    pub why: String,
}

/// Why a file was no candidate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Absence {
    /// There is no such file.
    #[error("there is no such file")]
    NoFile,
    /// It is not in the repository.
    #[error("it is outside the repository")]
    Outside,
    /// It may not be read.
    #[error("it may not be read (security.deny)")]
    Denied,
    /// A glob of the request leaves it out.
    #[error("a glob to exclude leaves it out")]
    Excluded,
    /// No glob of the request takes it in.
    #[error("no glob to include takes it in")]
    NotIncluded,
    /// It is hidden, or an ignore file leaves it out.
    #[error("it is hidden, or an ignore file such as .gitignore leaves it out of the search")]
    Ignored,
}

/// Why a file was no candidate; `None` where search could have found it.
pub(crate) fn why_absent(
    root: &Root,
    path: &str,
    (include, exclude): (&[String], &[String]),
) -> Option<Absence> {
    match root.resolve(Path::new(path)) {
        Ok(_) => {}
        Err(error) => {
            return Some(match error.code() {
                "denied" => Absence::Denied,
                "outside_root" => Absence::Outside,
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
    let tree = survey(root, &Globs::default(), None).tree;
    let is_seen = tree.files().iter().any(|file| file.path == path);
    (!is_seen).then_some(Absence::Ignored)
}

impl Engine {
    /// What is expected and is not in a pack, with the reason for each.
    pub async fn missing(
        &self,
        expected: Expected,
        report: &Report,
        cancel: &Cancel,
    ) -> Result<Vec<Missing>, Error> {
        let repo = expected.repo.as_deref().unwrap_or(Path::new("."));
        let deny = self.settled(repo, None, cancel).await?.0.deny;
        let root = open_root(Some(repo), &deny)?;
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

/// The path of a place relative to the root, and its lines.
fn named(root: &Root, place: &str) -> Result<(String, Option<Span>), Error> {
    let (path, span) = match root.resolve(Path::new(place)) {
        Ok(_) => (place, None),
        Err(_) => split_reference(place)?,
    };
    let resolved = root.resolve(Path::new(path)).or_else(|_| root.normalise(path));
    Ok((resolved.unwrap_or_else(|_| path.to_owned()), span))
}

/// Whether a file is in a pack, with all of its lines that are expected.
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

/// The first reason that a report has.
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

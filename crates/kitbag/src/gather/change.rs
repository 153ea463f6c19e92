//! Compares the files of a change under review, and finds the code around it.
//!
//! The comparison is resolved when the request is opened, so that a wrong base is an error at once. The
//! files are compared when the first provider needs them.

use super::change_state::{Change, ChangedFile};
use super::definition_line::definition_line;
use crate::gather::provider::{Gathering, ProviderError};
use crate::index::search_chunk_limits;
use kitbag_core::{Cancelled, PackError};
use kitbag_index::{ContentFlags, FileKind, last_name};
use kitbag_repo::{Comparison, FileDiff, compare, with_cancel};
use kitbag_text::{Chunk, Text, identifiers, is_stop_word};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Shorter identifiers are variables, which have no definition worth looking up.
const MIN_NAME_CHARS: usize = 4;

impl Gathering {
    /// Returns the change that the request asks to review, if it does.
    pub(crate) fn change(&self) -> Result<Option<Arc<Change>>, ProviderError> {
        let Some(requested) = &self.change else { return Ok(None) };
        let change = requested.change.get_or_init(|| {
            with_cancel(&self.cancel, || self.compare(&requested.comparison)).map(Arc::new)
        });
        change.clone().map(Some).map_err(ProviderError::Failed)
    }

    fn compare(&self, comparison: &Comparison) -> Result<Change, String> {
        let prepared = self.prepared.as_ref().ok_or("the work tree was not scanned")?;
        let changed = prepared.worktree.changed.as_deref().unwrap_or_default();
        let changes = compare(&self.root, comparison, changed, &self.globs, self.redact);
        let changes = changes.map_err(|error| error.to_string())?;
        let files = changes.files.iter().enumerate();
        let files = files.map(|(at, diff)| self.changed_file(at, diff));
        let files = files.collect::<Result<_, Cancelled>>();
        let files = files.map_err(|error| PackError::from(error).to_string())?;
        Ok(Change { files, changes })
    }

    fn changed_file(&self, at: usize, diff: &FileDiff) -> Result<ChangedFile, Cancelled> {
        let after = diff.after.clone().unwrap_or_default();
        let before = diff.before.as_deref().unwrap_or_default();
        let flags = ContentFlags::of(if after.is_empty() { before } else { &after });
        let kind = FileKind::of(&diff.path, flags);
        let text = Arc::new(Text::new(after));
        let lines = HunkLines::of(diff, text.line_count());
        let limits = search_chunk_limits(&self.chunking);
        let chunker = self.chunker();
        let mut file = ChangedFile {
            at,
            kind,
            chunks: Arc::default(),
            touched: lines.touched,
            shown: lines.shown,
            changed_names: Vec::new(),
            used_names: Vec::new(),
            text: Arc::clone(&text),
        };
        if !matches!(kind, FileKind::Code | FileKind::Test) || diff.hunks.is_empty() {
            return Ok(file);
        }
        file.chunks = chunker.chunks(&diff.path, &text, &limits)?;
        let mut names = definitions_at(&text, &file.chunks, &file.touched);
        if !lines.removed.is_empty() {
            let old = Arc::new(Text::new(before.to_owned()));
            let chunks = chunker.chunks(&diff.path, &old, &limits)?;
            names.extend(definitions_at(&old, &chunks, &lines.removed));
        }
        file.used_names = used_names(diff, &names);
        file.changed_names = deduplicated(names);
        Ok(file)
    }
}

/// The lines of the hunks of a file.
struct HunkLines {
    touched: Vec<u32>,
    removed: Vec<u32>,
    shown: FxHashSet<u32>,
}

impl HunkLines {
    fn of(diff: &FileDiff, line_count: u32) -> Self {
        let mut all =
            Self { touched: Vec::new(), removed: Vec::new(), shown: FxHashSet::default() };
        for hunk in &diff.hunks {
            let (mut new, mut old) = (hunk.new_start, hunk.old_start);
            for line in hunk.lines.lines() {
                match line.as_bytes().first() {
                    Some(b'+') => {
                        all.touched.push(new);
                        all.shown.insert(new);
                        new += 1;
                    }
                    Some(b'-') => {
                        all.touched.push(new.min(line_count));
                        all.removed.push(old);
                        old += 1;
                    }
                    Some(b' ') => {
                        all.shown.insert(new);
                        (new, old) = (new + 1, old + 1);
                    }
                    _ => {}
                }
            }
        }
        all.touched.retain(|line| (1..=line_count).contains(line));
        all.touched.sort_unstable();
        all.touched.dedup();
        all
    }
}

/// Returns the last names of the definitions that contain some lines, which are sorted.
fn definitions_at(text: &Text, chunks: &[Chunk], lines: &[u32]) -> Vec<String> {
    let mut names = Vec::new();
    for chunk in chunks.iter().filter(|chunk| !chunk.defines.is_empty()) {
        let first = lines.partition_point(|&line| line < chunk.span.start);
        let touched = lines[first..].iter().take_while(|&&line| line <= chunk.span.end);
        for &line in touched {
            names.extend(definition_at(text, chunk, line).map(str::to_owned));
        }
    }
    names
}

/// Returns the last definition of a chunk that starts on or above a line. Small definitions share a chunk.
fn definition_at<'a>(text: &Text, chunk: &'a Chunk, line: u32) -> Option<&'a str> {
    let names = chunk.defines.iter().map(|it| last_name(it));
    if let [only] = chunk.defines.as_slice() {
        return Some(last_name(only));
    }
    let starts = names.filter_map(|name| Some((definition_line(text, chunk, name)?, name)));
    let above = starts.filter(|(start, _)| *start <= line);
    above.max_by_key(|(start, _)| *start).map(|(_, name)| name)
}

/// Returns the identifiers on changed lines that are not among the changed definitions.
fn used_names(diff: &FileDiff, changed: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    let lines = diff.hunks.iter().flat_map(|hunk| hunk.lines.lines());
    for line in lines.filter(|line| line.starts_with(['+', '-'])) {
        names.extend(identifiers(&line[1..]).map(str::to_owned));
    }
    names.retain(|name| {
        name.chars().count() >= MIN_NAME_CHARS
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && !is_stop_word(&name.to_lowercase())
            && !changed.contains(name)
    });
    deduplicated(names)
}

fn deduplicated(mut names: Vec<String>) -> Vec<String> {
    let mut seen = FxHashSet::default();
    names.retain(|name| seen.insert(name.clone()));
    names
}

//! The files of a record, read again as a pack reads them.

use super::hash;
use crate::inputs::MOST_BYTES;
use kitbag_repo::{PathError, Root};
use kitbag_text::{Span, Text, decode, redact};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

/// Files longer than this are not looked through for lines that have moved.
const MOST_LINES_MOVED: u32 = 20_000;

/// A file as it is now: as decoded, and with its secrets replaced.
pub struct File {
    pub plain: Arc<Text>,
    pub redacted: Arc<Text>,
}

/// Reads files, each once.
pub struct Reading<'a> {
    root: &'a Root,
    /// Whether what is shown has its secrets replaced.
    redact: bool,
    files: RefCell<FxHashMap<String, Option<Arc<File>>>>,
}

impl<'a> Reading<'a> {
    pub fn new(root: &'a Root, redact: bool) -> Self {
        Self { root, redact, files: RefCell::default() }
    }

    /// The file at `path`; `None` where it is gone, or not text any more.
    pub fn file(&self, path: &str) -> Option<Arc<File>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let file = read(self.root, path).ok().flatten().map(Arc::new);
        self.files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }

    /// Whether there is nothing at `path`. What may not be read, or is no text, is there.
    pub fn is_gone(&self, path: &str) -> bool {
        self.file(path).is_none()
            && matches!(self.root.resolve(Path::new(path)), Err(PathError::NotFound { .. }))
    }

    /// What a pack shows of a file.
    pub fn shown(&self, path: &str) -> Option<Arc<Text>> {
        let file = self.file(path)?;
        Some(Arc::clone(if self.redact { &file.redacted } else { &file.plain }))
    }
}

impl File {
    /// Whether these lines have this hash, as they are or with their secrets replaced.
    pub fn has(&self, span: Span, is_whole: bool, sha256: &str) -> bool {
        let same = |text: &Text| {
            let lines = if is_whole { text.content() } else { text.slice(span) };
            hash(lines.as_bytes()) == sha256
        };
        same(&self.plain) || same(&self.redacted)
    }
}

/// Reads a file; `None` where it is not text.
fn read(root: &Root, path: &str) -> Result<Option<File>, PathError> {
    let Ok(decoded) = decode(root.read(path, MOST_BYTES)?) else { return Ok(None) };
    let plain = Arc::new(Text::new(decoded.content));
    let redacted = redact(&plain).map(|(text, _)| Arc::new(text));
    Ok(Some(File { redacted: redacted.unwrap_or_else(|| Arc::clone(&plain)), plain }))
}

/// Where lines with this hash stand now, nearest to where they stood.
pub fn moved(text: &Text, span: Span, sha256: &str) -> Option<Span> {
    let (lines, count) = (text.line_count(), span.lines());
    if lines > MOST_LINES_MOVED || count > lines {
        return None;
    }
    let mut starts: Vec<u32> = (1..=lines - count + 1).collect();
    starts.sort_by_key(|start| start.abs_diff(span.start));
    let there = starts.into_iter().map(|start| Span::new(start, start + count - 1));
    there.into_iter().find(|there| hash(text.slice(*there).as_bytes()) == sha256)
}

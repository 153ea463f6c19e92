//! Reads the files of a record again, in the same way as a pack reads them.

use crate::hash;
use kitbag_repo::{PathError, Root};
use kitbag_text::{Span, Text, decode, redact};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

/// Maximum size of a file to read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Maximum number of lines in a file that is searched for moved lines.
const MAX_SEARCHED_LINES: u32 = 20_000;

/// The current content of a file, both as decoded and with secrets redacted.
pub struct File {
    pub plain: Arc<Text>,
    pub redacted: Arc<Text>,
}

/// Reads files on demand and caches them.
pub struct Reading<'a> {
    root: &'a Root,
    /// Whether secrets are redacted in the text returned by `shown`.
    redact: bool,
    files: RefCell<FxHashMap<String, Option<Arc<File>>>>,
}

impl<'a> Reading<'a> {
    pub fn new(root: &'a Root, redact: bool) -> Self {
        Self { root, redact, files: RefCell::default() }
    }

    /// Returns the file at `path`, or `None` if it is missing, unreadable or not text.
    pub fn file(&self, path: &str) -> Option<Arc<File>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let file = self.read(path).map(Arc::new);
        self.files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }

    fn read(&self, path: &str) -> Option<File> {
        let content = decode(self.root.read(path, MAX_BYTES).ok()?).ok()?;
        let plain = Arc::new(Text::new(content));
        let redacted = redact(&plain).map(|(text, _)| Arc::new(text));
        Some(File { redacted: redacted.unwrap_or_else(|| Arc::clone(&plain)), plain })
    }

    /// Returns whether `path` does not exist. Unreadable and binary files count as existing.
    pub fn is_gone(&self, path: &str) -> bool {
        self.file(path).is_none()
            && matches!(self.root.resolve(Path::new(path)), Err(PathError::NotFound { .. }))
    }

    /// Returns the text of a file as a pack would show it.
    pub fn shown(&self, path: &str) -> Option<Arc<Text>> {
        let file = self.file(path)?;
        Some(Arc::clone(if self.redact { &file.redacted } else { &file.plain }))
    }
}

impl File {
    /// Returns whether these lines match the hash, either as decoded or with secrets redacted.
    pub fn has(&self, span: Span, is_whole: bool, sha256: &str) -> bool {
        let same = |text: &Text| {
            let lines = if is_whole { text.content() } else { text.slice(span) };
            hash(lines.as_bytes()) == sha256
        };
        same(&self.plain) || same(&self.redacted)
    }
}

/// Finds the lines with this hash, choosing the occurrence nearest to `span`.
pub fn find_moved(text: &Text, span: Span, sha256: &str) -> Option<Span> {
    let (lines, count) = (text.line_count(), span.lines());
    if lines > MAX_SEARCHED_LINES || count > lines {
        return None;
    }
    let mut starts: Vec<u32> = (1..=lines - count + 1).collect();
    starts.sort_by_key(|start| start.abs_diff(span.start));
    let mut spans = starts.into_iter().map(|start| Span::new(start, start + count - 1));
    spans.find(|span| hash(text.slice(*span).as_bytes()) == sha256)
}

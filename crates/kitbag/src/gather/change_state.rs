//! The state of a change under review: what is compared, what differs, and the code around it.

use crate::error::Error;
use kitbag_index::FileKind;
use kitbag_repo::{Changes, Comparison, GitError, Root, ref_names};
use kitbag_text::{Chunk, Source, Span, Text, similar};
use rustc_hash::FxHashSet;
use std::sync::{Arc, OnceLock};

/// The comparison that a request asks for, and its result once a provider needs it.
pub(crate) struct RequestedChange {
    pub comparison: Comparison,
    pub change: OnceLock<Result<Arc<Change>, String>>,
}

/// Changed files with the code around the changes.
pub(crate) struct Change {
    pub files: Vec<ChangedFile>,
    pub changes: Changes,
}

/// A changed file.
pub(crate) struct ChangedFile {
    /// Position among the files of [`Changes`].
    pub at: usize,
    pub kind: FileKind,
    /// The text after the change, and its chunks.
    pub text: Arc<Text>,
    pub chunks: Arc<Vec<Chunk>>,
    /// The lines after the change that were added, or from between which lines were removed.
    pub touched: Vec<u32>,
    /// The lines after the change that the hunks show.
    pub shown: FxHashSet<u32>,
    /// Names of the definitions that were changed, added or removed.
    pub changed_names: Vec<String>,
    /// Other names on the lines that were added or removed.
    pub used_names: Vec<String>,
}

impl RequestedChange {
    /// Resolves the argument of `--diff`.
    pub fn resolve(root: &Root, base: &str) -> Result<Self, Error> {
        let comparison = Comparison::resolve(root, base).map_err(|error| match error {
            GitError::UnknownRevision { revision, .. } => unknown_base(root, revision),
            GitError::NoIndex { .. } => Error::UnknownBase {
                base: base.trim().to_owned(),
                hint: "nothing is staged at a commit: name a base such as `main`".to_owned(),
            },
            error @ (GitError::AmbiguousRevision { .. } | GitError::NotACommit { .. }) => {
                Error::NotOneCommit(error)
            }
            error @ (GitError::NotARepository { .. } | GitError::LeadsOutside { .. }) => {
                Error::DiffWithoutGit(error)
            }
            error => Error::Git(error),
        })?;
        Ok(Self { comparison, change: OnceLock::new() })
    }
}

fn unknown_base(root: &Root, base: String) -> Error {
    let names = ref_names(root).unwrap_or_default();
    let nearest = similar(&base, names.iter().map(String::as_str));
    let hint = match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None => "name a branch, a tag, a commit, or a range such as `main...HEAD`".to_owned(),
    };
    Error::UnknownBase { base, hint }
}

impl Change {
    /// Removes the chunks of `sources` that the change shows: in full in its hunks, or in another
    /// version, as after a later commit.
    pub fn remove_own(&self, sources: &mut Vec<Source>) {
        for source in sources.iter_mut() {
            let is_same = |file: &&ChangedFile| self.changes.files[file.at].path == source.path;
            let Some(file) = self.files.iter().find(is_same) else { continue };
            let own: FxHashSet<&str> =
                file.touched_chunks().filter_map(|chunk| chunk.symbol.as_deref()).collect();
            let is_own = |chunk: &Chunk| chunk.symbol.as_deref().is_some_and(|it| own.contains(it));
            let is_current = file.text.content() == source.text.content();
            let is_shown =
                |chunk: &Chunk| if is_current { !file.has_more(chunk.span) } else { is_own(chunk) };
            let pieces = source.pieces.iter_mut();
            pieces.for_each(|pieces| pieces.retain(|piece| !is_shown(&piece.chunk)));
        }
        sources.retain(|source| source.pieces.as_ref().is_none_or(|pieces| !pieces.is_empty()));
    }
}

impl ChangedFile {
    /// Whether some lines that are not blank are not in the hunks.
    fn has_more(&self, span: Span) -> bool {
        let mut lines = span.start..=span.end;
        lines.any(|line| !self.shown.contains(&line) && !self.text.line(line).trim().is_empty())
    }

    /// Returns the chunks that contain changes.
    fn touched_chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.chunks.iter().filter(|chunk| {
            let next = self.touched.partition_point(|&line| line < chunk.span.start);
            self.touched.get(next).is_some_and(|&line| line <= chunk.span.end)
        })
    }

    /// Returns the chunks that contain changes and have lines that the hunks do not show.
    pub fn surroundings(&self) -> impl Iterator<Item = &Chunk> {
        self.touched_chunks().filter(|chunk| self.has_more(chunk.span))
    }
}

//! The tree of a task, in which the comment that a question was made from is hidden.

use kitbag_repo::{CommitTree, FileEntry, FileId, ObjectId, PathError, Skipped, Tree};
use kitbag_text::Span;

/// Lines that the search must not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenLines {
    /// The path of the file.
    pub path: String,
    /// The lines.
    pub span: Span,
}

/// The tree of a commit, in which some lines of a file may be blank.
pub(super) struct TaskTree {
    tree: CommitTree,
    /// The files, of which the one with hidden lines has an id of its own.
    files: Vec<FileEntry>,
    hidden: Option<HiddenLines>,
}

impl TaskTree {
    pub fn new(tree: CommitTree, hidden: Option<&HiddenLines>) -> Self {
        let mut files = tree.files().to_vec();
        if let Some(lines) = hidden
            && let Some(file) = files.iter_mut().find(|it| it.path == lines.path)
        {
            hide(file, lines, &tree);
        }
        Self { tree, files, hidden: hidden.cloned() }
    }
}

impl Tree for TaskTree {
    fn files(&self) -> &[FileEntry] {
        &self.files
    }

    fn read(&self, entry: &FileEntry, limit: u64) -> Result<Vec<u8>, PathError> {
        let Some(lines) = self.hidden.as_ref().filter(|it| it.path == entry.path) else {
            return self.tree.read(entry, limit);
        };
        let original = self.tree.files().iter().find(|it| it.path == entry.path);
        let bytes = self.tree.read(original.unwrap_or(entry), limit)?;
        Ok(blank(&bytes, lines.span))
    }

    fn skipped(&self) -> &[Skipped] {
        self.tree.skipped()
    }
}

/// Gives a file the id of its content without the hidden lines, because analyses are cached by it.
fn hide(file: &mut FileEntry, lines: &HiddenLines, tree: &CommitTree) {
    let content = tree.read(file, u64::MAX).map(|content| blank(&content, lines.span));
    if let Some(content) = content.ok()
        && let Some(id) = ObjectId::of_content(&content)
    {
        (file.id, file.size) = (FileId::Blob(id), content.len() as u64);
    }
}

/// Empties some lines, so that the others keep their numbers.
fn blank(content: &[u8], span: Span) -> Vec<u8> {
    let mut kept = Vec::with_capacity(content.len());
    for (line, number) in content.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        let text = if span.contains_line(number) { &line[line.len() - 1..] } else { line };
        kept.extend(text);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_lines_are_blank() {
        let content = b"one\n/// two\n/// three\nfour\n";
        assert_eq!(blank(content, Span::new(2, 3)), b"one\n\n\nfour\n");
    }
}

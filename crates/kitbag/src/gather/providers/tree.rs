//! The folders and files of the repository, folded to a number of tokens.

use super::BuiltIn;
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use kitbag_core::escape_path;
use kitbag_index::{ContentFlags, FileKind};
use kitbag_repo::Tree;
use kitbag_text::{Chunk, ChunkKind, Kind, Piece, Source, Span, Text, plural};
use kitbag_tokens::CachedCounter;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

pub(super) const TREE: BuiltIn = BuiltIn {
    id: "tree",
    title: "Files",
    description: "The folders and files of the repository, folded to fit.",
    needs: Needs::Files,
    applies: |_| true,
    has_input: |_| false,
    gather,
};

/// Name of the source.
const NAME: &str = "Files";
/// Share of the budget that the tree may take.
const SHARE: usize = 6;
const MAX_TOKENS: usize = 2_000;
/// Files of a folder that are listed one by one; of more, only the first.
const MAX_LISTED_FILES: usize = 24;
const FIRST_FILES: usize = 8;

fn gather(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let tree = gathering.tree.as_ref().ok_or_else(|| ProviderError::failed("no list of files"))?;
    let paths: Vec<&str> = tree.files().iter().map(|file| file.path.as_str()).collect();
    if paths.is_empty() {
        return Ok(Gathered::default());
    }
    let limit = gathering.limits.max_tokens.unwrap_or(MAX_TOKENS).min(gathering.budget / SHARE);
    let text = Text::new(folded_tree(&paths, limit, &gathering.counting));
    Ok(vec![generated(NAME, text, 1.0, &gathering.counting)].into())
}

/// Creates a source of one chunk from a text that describes the repository.
pub(super) fn generated(
    name: &str,
    text: Text,
    relevance: f64,
    counting: &CachedCounter,
) -> Source {
    let span = Span::new(1, text.line_count().max(1));
    let tokens = counting.count(text.content()).try_into().unwrap_or(u32::MAX);
    let chunk = Chunk { kind: ChunkKind::Section, ..Chunk::lines(span, tokens) };
    let pieces = vec![Piece { chunk, relevance: Some(relevance) }];
    let source = Source::new(name, Kind::Overview, Arc::new(text));
    Source { pieces: Some(pieces), is_given: true, ..source }
}

/// A folder with its content, by name.
#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: Vec<&'a str>,
    /// Number of files in it, at any depth.
    count: usize,
    is_expanded: bool,
}

/// Returns the tree of `paths`, which are sorted, in at most about `limit` tokens. Folders are opened from
/// the top, those with code first, as long as their content fits.
pub(super) fn folded_tree(paths: &[&str], limit: usize, counting: &CachedCounter) -> String {
    let mut root = Folder::default();
    for path in paths {
        root.add(path);
    }
    root.is_expanded = true;
    let mut used = root.content_tokens(0, counting);
    let mut level: Vec<(Vec<&str>, usize)> = root.folder_paths(&[]);
    while !level.is_empty() {
        level.sort_by_key(|(path, _)| (is_secondary(path), path.clone()));
        let mut next = Vec::new();
        for (path, _) in level {
            let Some(folder) = root.find(&path) else { continue };
            let cost = folder.content_tokens(path.len(), counting);
            if used + cost <= limit {
                used += cost;
                folder.is_expanded = true;
                next.extend(folder.folder_paths(&path));
            }
        }
        level = next;
    }
    let mut text = String::new();
    root.write(0, &mut text);
    text
}

/// Whether a folder has tests, documentation or derived files rather than code.
fn is_secondary(folder: &[&str]) -> bool {
    let path = format!("{}/x.rs", folder.join("/"));
    let is_hidden = folder.iter().any(|name| name.starts_with('.'));
    is_hidden || FileKind::of(&path, ContentFlags::default()) != FileKind::Code
}

impl<'a> Folder<'a> {
    fn add(&mut self, path: &'a str) {
        self.count += 1;
        match path.split_once('/') {
            Some((folder, rest)) => self.folders.entry(folder).or_default().add(rest),
            None => self.files.push(path),
        }
    }

    fn find(&mut self, path: &[&'a str]) -> Option<&mut Self> {
        match path {
            [] => Some(self),
            [first, rest @ ..] => self.folders.get_mut(first)?.find(rest),
        }
    }

    fn folder_paths(&self, own: &[&'a str]) -> Vec<(Vec<&'a str>, usize)> {
        let path = |name: &&'a str| [own, &[*name]].concat();
        self.folders.iter().map(|(name, folder)| (path(name), folder.count)).collect()
    }

    /// Returns the tokens of the lines that opening this folder adds.
    fn content_tokens(&self, depth: usize, counting: &CachedCounter) -> usize {
        let mut text = String::new();
        for (name, folder) in &self.folders {
            write_line(depth, &folder.label(name), &mut text);
        }
        self.write_files(depth, &mut text);
        counting.count(&text)
    }

    /// Returns the name with a slash and, if the folder is not opened, the number of its files.
    fn label(&self, name: &str) -> String {
        let name = escape_path(name);
        let is_shown = self.is_expanded;
        if is_shown {
            format!("{name}/")
        } else {
            format!("{name}/ ({})", plural(self.count, "file"))
        }
    }

    fn write(&self, depth: usize, text: &mut String) {
        for (name, folder) in &self.folders {
            write_line(depth, &folder.label(name), text);
            if folder.is_expanded {
                folder.write(depth + 1, text);
            }
        }
        self.write_files(depth, text);
    }

    fn write_files(&self, depth: usize, text: &mut String) {
        let listed =
            if self.files.len() > MAX_LISTED_FILES { FIRST_FILES } else { self.files.len() };
        for name in &self.files[..listed] {
            write_line(depth, &escape_path(name), text);
        }
        let more = self.files.len() - listed;
        if more > 0 {
            write_line(depth, &format!("... {}", plural(more, "more file")), text);
        }
    }
}

fn write_line(depth: usize, label: &str, text: &mut String) {
    let _ = writeln!(text, "{:1$}{label}", "", 2 * depth);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str], limit: usize) -> String {
        folded_tree(paths, limit, &CachedCounter::named("o200k_base").expect("built in"))
    }

    #[test]
    fn folders_that_do_not_fit_are_folded_with_a_count() {
        let paths = ["README.md", "src/a.rs", "src/deep/b.rs", "src/deep/c.rs", "tests/t.rs"];
        let whole = "src/\n  deep/\n    b.rs\n    c.rs\n  a.rs\ntests/\n  t.rs\nREADME.md\n";
        assert_eq!(tree(&paths, 1_000), whole);
        assert_eq!(tree(&paths, 0), "src/ (3 files)\ntests/ (1 file)\nREADME.md\n");
        let code_first = "src/\n  deep/ (2 files)\n  a.rs\ntests/ (1 file)\nREADME.md\n";
        assert_eq!(tree(&paths, 28), code_first);
    }

    #[test]
    fn a_folder_with_many_files_shows_the_first() {
        let names: Vec<String> = (0..40).map(|at| format!("m/{at:02}.sql")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = tree(&names, 1_000);
        assert!(text.ends_with("  07.sql\n  ... 32 more files\n"), "{text}");
    }
}

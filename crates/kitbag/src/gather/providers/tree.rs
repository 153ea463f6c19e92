//! The folders and files of the repository, folded to a number of tokens.

use super::BuiltIn;
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use kitbag_core::escape_path;
use kitbag_index::{ContentFlags, FileKind};
use kitbag_repo::Tree;
use kitbag_text::{Chunk, ChunkKind, Kind, Piece, Source, Span, Text, plural};
use kitbag_tokens::CachedCounter;
use std::cmp::Reverse;
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
    starts_early: |_| false,
    gather,
};

/// Name of the source.
const NAME: &str = "Files";
/// Share of the budget that the tree may take.
const SHARE: usize = 6;
const MAX_TOKENS: usize = 2_000;
/// Files of a folder that are listed one by one; of more, only the largest, code before the rest.
const MAX_LISTED_FILES: usize = 24;
const LARGEST_FILES: usize = 16;
/// Share of the limit up to which folders are opened that hold little code.
const SECONDARY_SHARE: usize = 2;

fn gather(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let tree = gathering.tree.as_ref().ok_or_else(|| ProviderError::failed("no list of files"))?;
    let files: Vec<(&str, u64)> =
        tree.files().iter().map(|file| (file.path.as_str(), file.size)).collect();
    if files.is_empty() {
        return Ok(Gathered::default());
    }
    let limit = gathering.limits.max_tokens.unwrap_or(MAX_TOKENS).min(gathering.budget / SHARE);
    let text = Text::new(folded_tree(&files, limit, &gathering.counting));
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
    files: Vec<TreeFile<'a>>,
    /// Number of files in it, at any depth, and of those with code.
    count: usize,
    code_count: usize,
    is_expanded: bool,
}

/// A file of a folder.
struct TreeFile<'a> {
    name: &'a str,
    is_code: bool,
    size: u64,
}

/// Returns the tree of files, given as sorted paths with their sizes, in at most about `limit` tokens. Folders
/// are opened from the top, those with code first, as long as their content fits.
pub(super) fn folded_tree(files: &[(&str, u64)], limit: usize, counting: &CachedCounter) -> String {
    let mut root = Folder::default();
    for (path, size) in files {
        let is_code = FileKind::of(path, ContentFlags::default()) == FileKind::Code;
        root.add(path, is_code, *size);
    }
    root.is_expanded = true;
    let mut used = root.content_tokens(0, counting);
    let mut level: Vec<(bool, Vec<&str>)> = root.folder_paths(&[]);
    while !level.is_empty() {
        level.sort_unstable();
        let mut next = Vec::new();
        for (is_secondary, path) in level {
            let Some(folder) = root.find(&path) else { continue };
            let cost = folder.content_tokens(path.len(), counting);
            let limit = if is_secondary { limit / SECONDARY_SHARE } else { limit };
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

impl<'a> Folder<'a> {
    fn add(&mut self, path: &'a str, is_code: bool, size: u64) {
        self.count += 1;
        self.code_count += usize::from(is_code);
        match path.split_once('/') {
            Some((folder, rest)) => {
                self.folders.entry(folder).or_default().add(rest, is_code, size);
            }
            None => self.files.push(TreeFile { name: path, is_code, size }),
        }
    }

    fn find(&mut self, path: &[&'a str]) -> Option<&mut Self> {
        match path {
            [] => Some(self),
            [first, rest @ ..] => self.folders.get_mut(first)?.find(rest),
        }
    }

    /// Returns the paths of its folders, each with whether less than half of it is code.
    fn folder_paths(&self, own: &[&'a str]) -> Vec<(bool, Vec<&'a str>)> {
        let path = |(name, folder): (&&'a str, &Self)| {
            (2 * folder.code_count < folder.count, [own, &[*name]].concat())
        };
        self.folders.iter().map(path).collect()
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
        let mut listed: Vec<&TreeFile<'_>> = self.files.iter().collect();
        if listed.len() > MAX_LISTED_FILES {
            listed.sort_by_key(|file| (!file.is_code, Reverse(file.size), file.name));
            listed.truncate(LARGEST_FILES);
            listed.sort_unstable_by_key(|file| file.name);
        }
        for file in &listed {
            write_line(depth, &escape_path(file.name), text);
        }
        let more = self.files.len() - listed.len();
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
        let files: Vec<(&str, u64)> = paths.iter().copied().zip(1..).collect();
        folded_tree(&files, limit, &CachedCounter::named("o200k_base").expect("built in"))
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
    fn a_folder_with_many_files_shows_the_largest_code() {
        let mut names: Vec<String> = (0..40).map(|at| format!("m/{at:02}.c")).collect();
        names.push("m/notes.txt".to_owned());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = tree(&names, 1_000);
        assert!(text.starts_with("m/\n  24.c\n"), "{text}");
        assert!(text.ends_with("  39.c\n  ... 25 more files\n"), "{text}");
    }

    #[test]
    fn folders_of_data_take_at_most_half() {
        let names: Vec<String> = (0..20).map(|at| format!("logo/{at:02}.svg")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).chain(["src/a.rs"]).collect();
        assert_eq!(tree(&names, 150), "logo/ (20 files)\nsrc/\n  a.rs\n");
        assert!(tree(&names, 400).starts_with("logo/\n  00.svg\n"));
    }
}

//! The changes between two versions of a repository, as hunks with the whole texts behind them.
//!
//! Git only lists which files differ. Contents are read here and compared here, so no content filter,
//! text conversion or external diff that a repository configures can run.

use crate::blob_reader::BlobReader;
use crate::comparison::empty_tree;
use crate::edits::{MAX_COMPARED_BYTES, to_text};
use crate::git::Git;
use crate::hunks::hunks;
use crate::ignore_rules::TrackedRules;
use crate::ls_tree::list_tree;
use crate::raw_changes::{Change, parse_raw};
use crate::renames::match_renames;
use crate::secret_lines::SecretLines;
use crate::{Comparison, GitError, Globs, ObjectId, PathError, Root, SkipCode, Skipped};
use kitbag_text::Redaction;
use rustc_hash::FxHashMap;
use std::io;

/// Unchanged lines before and after each change.
const CONTEXT_LINES: usize = 3;
/// Files that are compared; the others are counted.
const MAX_FILES: usize = 1_000;
/// Bytes of files that are compared.
const MAX_TOTAL_BYTES: usize = 64 << 20;
/// Pairs of deleted and new files that are compared in search of renames.
const MAX_RENAME_PAIRS: usize = 2_500;
/// Paths that are passed to git one by one; of more, the whole tree is listed.
const MAX_LISTED_PATHS: usize = 200;

/// The changes between two versions of a repository.
#[derive(Debug, Default)]
pub struct Changes {
    /// The changed files, sorted by path.
    pub files: Vec<FileDiff>,
    /// The changed files that may not be shown.
    pub skipped: Vec<Skipped>,
    /// Number of changed files that were not compared, because there are too many.
    pub not_compared: usize,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The path after the change, or before it if the file was deleted.
    pub path: String,
    /// The path before the change, if it is another one.
    pub renamed_from: Option<String>,
    /// What happened to the file, as in an extended header of git: `new file`.
    pub headers: Vec<String>,
    /// The changed lines. Empty for a rename without changes and for what is not text.
    pub hunks: Vec<Hunk>,
    /// The whole text before the change, where the file existed and is text.
    pub before: Option<String>,
    /// The whole text after the change, where the file exists and is text.
    pub after: Option<String>,
}

/// A run of changed lines with the unchanged lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The line before the others, such as `@@ -3,5 +3,5 @@`.
    pub header: String,
    /// Number of the first line after the change, or of the one before it if none is left.
    pub new_start: u32,
    /// Number of the first line before the change, or of the one before it if there was none.
    pub old_start: u32,
    /// Lines that begin with `+`, `-`, a space or `\`.
    pub lines: String,
    /// The secrets that were redacted, by line of `lines`.
    pub redactions: Vec<Redaction>,
}

/// Returns the changes between two versions. `changed` has the files of the work tree that differ from
/// `HEAD`, which only a comparison with the work tree needs. With `redact_secrets`, lines that contain
/// secrets, judged by the whole files, are redacted.
pub fn compare(
    root: &Root,
    comparison: &Comparison,
    changed: &[String],
    globs: &Globs,
    redact_secrets: bool,
) -> Result<Changes, GitError> {
    let git = Git::at(root);
    let mut changes = match comparison {
        Comparison::WorkTree { base } => work_tree_changes(&git, base.as_ref(), changed)?,
        Comparison::Index { base } => {
            let base = tree_id(&git, base.as_ref())?;
            let arguments = ["diff-index", "--cached", "-M"];
            raw_changes(&git, &arguments, &[&base])?
        }
        Comparison::Commits { before, after } => {
            let (before, after) = (tree_id(&git, before.as_ref())?, after.to_string());
            raw_changes(&git, &["diff-tree", "-r", "-M"], &[&before, &after])?
        }
    };
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes.retain(|change| globs.accepts(&change.path));
    let mut reader = Reader {
        root,
        blobs: BlobReader::new(git, MAX_COMPARED_BYTES),
        rules: TrackedRules::new(root),
        bytes_left: MAX_TOTAL_BYTES,
    };
    let mut result = Changes::default();
    let mut versions = Vec::new();
    for change in changes {
        if let Err(skipped) = reader.check(&change) {
            result.skipped.push(skipped);
        } else if versions.len() >= MAX_FILES || reader.bytes_left == 0 {
            result.not_compared += 1;
        } else {
            versions.push(reader.read(change));
        }
    }
    merge_renames(&mut versions);
    result.files = versions.into_iter().filter_map(|file| file.diff(redact_secrets)).collect();
    Ok(result)
}

fn tree_id(git: &Git, commit: Option<&ObjectId>) -> Result<String, GitError> {
    commit.map_or_else(|| empty_tree(git), |commit| Ok(commit.to_string()))
}

fn raw_changes(git: &Git, command: &[&str], revisions: &[&str]) -> Result<Vec<Change>, GitError> {
    let options = ["--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv"];
    let options = [&options[..], &["--ignore-submodules=none", "--relative"]].concat();
    let mut arguments = [command, &options, revisions, &["--"]].concat();
    if git.git_dir()?.top != git.dir() {
        // `--relative` alone would compare the other folders too.
        arguments.push(".");
    }
    Ok(parse_raw(&git.output(&arguments)?))
}

/// Lists the changes of the work tree: those since `HEAD`, and what differs between `HEAD` and the base.
fn work_tree_changes(
    git: &Git,
    base: Option<&ObjectId>,
    changed: &[String],
) -> Result<Vec<Change>, GitError> {
    let mut paths: Vec<String> = changed.to_vec();
    if let Some(base) = base {
        let base = base.to_string();
        let since = raw_changes(git, &["diff-tree", "-r", "--no-renames"], &[&base, "HEAD"])?;
        paths.extend(since.into_iter().filter(|it| it.is_file()).map(|it| it.path));
    }
    paths.sort_unstable();
    paths.dedup();
    let before = match base {
        Some(base) if !paths.is_empty() => blobs_at(git, &base.to_string(), &paths)?,
        _ => FxHashMap::default(),
    };
    let change = |path: String| Change::in_work_tree(before.get(&path).copied(), path);
    Ok(paths.into_iter().map(change).collect())
}

/// Returns the ids of the blobs at some paths in a commit.
fn blobs_at(
    git: &Git,
    commit: &str,
    paths: &[String],
) -> Result<FxHashMap<String, ObjectId>, GitError> {
    let entries = if paths.len() > MAX_LISTED_PATHS {
        list_tree(git, &["-r", commit])?
    } else {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        list_tree(git, &[&[commit, "--"], &paths[..]].concat())?
    };
    let blob = |entry: crate::ls_tree::TreeEntry| {
        (String::from_utf8_lossy(&entry.path).into_owned(), entry.id)
    };
    Ok(entries.into_iter().map(blob).collect())
}

/// Reads both versions of changed files.
struct Reader<'a> {
    root: &'a Root,
    blobs: BlobReader,
    rules: TrackedRules,
    bytes_left: usize,
}

impl Reader<'_> {
    /// Fails for a file that may not be shown, under its old name or its new one.
    fn check(&mut self, change: &Change) -> Result<(), Skipped> {
        for path in change.renamed_from.iter().chain([&change.path]) {
            self.root.permit(path, &change.path).map_err(Skipped::from)?;
            if self.rules.ignores(path) {
                let detail = "matched by `.agentignore` or `.ignore`".to_owned();
                return Err(Skipped { path: change.path.clone(), code: SkipCode::Denied, detail });
            }
        }
        Ok(())
    }

    fn read(&mut self, change: Change) -> FileVersions {
        let mut file = FileVersions {
            headers: change.mode_headers(),
            before: Version::Missing,
            after: Version::Missing,
            path: change.path,
            renamed_from: change.renamed_from,
        };
        if change.is_special {
            return file;
        }
        if let Some(id) = change.before {
            file.before = self.version(self.blobs.read(id).map_err(|error| error.kind()));
        }
        file.after = match change.after {
            None if !change.is_in_work_tree => Version::Missing,
            Some(id) => self.version(self.blobs.read(id).map_err(|error| error.kind())),
            None => match self.root.read(&file.path, MAX_COMPARED_BYTES) {
                Err(PathError::NotFound { .. }) => Version::Missing,
                Err(PathError::TooLarge { .. }) => Version::NotText("too large to compare"),
                Err(_) => Version::NotText("cannot be read"),
                Ok(bytes) => self.version(Ok(bytes)),
            },
        };
        file
    }

    fn version(&mut self, bytes: Result<Vec<u8>, io::ErrorKind>) -> Version {
        match bytes {
            Ok(bytes) => {
                self.bytes_left = self.bytes_left.saturating_sub(bytes.len());
                to_text(bytes).map_or(Version::NotText("binary"), Version::Text)
            }
            Err(io::ErrorKind::FileTooLarge) => Version::NotText("too large to compare"),
            Err(_) => Version::NotText("not in this clone"),
        }
    }
}

/// One version of a file.
#[derive(Debug, PartialEq, Eq)]
enum Version {
    Missing,
    Text(String),
    NotText(&'static str),
}

impl Version {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn is_missing(&self) -> bool {
        *self == Self::Missing
    }
}

/// The versions of a changed file.
struct FileVersions {
    path: String,
    renamed_from: Option<String>,
    headers: Vec<String>,
    before: Version,
    after: Version,
}

impl FileVersions {
    /// Returns the change; `None` if nothing changed.
    fn diff(self, redact_secrets: bool) -> Option<FileDiff> {
        let Self { path, renamed_from, mut headers, before, after } = self;
        if let Some(from) = &renamed_from {
            headers.insert(0, format!("renamed from {}", one_line(from)));
        }
        match (&before, &after) {
            (Version::Missing, Version::Missing) => {}
            (Version::Missing, _) => headers.insert(0, "new file".to_owned()),
            (_, Version::Missing) => headers.insert(0, "deleted file".to_owned()),
            _ => {}
        }
        for (version, which) in [(&before, "before"), (&after, "after")] {
            if let Version::NotText(why) = version {
                headers.push(format!("{which}: {why}"));
            }
        }
        let comparable =
            !matches!(before, Version::NotText(_)) && !matches!(after, Version::NotText(_));
        let texts = (before.text().unwrap_or_default(), after.text().unwrap_or_default());
        let hunks = if comparable { redacted_hunks(texts, redact_secrets) } else { Vec::new() };
        let is_changed = !hunks.is_empty() || !headers.is_empty();
        let text = |version: Version| match version {
            Version::Text(text) => Some(text),
            _ => None,
        };
        let (before, after) = (text(before), text(after));
        is_changed.then_some(FileDiff { path, renamed_from, headers, hunks, before, after })
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { '\u{fffd}' } else { it }).collect()
}

fn redacted_hunks((before, after): (&str, &str), redact_secrets: bool) -> Vec<Hunk> {
    let hunks = hunks(before, after, CONTEXT_LINES);
    let mut secrets = SecretLines::default();
    if redact_secrets && !hunks.is_empty() {
        secrets.add_text(before);
        secrets.add_text(after);
    }
    let start = |range: &std::ops::Range<usize>| {
        (range.start + usize::from(!range.is_empty())).try_into().unwrap_or(u32::MAX)
    };
    let hunk = |hunk: crate::hunks::RawHunk| {
        let (lines, redactions) = secrets.redact_diff(&hunk.lines);
        let (new_start, old_start) = (start(&hunk.new), start(&hunk.old));
        Hunk { header: hunk.header(), new_start, old_start, lines, redactions }
    };
    hunks.into_iter().map(hunk).collect()
}

/// Merges each deleted file into the new file that it was renamed to.
fn merge_renames(files: &mut Vec<FileVersions>) {
    let at = |is_chosen: &dyn Fn(&FileVersions) -> bool| -> Vec<usize> {
        (0..files.len()).filter(|&at| is_chosen(&files[at])).collect()
    };
    let new = at(&|it| it.before.is_missing() && it.after.text().is_some());
    let deleted = at(&|it| it.after.is_missing() && it.before.text().is_some());
    if new.len().saturating_mul(deleted.len()) > MAX_RENAME_PAIRS {
        return;
    }
    let new_texts: Vec<&str> = new.iter().filter_map(|&at| files[at].after.text()).collect();
    let old_texts: Vec<&str> = deleted.iter().filter_map(|&at| files[at].before.text()).collect();
    let renames = match_renames(&new_texts, &old_texts);
    for (new, from) in new.into_iter().zip(renames) {
        let Some(from) = from.map(|from| deleted[from]) else { continue };
        files[new].renamed_from = Some(files[from].path.clone());
        files[new].before = std::mem::replace(&mut files[from].before, Version::Missing);
        files[from].headers.clear();
    }
    files.retain(|file| {
        !(file.before.is_missing() && file.after.is_missing() && file.headers.is_empty())
    });
}

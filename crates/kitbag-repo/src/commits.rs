//! Tasks made from a repository's own commits: a message, and the lines that it turned out to be
//! about.

use crate::git::Git;
use crate::{GitError, log};
use kitbag_text::Span;
use std::path::Path;

/// How many commits are looked through, at most, for those that are wanted.
const SCANNED: usize = 50_000;

/// A commit as a task: the message is the question, the old side of the change the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitTask {
    /// The commit.
    pub commit: String,
    /// The commit before it, in which the answer is to be found.
    pub parent: String,
    /// The whole message.
    pub message: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The files that it modifies, sorted by path.
    pub files: Vec<ChangedFile>,
}

/// A file that a commit modifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// The lines of the old file that are changed or removed, and for lines that are added the one
    /// before; in order.
    pub spans: Vec<Span>,
}

/// The last `count` commits before `HEAD` that are no merges and modify a file for which `filter`
/// holds, newest first. Added and deleted files are left out: what a change makes cannot be found
/// before it is made, and what it removes was not what it was about.
pub fn recent_commits(
    dir: &Path,
    count: usize,
    filter: impl Fn(&str) -> bool,
) -> Result<Vec<CommitTask>, GitError> {
    let git = Git::at(dir);
    let page = count.saturating_mul(2).clamp(100, 2_000);
    let mut tasks = Vec::new();
    for skipped in (0..SCANNED).step_by(page) {
        let (skip, maximum) = (format!("--skip={skipped}"), format!("--max-count={page}"));
        let options = ["--no-merges", "--diff-filter=M", &skip, &maximum];
        let (commits, error) = log::read(&git, &options, "HEAD", true)?;
        let is_last = commits.len() < page;
        for commit in commits {
            if tasks.len() == count {
                return Ok(tasks);
            }
            tasks.extend(task(&git, commit, &filter)?);
        }
        match error {
            Some(error) if tasks.is_empty() => return Err(error),
            None if !is_last => {}
            _ => break,
        }
    }
    tasks.truncate(count);
    Ok(tasks)
}

/// Makes a task of a commit; `None` where nothing is left that could be found.
fn task(
    git: &Git,
    commit: log::Logged,
    filter: &impl Fn(&str) -> bool,
) -> Result<Option<CommitTask>, GitError> {
    let Some(parent) = commit.parents.into_iter().next() else { return Ok(None) };
    let paths: Vec<String> = commit
        .changes
        .into_iter()
        .filter(|change| change.is_regular && change.status == b'M' && filter(&change.path))
        .map(|change| change.path)
        .collect();
    if paths.is_empty() {
        return Ok(None);
    }
    let mut files = Vec::new();
    // A command line is not endless.
    for paths in paths.chunks(500) {
        let changed = paths.iter().zip(old_spans(git, &parent, &commit.id, paths)?);
        let changed = changed.filter(|(_, spans)| !spans.is_empty());
        files.extend(changed.map(|(path, spans)| ChangedFile { path: path.clone(), spans }));
    }
    let (commit, message, time) = (commit.id, commit.message, commit.time);
    Ok((!files.is_empty()).then_some(CommitTask { commit, parent, message, time, files }))
}

/// The old side of the changes to some files, in their order.
fn old_spans(
    git: &Git,
    parent: &str,
    commit: &str,
    paths: &[String],
) -> Result<Vec<Vec<Span>>, GitError> {
    let mut arguments = vec!["diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-color"];
    arguments.extend(["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--relative"]);
    arguments.extend(["--diff-filter=M", "--diff-algorithm=myers", parent, commit, "--"]);
    arguments.extend(paths.iter().map(String::as_str));
    let patch = git.output(&arguments)?;
    let mut files: Vec<Vec<Span>> = Vec::new();
    for line in patch.split(|&byte| byte == b'\n') {
        // A line of content begins with a sign, so these can only be git's own.
        if line.starts_with(b"diff --git ") {
            files.push(Vec::new());
        } else if let Some(header) = line.strip_prefix(b"@@ -")
            && let Some(file) = files.last_mut()
        {
            file.extend(old_span(header));
        }
    }
    if files.len() == paths.len() {
        Ok(files)
    } else {
        Err(git.complaint("diff-tree".to_owned(), "its patch has other files than its list"))
    }
}

/// Reads the `12,3` of a hunk's header: the lines, or the one before an insertion.
fn old_span(header: &[u8]) -> Option<Span> {
    let end = header.iter().position(|&byte| byte == b' ')?;
    let range = std::str::from_utf8(&header[..end]).ok()?;
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
    let first = start.max(1);
    Some(Span::new(first, start.saturating_add(count).saturating_sub(1).max(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_name_the_old_lines() {
        let span = |header: &str| old_span(header.as_bytes());
        assert_eq!(span("12,3 +12,4 @@ fn"), Some(Span::new(12, 14)));
        assert_eq!(span("12 +12 @@"), Some(Span::new(12, 12)));
        assert_eq!(span("7,0 +8,2 @@"), Some(Span::new(7, 7)));
        assert_eq!(span("0,0 +1,2 @@"), Some(Span::new(1, 1)));
        assert_eq!(span("x +1 @@"), None);
    }
}

//! Evaluation tasks from a repository's commits: the message, and the lines that the commit changed.

use crate::git::Git;
use crate::log::{self, LogFields};
use crate::{GitError, GitLocation};
use kitbag_text::Span;

/// The number of commits that are searched for tasks.
const MAX_SCANNED_COMMITS: usize = 50_000;
/// Paths per command line, which has a limited length.
const PATHS_PER_COMMAND: usize = 500;

/// A commit as a task: the message is the query, the old side of the change the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitTask {
    /// The commit's id.
    pub commit: String,
    /// The id of its first parent, which contains the answer.
    pub parent: String,
    /// The whole message.
    pub message: String,
    /// Commit time in seconds since 1970.
    pub time: i64,
    /// The files that it modifies, sorted by path.
    pub files: Vec<ChangedFile>,
}

/// A file that a commit modifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Relative to the folder passed to [`recent_commits`].
    pub path: String,
    /// The lines of the old file that are changed or removed and, for added lines, the line before
    /// them; in order.
    pub spans: Vec<Span>,
}

/// Returns the last `count` commits before `HEAD` that are not merges and modify a file accepted by
/// `filter`, newest first. Added and deleted files are left out: an added file cannot be found before
/// it exists, and a deleted one is rarely the subject of the change.
pub fn recent_commits<'a>(
    dir: impl Into<GitLocation<'a>>,
    count: usize,
    filter: impl Fn(&str) -> bool,
) -> Result<Vec<CommitTask>, GitError> {
    let git = Git::at(dir);
    let page = count.saturating_mul(2).clamp(100, 2_000);
    let mut tasks = Vec::new();
    for skipped in (0..MAX_SCANNED_COMMITS).step_by(page) {
        let (skip, maximum) = (format!("--skip={skipped}"), format!("--max-count={page}"));
        let options = ["--no-merges", "--diff-filter=M", &skip, &maximum];
        let fields = LogFields { with_message: true, max_changes: usize::MAX };
        let (commits, error) = log::read(&git, &options, "HEAD", fields)?;
        let is_last = commits.len() < page;
        for commit in commits {
            if tasks.len() == count {
                return Ok(tasks);
            }
            tasks.extend(to_task(&git, commit, &filter)?);
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

/// Returns the task of a commit, or `None` if it modifies no accepted file.
fn to_task(
    git: &Git,
    commit: log::LogEntry,
    filter: &impl Fn(&str) -> bool,
) -> Result<Option<CommitTask>, GitError> {
    let Some(parent) = commit.parents.into_iter().next() else { return Ok(None) };
    let paths: Vec<String> = commit
        .changes
        .into_iter()
        .filter(|change| change.is_regular && filter(&change.path))
        .map(|change| change.path)
        .collect();
    let mut files = Vec::new();
    for paths in paths.chunks(PATHS_PER_COMMAND) {
        let changed = paths.iter().zip(old_spans(git, &parent, &commit.id, paths)?);
        let changed = changed.filter(|(_, spans)| !spans.is_empty());
        files.extend(changed.map(|(path, spans)| ChangedFile { path: path.clone(), spans }));
    }
    let (commit, message, time) = (commit.id, commit.message, commit.time);
    Ok((!files.is_empty()).then_some(CommitTask { commit, parent, message, time, files }))
}

/// Returns the old side of the changes to each of the files.
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
        // A content line begins with a sign, so these lines are git's own.
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
        Err(git.error("diff-tree", "the patch and the log list different files"))
    }
}

/// Parses the `12,3` of a hunk header: the old lines, or the line before an insertion.
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
    fn hunk_headers_give_the_old_lines() {
        let span = |header: &str| old_span(header.as_bytes());
        assert_eq!(span("12,3 +12,4 @@ fn"), Some(Span::new(12, 14)));
        assert_eq!(span("12 +12 @@"), Some(Span::new(12, 12)));
        assert_eq!(span("7,0 +8,2 @@"), Some(Span::new(7, 7)));
        assert_eq!(span("0,0 +1,2 @@"), Some(Span::new(1, 1)));
        assert_eq!(span("x +1 @@"), None);
    }
}

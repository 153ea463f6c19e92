//! Runs `git log` and parses which commits changed which files.

use crate::GitError;
use crate::git::Git;

/// A commit in the log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LogEntry {
    pub id: String,
    pub parents: Vec<String>,
    /// Commit time in seconds since 1970.
    pub time: i64,
    /// Empty unless requested.
    pub message: String,
    pub changes: Vec<LogChange>,
}

/// A changed file. A rename is a deleted file and an added one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LogChange {
    pub path: String,
    /// Whether it is a regular file both before and after.
    pub is_regular: bool,
}

/// Returns the ancestors of revisions, one per line, and the files that they change, newest first. A
/// leading `^` leaves out a revision and its ancestors. Paths are relative to git's folder. If the log
/// breaks off, the error comes with the commits up to there.
pub(crate) fn read(
    git: &Git,
    options: &[&str],
    revisions: &str,
    with_message: bool,
) -> Result<(Vec<LogEntry>, Option<GitError>), GitError> {
    let mut arguments = vec!["log", "-z", "--raw", "--no-abbrev", "--no-renames", "--relative"];
    arguments.extend(["--no-color", "--no-decorate", "--no-notes", "--no-mailmap"]);
    arguments.extend(["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"]);
    arguments.push(if with_message { "--format=%H %ct %P%x00%B" } else { "--format=%H %ct %P" });
    arguments.extend(options);
    arguments.extend(["--stdin", "--"]);
    let (output, error) = git.run(&arguments, Some(revisions.as_bytes().to_vec()))?;
    Ok((parse(&output, with_message), error))
}

/// Parses NUL-separated words: a header, the message if requested, and for each change its attributes,
/// which begin with a colon, and its path.
fn parse(output: &[u8], with_message: bool) -> Vec<LogEntry> {
    let mut commits: Vec<LogEntry> = Vec::new();
    let mut words = output.split(|&byte| byte == 0);
    while let Some(word) = words.next() {
        let word = word.strip_prefix(b"\n").unwrap_or(word);
        if let Some(attributes) = word.strip_prefix(b":") {
            let path = words.next().and_then(|path| std::str::from_utf8(path).ok());
            if let (Some(commit), Some(path)) = (commits.last_mut(), path) {
                commit.changes.push(parse_change(attributes, path));
            }
        } else if let Some(mut commit) = parse_header(word) {
            if with_message {
                let message = words.next().unwrap_or_default();
                commit.message = String::from_utf8_lossy(message).trim().to_owned();
            }
            commits.push(commit);
        }
    }
    commits
}

/// Parses `<id> <time> <parents>`.
fn parse_header(word: &[u8]) -> Option<LogEntry> {
    let mut words = std::str::from_utf8(word).ok()?.split(' ');
    let id = words.next()?.to_owned();
    let time = words.next()?.parse().ok()?;
    let parents = words.filter(|parent| !parent.is_empty()).map(str::to_owned).collect();
    Some(LogEntry { id, parents, time, message: String::new(), changes: Vec::new() })
}

/// Parses `<old mode> <new mode> <old id> <new id> <status>`.
fn parse_change(attributes: &[u8], path: &str) -> LogChange {
    let mut modes = attributes.split(|&byte| byte == b' ').take(2);
    let is_regular = modes.all(|mode| mode.starts_with(b"100"));
    LogChange { path: path.to_owned(), is_regular }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_paths_may_look_like_changes() {
        let output = b"aa 7 bb cc\0:not a change\n\0bb 6 \0\0\n:100644 100755 0 1 M\0:a b\n\0\
            :120000 120000 0 1 M\0link\0";
        let commits = parse(output, true);
        assert_eq!(commits.len(), 2);
        assert_eq!(commits[0].parents, ["bb", "cc"]);
        assert_eq!(commits[0].message, ":not a change");
        assert!(commits[0].changes.is_empty() && commits[1].parents.is_empty());
        let change = LogChange { path: ":a b\n".to_owned(), is_regular: true };
        assert_eq!(commits[1].changes[0], change);
        assert!(!commits[1].changes[1].is_regular);
    }
}

//! `git log`, asked and read: which commits changed which files.

use crate::GitError;
use crate::git::Git;

/// A commit as the log shows it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Logged {
    pub id: String,
    pub parents: Vec<String>,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// Empty unless asked for.
    pub message: String,
    pub changes: Vec<Change>,
}

/// What a commit did to a file. Renames are a file gone and a file new.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub path: String,
    /// Whether both before and after it is a regular file.
    pub is_regular: bool,
    /// Git's letter: `A`, `M`, `D` or `T`.
    pub status: u8,
}

/// Asks for commits and the files that they change, relative to git's folder, newest first. Comes
/// with the reason if the log broke off: what was read up to there is good.
pub(crate) fn read(
    git: &Git,
    options: &[&str],
    revision: &str,
    with_message: bool,
) -> Result<(Vec<Logged>, Option<GitError>), GitError> {
    let mut arguments = arguments(options, with_message);
    arguments.extend([revision, "--"]);
    let (output, error) = git.run(&arguments, None)?;
    Ok((parse(&output, with_message), error))
}

/// Asks as [`read`] does, with messages, for the commits of a set: revisions, one a line, each
/// taken with its ancestors, or without them if it begins with `^`.
pub(crate) fn read_set(
    git: &Git,
    options: &[&str],
    revisions: String,
) -> Result<(Vec<Logged>, Option<GitError>), GitError> {
    let mut arguments = arguments(options, true);
    arguments.extend(["--stdin", "--"]);
    let (output, error) = git.run(&arguments, Some(revisions.into_bytes()))?;
    Ok((parse(&output, true), error))
}

fn arguments<'a>(options: &[&'a str], with_message: bool) -> Vec<&'a str> {
    let format = if with_message { "--format=%H %ct %P%x00%B" } else { "--format=%H %ct %P" };
    let mut arguments = vec!["log", "-z", "--raw", "--no-abbrev", "--no-renames", "--relative"];
    arguments.extend([
        "--no-color",
        "--no-decorate",
        "--no-notes",
        "--no-mailmap",
        "--no-ext-diff",
    ]);
    arguments.extend(["--no-textconv", "--ignore-submodules=all", format]);
    arguments.extend(options);
    arguments
}

/// Reads the log's NUL-separated words: a header, the message if asked for, and then for each
/// change its attributes, which begin with a colon, and its path.
fn parse(output: &[u8], with_message: bool) -> Vec<Logged> {
    let mut commits: Vec<Logged> = Vec::new();
    let mut words = output.split(|&byte| byte == 0);
    while let Some(word) = words.next() {
        let word = word.strip_prefix(b"\n").unwrap_or(word);
        if let Some(attributes) = word.strip_prefix(b":") {
            let path = words.next().and_then(|path| std::str::from_utf8(path).ok());
            if let (Some(commit), Some(path)) = (commits.last_mut(), path) {
                commit.changes.extend(change(attributes, path));
            }
        } else if let Some(mut commit) = header(word) {
            if with_message {
                let message = words.next().unwrap_or_default();
                commit.message = String::from_utf8_lossy(message).trim().to_owned();
            }
            commits.push(commit);
        }
    }
    commits
}

fn header(word: &[u8]) -> Option<Logged> {
    let mut words = std::str::from_utf8(word).ok()?.split(' ');
    let id = words.next()?.to_owned();
    let time = words.next()?.parse().ok()?;
    let parents = words.filter(|parent| !parent.is_empty()).map(str::to_owned).collect();
    Some(Logged { id, parents, time, message: String::new(), changes: Vec::new() })
}

/// Reads `<old mode> <new mode> <old name> <new name> <status>`.
fn change(attributes: &[u8], path: &str) -> Option<Change> {
    let words: Vec<&[u8]> = attributes.split(|&byte| byte == b' ').collect();
    let [old, new, _, _, status] = words[..] else { return None };
    let is_regular = old.starts_with(b"100") && new.starts_with(b"100");
    Some(Change { path: path.to_owned(), is_regular, status: *status.first()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_by_their_place() {
        let output = b"aa 7 bb cc\0:not a change\n\0bb 6 \0\0\n:100644 100755 0 1 M\0:a b\n\0\
            :120000 120000 0 1 M\0link\0";
        let commits = parse(output, true);
        assert_eq!(commits.len(), 2);
        assert_eq!(commits[0].parents, ["bb", "cc"]);
        assert_eq!(commits[0].message, ":not a change");
        assert!(commits[0].changes.is_empty() && commits[1].parents.is_empty());
        let change = &commits[1].changes[0];
        assert_eq!(
            (change.path.as_str(), change.is_regular, change.status),
            (":a b\n", true, b'M')
        );
        assert!(!commits[1].changes[1].is_regular);
    }
}

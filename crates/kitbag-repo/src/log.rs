//! Runs `git log` and parses which commits changed which files.
//!
//! The output is parsed as it arrives, and of a commit only the changes that matter are kept.

use crate::GitError;
use crate::git::Git;

/// Bytes of a message or a path that are kept.
const MAX_WORD_BYTES: usize = 1 << 20;

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

/// What to read of each commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogFields {
    pub with_message: bool,
    /// Maximum number of changes; with 0, commits are not compared at all.
    pub max_changes: usize,
}

/// Returns the ancestors of revisions, one per line, and the files that they change, newest first. A
/// leading `^` leaves out a revision and its ancestors. Paths are relative to git's folder. If the log
/// breaks off, the error comes with the commits up to there.
pub(crate) fn read(
    git: &Git,
    options: &[&str],
    revisions: &str,
    fields: LogFields,
) -> Result<(Vec<LogEntry>, Option<GitError>), GitError> {
    let changes = if fields.max_changes > 0 { "--raw" } else { "--no-patch" };
    let mut arguments = vec!["log", "-z", changes, "--no-abbrev", "--no-renames", "--relative"];
    arguments.extend(["--no-color", "--no-decorate", "--no-notes", "--no-mailmap"]);
    arguments.extend(["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]);
    let with_message = fields.with_message;
    arguments.push(if with_message { "--format=%H %ct %P%x00%B" } else { "--format=%H %ct %P" });
    arguments.extend(options);
    arguments.extend(["--stdin", "--"]);
    let mut parser = LogParser::new(fields);
    let input = Some(revisions.as_bytes().to_vec());
    let error = git.stream(&arguments, input, &mut |bytes| parser.read(bytes))?;
    Ok((parser.finish(), error))
}

/// Parses NUL-separated words: a header, the message if requested, and for each change its attributes,
/// which begin with a colon, and its path.
struct LogParser {
    fields: LogFields,
    commits: Vec<LogEntry>,
    /// The beginning of a word whose end has not arrived.
    word: Vec<u8>,
    next: NextWord,
}

enum NextWord {
    HeaderOrChange,
    Message,
    Path { is_regular: bool, is_submodule: bool },
}

impl LogParser {
    fn new(fields: LogFields) -> Self {
        Self { fields, commits: Vec::new(), word: Vec::new(), next: NextWord::HeaderOrChange }
    }

    fn read(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.split(|&byte| byte == 0).peekable();
        while let Some(piece) = pieces.next() {
            let room = MAX_WORD_BYTES - self.word.len();
            self.word.extend_from_slice(&piece[..piece.len().min(room)]);
            if pieces.peek().is_some() {
                self.end_word();
            }
        }
    }

    fn finish(mut self) -> Vec<LogEntry> {
        if !self.word.is_empty() {
            self.end_word();
        }
        self.commits
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        match std::mem::replace(&mut self.next, NextWord::HeaderOrChange) {
            NextWord::HeaderOrChange => {
                let word = word.strip_prefix(b"\n").unwrap_or(&word);
                if let Some(attributes) = word.strip_prefix(b":") {
                    let is_submodule = is_submodule(attributes);
                    self.next = NextWord::Path { is_regular: is_regular(attributes), is_submodule };
                } else if let Some(commit) = parse_header(word) {
                    self.commits.push(commit);
                    if self.fields.with_message {
                        self.next = NextWord::Message;
                    }
                }
            }
            NextWord::Message => {
                if let Some(commit) = self.commits.last_mut() {
                    commit.message = String::from_utf8_lossy(&word).trim().to_owned();
                }
            }
            NextWord::Path { is_submodule: true, .. } => {}
            NextWord::Path { is_regular, .. } => {
                if let (Some(commit), Ok(path)) = (self.commits.last_mut(), String::from_utf8(word))
                    && commit.changes.len() < self.fields.max_changes
                {
                    commit.changes.push(LogChange { path, is_regular });
                }
            }
        }
    }
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
fn is_regular(attributes: &[u8]) -> bool {
    modes(attributes).all(|mode| mode.starts_with(b"100"))
}

/// Returns whether a change, in the form `:<old mode> <new mode> ...`, concerns a submodule alone. Git could
/// leave these out itself, but then endless trees of them would take it time instead of memory.
pub(crate) fn is_submodule(attributes: &[u8]) -> bool {
    modes(attributes).all(|mode| matches!(mode, b"160000" | b"000000"))
}

fn modes(attributes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let attributes = attributes.strip_prefix(b":").unwrap_or(attributes);
    attributes.split(|&byte| byte == b' ').take(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &[u8] = b"aa 7 bb cc\0:not a change\n\0bb 6 \0\0\n:100644 100755 0 1 M\0:a b\n\0\
        :120000 120000 0 1 M\0link\0";

    fn parse(output: &[u8], chunk: usize, max_changes: usize) -> Vec<LogEntry> {
        let mut parser = LogParser::new(LogFields { with_message: true, max_changes });
        output.chunks(chunk).for_each(|bytes| parser.read(bytes));
        parser.finish()
    }

    #[test]
    fn messages_and_paths_may_look_like_changes() {
        let commits = parse(OUTPUT, OUTPUT.len(), 9);
        assert_eq!(commits.len(), 2);
        assert_eq!(commits[0].parents, ["bb", "cc"]);
        assert_eq!(commits[0].message, ":not a change");
        assert!(commits[0].changes.is_empty() && commits[1].parents.is_empty());
        let change = LogChange { path: ":a b\n".to_owned(), is_regular: true };
        assert_eq!(commits[1].changes[0], change);
        assert!(!commits[1].changes[1].is_regular);
    }

    #[test]
    fn submodules_are_left_out() {
        assert!(is_submodule(b":160000 160000 0 1 M") && is_submodule(b"000000 160000 0 1 A"));
        assert!(!is_submodule(b":160000 100644 0 1 T") && !is_submodule(b"000000 100644 0 1 A"));
        let output = b"aa 7 \0m\0\n:000000 160000 0 1 A\0sub\0:100644 100644 0 1 M\0file\0";
        let commits = parse(output, output.len(), 9);
        let changes: Vec<&str> = commits[0].changes.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(changes, ["file"]);
    }

    #[test]
    fn words_may_be_split_between_chunks_and_changes_are_limited() {
        let whole = parse(OUTPUT, OUTPUT.len(), 9);
        for chunk in 1..OUTPUT.len() {
            assert_eq!(parse(OUTPUT, chunk, 9), whole, "{chunk}");
        }
        assert_eq!(parse(OUTPUT, 5, 1)[1].changes.len(), 1);
    }
}

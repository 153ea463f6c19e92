//! Extracts the words of a commit message that may relate to its files.

use crate::terms::word_id;
use kitbag_text::{for_each_word, identifiers, is_stop_word};
use rustc_hash::FxHashSet;

/// Trailers that are recognized anywhere in a message, in addition to those ending in `-by`.
const TRAILERS: &[&str] = &["cc", "change-id", "git-svn-id", "piperorigin-revid"];

/// Returns the ids of the distinct words of a message in the order of their first occurrence. Skips
/// trailers, commit ids and common words.
pub(super) fn message_words(message: &str) -> Vec<u32> {
    let (title, body) = message.trim().split_once('\n').unwrap_or((message.trim(), ""));
    let mut words = MessageWords::default();
    words.add(title);
    let body = body.trim();
    let lines: Vec<&str> = body.lines().collect();
    let last_paragraph =
        lines.iter().rposition(|line| line.trim().is_empty()).map_or(0, |blank| blank + 1);
    for (at, line) in lines.iter().enumerate() {
        let is_in_last = at >= last_paragraph;
        if !trailer_name(line).is_some_and(|name| is_trailer(name, is_in_last)) {
            words.add(line);
        }
    }
    words.ids
}

#[derive(Default)]
struct MessageWords {
    ids: Vec<u32>,
    seen: FxHashSet<u32>,
}

impl MessageWords {
    fn add(&mut self, line: &str) {
        for identifier in identifiers(line).filter(|identifier| !is_commit_id(identifier)) {
            for_each_word(identifier, |word| {
                let id = word_id(word);
                if !is_stop_word(word) && self.seen.insert(id) {
                    self.ids.push(id);
                }
            });
        }
    }
}

/// Returns the key of a possible trailer: `Signed-off-by` in `Signed-off-by: A <a@example.com>`.
fn trailer_name(line: &str) -> Option<&str> {
    let (name, value) = line.trim().split_once(':')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_name && !name.is_empty() && value.starts_with([' ', '\t'])).then_some(name)
}

/// Whether a key is that of a trailer: in the last paragraph any key with a dash, elsewhere only
/// unmistakable ones.
fn is_trailer(name: &str, is_in_last: bool) -> bool {
    let lower = name.to_ascii_lowercase();
    is_in_last && name.contains('-') || lower.ends_with("-by") || TRAILERS.contains(&lower.as_str())
}

/// Whether this is a full or abbreviated commit id rather than a word or a number.
fn is_commit_id(word: &str) -> bool {
    let is_hexadecimal = word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = word.bytes().any(|byte| byte.is_ascii_lowercase());
    (7..=64).contains(&word.len()) && is_hexadecimal && has_digit && has_letter
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, title: &[&str], body: &[&str]) {
        let expected: Vec<u32> = title.iter().chain(body).map(|word| word_id(word)).collect();
        assert_eq!(message_words(message), expected, "{message}");
    }

    #[test]
    fn words_are_distinct_and_title_words_come_first() {
        check(
            "Fix loginUser\n\nThe user could not log in: fix it.",
            &["fix", "loginuser", "login", "user"],
            &["log"],
        );
        check("", &[], &[]);
        check("one-word: title", &["word", "title"], &[]);
    }

    #[test]
    fn trailers_are_skipped() {
        let message = "Title\n\nSigned-off-by: Early Bird <e@example.com>\nbody\n\n\
            note: kept\nSome-Odd-Token: dropped\nCC: reviewer\nReviewed-By: R\n";
        check(message, &["title"], &["body", "note", "kept"]);
        check("Title\n\nType-Of: thing\n\nlast", &["title"], &["type", "thing", "last"]);
        check("Title\nChange-Id: I0123", &["title"], &[]);
        check(
            "Title\n\nfix std::Vec and http://host",
            &["title"],
            &["fix", "std", "vec", "http", "host"],
        );
    }

    #[test]
    fn commit_ids_are_skipped() {
        check("Revert 1a2b3c4d, not deadbeef or 1234567", &["revert", "deadbeef", "1234567"], &[]);
        check(&format!("Undo {}", "a1".repeat(20)), &["undo"], &[]);
    }
}

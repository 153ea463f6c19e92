//! Passwords that belong to a line before them: in the files of services and devices, and in scripts that answer prompts.

use super::candidate::SecretCandidate;
use super::guard;
use super::literal::{read, read_bare, skip_spaces};
use super::rule::{SecretRule, custom};
use std::ops::Range;

const ID: &str = "config-password";

pub(super) const RULES: &[SecretRule] = &[
    custom(
        ID,
        "password of a line of a network device",
        &["line vty ", "line con ", "line aux ", "line console "],
        terminal_line,
    ),
    custom(ID, "password of a user of an image", &["chpasswd:"], user_list),
    custom(ID, "secret of a point-to-point connection", &["# client", "#client"], chap_secrets),
    custom(
        ID,
        "community of SNMP",
        &["community =", "community:", "community=", "community\":"],
        community,
    ),
    custom(ID, "password of a connection pool", &["\" \""], pool_user),
    custom(
        ID,
        "password that answers a prompt",
        &["expect \"", "expect {", "expect -re", "expect *", ".expect("],
        answer,
    ),
];

/// Most lines that follow a directive, and their length.
const MAX_LINES: usize = 12;
const MAX_LINES_BYTES: usize = 1 << 10;

/// Longest part of a prompt or heading that is considered.
const MAX_PROMPT_BYTES: usize = 128;

/// Returns the lines after the one at `at`, with their ranges.
fn lines_after(content: &str, at: usize) -> impl Iterator<Item = (Range<usize>, &str)> {
    let limit = content.floor_char_boundary((at + MAX_LINES_BYTES).min(content.len()));
    let text = &content[at..limit];
    let mut start = at;
    let lines = text.split('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end + 1;
        (range, line.trim_end_matches('\r'))
    });
    // The last line may be cut off.
    let is_whole =
        move |(range, _): &(Range<usize>, &str)| range.end < limit || limit == content.len();
    lines.skip(1).take(MAX_LINES).filter(is_whole)
}

/// Returns the beginning of the rest of a line. A long line may be full of keywords.
fn rest_of_line(content: &str, at: usize) -> &str {
    let limit = content.floor_char_boundary((at + MAX_PROMPT_BYTES).min(content.len()));
    content[at..limit].lines().next().unwrap_or_default()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn is_password(content: &str, keyword: &Range<usize>, secret: &Range<usize>) -> bool {
    let candidate = SecretCandidate { content, keyword: keyword.clone(), secret: secret.clone() };
    guard::is_plain_password(&candidate)
}

/// Whether only spaces precede `at` on its line.
fn begins_line(content: &str, at: usize) -> bool {
    let before = content[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// Finds the password in a block such as `line vty 0 4`, whose lines are indented.
fn terminal_line(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    if !begins_line(content, keyword.start) {
        return Vec::new();
    }
    let block = lines_after(content, keyword.end).take_while(|(_, line)| line.starts_with(' '));
    let password = |(range, line): (Range<usize>, &str)| {
        let words = line.trim_start().strip_prefix("password ")?;
        let value = ["0 ", "7 "].iter().find_map(|it| words.strip_prefix(it)).unwrap_or(words);
        let start = range.start + line.len() - value.len();
        Some(start..start + value.trim_end().len())
    };
    block.filter_map(password).filter(|it| is_password(content, &keyword, it)).collect()
}

/// Finds the passwords in a list of `user:password` below `chpasswd:`, as in the user data of cloud images.
fn user_list(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    if !begins_line(content, keyword.start) {
        return Vec::new();
    }
    let start = content[..keyword.start].rfind('\n').map_or(0, |at| at + 1);
    let outer = keyword.start - start;
    let block = lines_after(content, keyword.end)
        .take_while(|(_, line)| line.trim().is_empty() || indentation(line) > outer);
    let password = |(range, line): (Range<usize>, &str)| {
        let entry = line.trim_start_matches([' ', '\t', '-']);
        let (user, value) = entry.split_once(':')?;
        let is_user = |it: u8| it.is_ascii_alphanumeric() || b"_.-".contains(&it);
        // Keys of YAML are followed by a space.
        let is_entry = user.bytes().all(is_user) && !value.starts_with(' ') && !value.is_empty();
        let start = range.start + line.len() - value.len();
        is_entry.then(|| start..start + value.trim_end().len())
    };
    block.filter_map(password).filter(|it| is_password(content, &keyword, it)).collect()
}

/// Finds the third column of a `chap-secrets` file, which begins with the names of its columns.
fn chap_secrets(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    let heading = rest_of_line(content, keyword.end);
    if !heading.split_whitespace().take(2).eq(["server", "secret"]) {
        return Vec::new();
    }
    let secret = |(range, line): (Range<usize>, &str)| {
        if line.starts_with('#') {
            return None;
        }
        let mut at = range.start;
        for column in 0..3 {
            at += indentation(&content[at..range.end]);
            let (value, end) = match read(&content.as_bytes()[..range.end], at) {
                Some(literal) => (literal.inner, literal.end),
                None => {
                    let value = read_bare(&content.as_bytes()[..range.end], at);
                    (value.clone(), value.end)
                }
            };
            if column == 2 {
                return Some(value).filter(|it| content.get(it.clone()).is_some());
            }
            at = end;
            content.get(at..range.end)?;
        }
        None
    };
    let lines = lines_after(content, keyword.end);
    lines.filter_map(secret).filter(|it| is_password(content, &keyword, it)).collect()
}

/// Number of bytes before a community in which the protocol is named.
const PROTOCOL_BYTES: usize = 256;

/// Finds the value of `community` in the configuration of SNMP.
fn community(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    let bytes = content.as_bytes();
    let before = &bytes[keyword.start.saturating_sub(PROTOCOL_BYTES)..keyword.start];
    let is_snmp = before.windows(4).any(|it| it.eq_ignore_ascii_case(b"snmp"));
    let at = skip_spaces(bytes, keyword.end);
    let value = read(bytes, at)
        .map(|it| it.inner)
        .filter(|it| is_snmp && content.get(it.clone()).is_some());
    value.filter(|it| is_password(content, &keyword, it)).into_iter().collect()
}

/// Finds the password in a line that consists of a user and a password, both in quotes, next to other such lines or
/// none.
fn pool_user(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    // The first of the two strings is the name of a user.
    let from = content.floor_char_boundary(keyword.start.saturating_sub(MAX_PROMPT_BYTES));
    let Some(start) = content[from..keyword.start].rfind('\n').map(|at| from + at + 1) else {
        return if from == 0 { pair_at(content, 0, &keyword) } else { Vec::new() };
    };
    pair_at(content, start, &keyword)
}

fn pair_at(content: &str, start: usize, keyword: &Range<usize>) -> Vec<Range<usize>> {
    let end = keyword.end + rest_of_line(content, keyword.end).len();
    if !matches!(content.as_bytes().get(end), None | Some(b'\n' | b'\r')) {
        return Vec::new();
    }
    let is_pair = |line: &str| {
        let line = line.trim_end();
        let quotes = line.bytes().filter(|it| *it == b'"').count();
        line.is_empty()
            || line.starts_with(';')
            || quotes == 4 && line.starts_with('"') && line.ends_with('"') && line.contains("\" \"")
    };
    let previous = content[..start].trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    let next = content[end..].trim_start_matches('\n').split('\n').next().unwrap_or_default();
    if ![previous, &content[start..end], next].into_iter().all(is_pair) {
        return Vec::new();
    }
    let line = content[start..end].trim_end();
    let value = keyword.end..start + line.len().saturating_sub(1);
    let Some(text) = content.get(value.clone()) else { return Vec::new() };
    let candidate = SecretCandidate { content, keyword: keyword.clone(), secret: value.clone() };
    let is_hash = text.starts_with("SCRAM-") || text.starts_with("md5");
    let is_secret = !is_hash && !text.contains(' ') && guard::is_password_with_digit(&candidate);
    if is_secret { vec![value] } else { Vec::new() }
}

/// Finds what a script sends after it expects a prompt for a password.
fn answer(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    let prompt = rest_of_line(content, keyword.end);
    if !["assword", "assphrase"].iter().any(|it| prompt.contains(it)) {
        return Vec::new();
    }
    let sent = |(range, line): (Range<usize>, &str)| {
        let send = line.find("send")?;
        let quote = send + line[send..].find(['"', '\''])?;
        let literal = read(content.as_bytes(), range.start + quote)?;
        let value = content.get(literal.inner.clone())?;
        let value = value.trim_end_matches("\\n").trim_end_matches("\\r");
        Some(literal.inner.start..literal.inner.start + value.len())
    };
    let next = lines_after(content, keyword.end).find(|(_, line)| !line.trim().is_empty());
    let answer = next.and_then(sent).filter(|it| is_password(content, &keyword, it));
    answer.into_iter().collect()
}

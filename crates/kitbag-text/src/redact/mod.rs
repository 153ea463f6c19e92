//! Redaction: finds secrets in text and replaces each with a marker that names its rule.
//!
//! The rules are tables. One pass finds their keywords; only there are the regular expressions tried, and
//! a guard then rejects placeholders, hashes and code. A secret never spans lines, so line numbers do not
//! change.

mod assignment;
mod block;
mod calls;
mod candidate;
mod catalog;
mod chosen;
mod commands;
mod configuration;
mod contexts;
mod directives;
mod encoding;
mod folding;
mod guard;
mod heuristics;
mod literal;
mod manifest;
mod markup;
mod names;
mod numbers;
mod placement;
mod rule;
mod scanner;
mod services;
mod shape;
mod surroundings;
mod tables;
#[cfg(test)]
mod tests;
mod urls;
mod verdict;
mod vocabulary;
mod words;

use crate::text::Text;
use scanner::SCANNER;
use std::ops::Range;

/// A secret found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Byte range.
    pub range: Range<usize>,
    /// Id of the rule that found it.
    pub rule: &'static str,
}

/// Record of a replaced secret, without the secret itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Redaction {
    /// Line number.
    pub line: u32,
    /// Id of the rule that found it.
    pub rule: &'static str,
}

/// Returns the id and description of every rule.
pub fn redaction_rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCANNER.rules()
}

/// Finds the secrets in a text, in order. They do not overlap or span lines.
pub fn find_secrets(content: &str) -> Vec<Secret> {
    SCANNER.find(content)
}

/// Replaces the secrets in a text and lists them; `None` if there are none. Line numbers and the text
/// before a secret do not change.
pub fn redact(text: &Text) -> Option<(Text, Vec<Redaction>)> {
    let (mut redacted, mut redactions) = replace_in(text, &find_secrets(text.content()))?;
    for _ in 1..MAX_PASSES {
        let Some((again, more)) = replace_in(&redacted, &find_secrets(redacted.content())) else {
            break;
        };
        redacted = again;
        redactions.extend(more);
    }
    redactions.sort_unstable();
    Some((redacted, redactions))
}

/// Most passes over a text with secrets. Without a secret next to it, another one may be recognized; the result has to
/// be the same if it is redacted again.
const MAX_PASSES: usize = 4;

/// Replaces the lines of a private key at the beginning of an excerpt, such as the output of a command, that
/// contains neither the first nor the last line of the key. [`redact`] finds all other secrets.
pub fn redact_key_fragment(text: &Text) -> Option<(Text, Vec<Redaction>)> {
    let lines = block::find_fragment(text.content());
    let secret = |range| Secret { range, rule: "private-key" };
    replace_in(text, &lines.into_iter().map(secret).collect::<Vec<_>>())
}

fn replace_in(text: &Text, secrets: &[Secret]) -> Option<(Text, Vec<Redaction>)> {
    if secrets.is_empty() {
        return None;
    }
    let line = |at: usize| {
        let row = text.row_starts().partition_point(|&start| start as usize <= at);
        text.first_line() + row.saturating_sub(1) as u32
    };
    let redaction =
        |secret: &Secret| Redaction { line: line(secret.range.start), rule: secret.rule };
    let redactions = secrets.iter().map(redaction).collect();
    let content = replace(text.content(), secrets);
    Some((Text::with_first_line(content, text.first_line()), redactions))
}

/// Replaces the secrets in a short text, such as a name; `None` if there are none.
pub fn redact_str(text: &str) -> Option<String> {
    redact(&Text::new(text)).map(|(text, _)| text.content().to_owned())
}

fn marker(rule: &str) -> String {
    format!("[REDACTED:{rule}]")
}

fn replace(content: &str, secrets: &[Secret]) -> String {
    let mut replaced = String::with_capacity(content.len());
    let mut done = 0;
    for secret in secrets {
        replaced.push_str(&content[done..secret.range.start]);
        replaced.push_str(&marker(secret.rule));
        done = secret.range.end;
    }
    replaced.push_str(&content[done..]);
    replaced
}

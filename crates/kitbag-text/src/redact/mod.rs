//! Redaction: finds secrets in text and replaces each with a marker that names its rule.
//!
//! The rules are tables. One pass finds their keywords; only there are the regular expressions tried, and
//! a guard then rejects placeholders, hashes and code. A secret never spans lines, so line numbers do not
//! change.

mod block;
mod candidate;
mod generic;
mod guard;
mod heuristics;
mod rule;
mod services;
#[cfg(test)]
mod tests;

use crate::text::Text;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use candidate::SecretCandidate;
use regex::bytes::Regex;
use rule::{MatchWindow, SecretRule};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

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
    SCANNER.rules.iter().map(|rule| (rule.id, rule.description))
}

/// Finds the secrets in a text, in order. They do not overlap or span lines.
pub fn find_secrets(content: &str) -> Vec<Secret> {
    SCANNER.find(content)
}

/// Replaces the secrets in a text and lists them; `None` if there are none. Line numbers and the text
/// before a secret do not change.
pub fn redact(text: &Text) -> Option<(Text, Vec<Redaction>)> {
    let secrets = find_secrets(text.content());
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
    let content = replace(text.content(), &secrets);
    Some((Text::with_first_line(content, text.first_line()), redactions))
}

/// Replaces the secrets in a short text, such as a name; `None` if there are none.
pub fn redact_str(text: &str) -> Option<String> {
    let secrets = find_secrets(text);
    (!secrets.is_empty()).then(|| replace(text, &secrets))
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

static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);

struct Scanner {
    /// Rules, the most specific first. If several find the same secret, the first one names it.
    rules: Vec<&'static SecretRule>,
    automaton: AhoCorasick,
    /// Index of the rule of each keyword. Several rules may have the same one.
    rules_by_keyword: Vec<usize>,
    /// Regular expression of each rule, compiled when its keyword is first found.
    compiled: Vec<OnceLock<Regex>>,
}

impl Scanner {
    fn new() -> Self {
        let tables = [block::RULES, services::RULES, generic::RULES];
        let rules: Vec<&SecretRule> = tables.into_iter().flatten().collect();
        let keywords = rules.iter().enumerate().flat_map(|(index, rule)| {
            rule.keywords().into_iter().map(move |keyword| (keyword, index))
        });
        let (keywords, rules_by_keyword): (Vec<Vec<u8>>, Vec<usize>) = keywords.unzip();
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(&keywords)
            .expect("a few hundred short keywords make a small automaton");
        let compiled = rules.iter().map(|_| OnceLock::new()).collect();
        Self { rules, automaton, rules_by_keyword, compiled }
    }

    fn find(&self, content: &str) -> Vec<Secret> {
        let mut found: Vec<(Range<usize>, usize)> = Vec::new();
        for hit in self.automaton.find_overlapping_iter(content.as_bytes()) {
            if !is_in_marker(content, hit.start()) {
                let rule = self.rules_by_keyword[hit.pattern().as_usize()];
                self.try_rule(rule, content, hit.range(), &mut found);
            }
        }
        found.sort_unstable_by_key(|(range, rule)| (range.start, *rule));
        self.merge(found)
    }

    /// Tries a rule at one of its keywords.
    fn try_rule(
        &self,
        index: usize,
        content: &str,
        keyword: Range<usize>,
        found: &mut Vec<(Range<usize>, usize)>,
    ) {
        let rule = self.rules[index];
        match rule.window {
            MatchWindow::Block => {
                found.extend(block::find(content, keyword.end).into_iter().map(|it| (it, index)));
                return;
            }
            MatchWindow::Start if !rule::is_boundary(content.as_bytes(), keyword.start) => return,
            MatchWindow::Start | MatchWindow::Within | MatchWindow::Line => {}
        }
        let window = rule.window.range(content, &keyword);
        let regex = self.compiled[index].get_or_init(|| rule.compile());
        for captures in regex.captures_iter(&content.as_bytes()[window.clone()]) {
            let Some(matched) = captures.get(1).or_else(|| captures.get(0)) else { continue };
            let secret = window.start + matched.start()..window.start + matched.end();
            let candidate =
                SecretCandidate { content, keyword: keyword.clone(), secret: secret.clone() };
            if (rule.guard)(&candidate) {
                let is_cut_off = secret.end == window.end;
                let end =
                    if is_cut_off { rule::token_end(content, secret.end) } else { secret.end };
                found.push((secret.start..end, index));
            }
        }
    }

    /// Merges overlapping secrets, named by the most specific rule.
    fn merge(&self, found: Vec<(Range<usize>, usize)>) -> Vec<Secret> {
        let mut merged: Vec<(Range<usize>, usize)> = Vec::with_capacity(found.len());
        for (range, rule) in found {
            match merged.last_mut() {
                Some((last, named)) if range.start < last.end => {
                    last.end = last.end.max(range.end);
                    *named = rule.min(*named);
                }
                _ => merged.push((range, rule)),
            }
        }
        let secret =
            |(range, rule): (Range<usize>, usize)| Secret { range, rule: self.rules[rule].id };
        merged.into_iter().map(secret).collect()
    }
}

/// Whether an offset is inside a marker, where rule ids may look like keywords.
fn is_in_marker(content: &str, at: usize) -> bool {
    const BEGIN: &[u8] = b"[REDACTED:";
    let bytes = &content.as_bytes()[at.saturating_sub(MAX_MARKER_BYTES)..at];
    let begin = bytes.windows(BEGIN.len()).rposition(|it| it == BEGIN);
    begin.is_some_and(|begin| !bytes[begin..].contains(&b']'))
}

/// Upper bound for the length of a marker.
const MAX_MARKER_BYTES: usize = 64;

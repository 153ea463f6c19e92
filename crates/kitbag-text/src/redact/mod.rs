//! Secrets inside text: finding them, and replacing each with a marker that names its rule.
//!
//! The rules are tables. One pass over the text looks for the rules' keywords; only where one
//! stands is its expression tried, and a guard then tells secrets from placeholders, hashes and
//! code. What is replaced stands within one line, so a text keeps its lines and their numbers.

mod block;
mod cloud;
mod developer;
mod generic;
mod guard;
mod office;
mod rule;
mod shape;
#[cfg(test)]
mod tests;

use crate::Text;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::Regex;
use rule::{Candidate, Place, Rule};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// A secret that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// The rule that found it.
    pub rule: &'static str,
}

/// That a secret was replaced, without the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Redaction {
    /// The line that it stood on.
    pub line: u32,
    /// The rule that found it.
    pub rule: &'static str,
}

/// The rules by id, each with what it finds.
pub fn redaction_rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCANNER.rules.iter().map(|rule| (rule.id, rule.description))
}

/// The secrets in a text, in order; none overlaps another or reaches over a line's end.
pub fn find_secrets(content: &str) -> Vec<Secret> {
    SCANNER.find(content)
}

/// The text with its secrets replaced, and what was replaced; `None` where there is no secret. The
/// lines keep their numbers, and what stands before a secret on its line stays as it is.
pub fn redact(text: &Text) -> Option<(Text, Vec<Redaction>)> {
    let secrets = find_secrets(text.content());
    if secrets.is_empty() {
        return None;
    }
    let line = |at: usize| {
        let row = text.starts().partition_point(|&start| start as usize <= at);
        text.first_line() + row.saturating_sub(1) as u32
    };
    let redaction =
        |secret: &Secret| Redaction { line: line(secret.range.start), rule: secret.rule };
    let redactions = secrets.iter().map(redaction).collect();
    let content = replace(text.content(), &secrets);
    Some((Text::part(content, text.first_line()), redactions))
}

/// A short text, such as a name, with its secrets replaced; `None` where there is none.
pub fn redact_str(text: &str) -> Option<String> {
    let secrets = find_secrets(text);
    (!secrets.is_empty()).then(|| replace(text, &secrets))
}

/// What stands in a secret's place.
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

/// All rules, ready to be used.
struct Scanner {
    /// The special rules come first: where two find the same, the first names it.
    rules: Vec<&'static Rule>,
    automaton: AhoCorasick,
    /// The rules of each keyword.
    of_keyword: Vec<Vec<usize>>,
    /// Each rule's expression, compiled when its keyword is first met.
    compiled: Vec<OnceLock<Regex>>,
}

impl Scanner {
    fn new() -> Self {
        let tables = [block::RULES, cloud::RULES, developer::RULES, office::RULES, generic::RULES];
        let rules: Vec<&Rule> = tables.into_iter().flatten().collect();
        let mut keywords: Vec<&str> = Vec::new();
        let mut of_keyword: Vec<Vec<usize>> = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            for keyword in rule.keywords {
                match keywords.iter().position(|known| known == keyword) {
                    Some(place) => of_keyword[place].push(index),
                    None => {
                        keywords.push(keyword);
                        of_keyword.push(vec![index]);
                    }
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(&keywords)
            .expect("a few hundred short keywords make a small automaton");
        let compiled = rules.iter().map(|_| OnceLock::new()).collect();
        Self { rules, automaton, of_keyword, compiled }
    }

    fn find(&self, content: &str) -> Vec<Secret> {
        let mut found: Vec<(Range<usize>, usize)> = Vec::new();
        for hit in self.automaton.find_overlapping_iter(content.as_bytes()) {
            if is_in_marker(content, hit.start()) {
                continue;
            }
            for &rule in &self.of_keyword[hit.pattern().as_usize()] {
                self.try_rule(rule, content, hit.range(), &mut found);
            }
        }
        found.sort_unstable_by_key(|(range, rule)| (range.start, *rule));
        self.merge(found)
    }

    /// Tries a rule where one of its keywords stands.
    fn try_rule(
        &self,
        index: usize,
        content: &str,
        keyword: Range<usize>,
        found: &mut Vec<(Range<usize>, usize)>,
    ) {
        let rule = self.rules[index];
        match rule.place {
            Place::Block => {
                found.extend(block::find(content, keyword.end).into_iter().map(|it| (it, index)));
                return;
            }
            Place::Start if !rule::is_boundary(content.as_bytes(), keyword.start) => return,
            Place::Start | Place::Within | Place::Line => {}
        }
        let window = rule::window(rule.place, content, &keyword);
        let regex = self.compiled[index].get_or_init(|| rule.compile());
        for captures in regex.captures_iter(&content.as_bytes()[window.clone()]) {
            let whole = captures.get(1).or_else(|| captures.get(0));
            let Some(secret) = whole.map(|it| window.start + it.start()..window.start + it.end())
            else {
                continue;
            };
            let candidate = Candidate { content, keyword: keyword.clone(), secret: secret.clone() };
            if (rule.guard)(&candidate) {
                let is_cut = secret.end == window.end;
                let end = if is_cut { rule::followed(content, secret.end) } else { secret.end };
                found.push((secret.start..end, index));
            }
        }
    }

    /// Makes one secret of those that overlap, named by the most special rule.
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

/// Whether a place lies in a marker of ours: the name of a rule there is no keyword.
fn is_in_marker(content: &str, at: usize) -> bool {
    const BEGIN: &[u8] = b"[REDACTED:";
    let bytes = &content.as_bytes()[at.saturating_sub(LONGEST_MARKER)..at];
    let begun = bytes.windows(BEGIN.len()).rposition(|it| it == BEGIN);
    begun.is_some_and(|begun| !bytes[begun..].contains(&b']'))
}

/// No marker is longer.
const LONGEST_MARKER: usize = 64;

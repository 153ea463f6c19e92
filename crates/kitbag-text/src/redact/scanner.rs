//! Finds the keywords of all rules in one pass, and tries each rule at its keywords.

use super::assignment::{Assignment, NamedValue};
use super::candidate::{SecretCandidate, whole_characters};
use super::catalog::is_in_catalog;
use super::names::{self, NameKind, SecretName};
use super::rule::{self, MatchWindow, SecretRule};
use super::verdict;
use super::{
    Secret, block, calls, commands, contexts, directives, manifest, services, tables, urls,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

pub(super) static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);

pub(super) struct Scanner {
    /// Rules, the most specific first. If several find the same secret, the first one names it.
    rules: Vec<&'static SecretRule>,
    automaton: AhoCorasick,
    /// Index of the rule of each keyword. Several rules may have the same one.
    rules_by_keyword: Vec<usize>,
    /// Regular expression of each rule, compiled when its keyword is first found.
    compiled: Vec<OnceLock<Regex>>,
    /// Indexes of the rules for passwords and other secrets that are recognized by a name.
    password_rule: usize,
    secret_rule: usize,
}

/// Most names within a value that are tried.
const MAX_NESTED_NAMES: usize = 4;

/// How far names were tried.
#[derive(Default)]
struct NameProgress {
    /// End of the last name, which may contain several keywords.
    name_end: usize,
    /// End of the outermost value, and the number of names in it. In `a=b=c`, each name is also part of a value.
    value_end: usize,
    nested: usize,
    /// Rows of the last table, whose cells are not headers of other tables.
    rows: Range<usize>,
}

impl NameProgress {
    fn admits(&self, at: usize) -> bool {
        at >= self.name_end && (at >= self.value_end || self.nested < MAX_NESTED_NAMES)
    }

    fn enter(&mut self, name: usize, value_end: Option<usize>) {
        if name < self.value_end {
            self.nested += 1;
        } else {
            self.value_end = value_end.unwrap_or_default();
            self.nested = 0;
        }
    }
}

/// Ranges of secrets, with the indexes of their rules.
type Found = Vec<(Range<usize>, usize)>;

impl Scanner {
    fn new() -> Self {
        let tables = [
            block::RULES,
            manifest::RULES,
            services::RULES,
            urls::RULES,
            contexts::RULES,
            commands::RULES,
            directives::RULES,
            calls::RULES,
            names::RULES,
        ];
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
        let secret_rule = rules.len() - 1;
        let password_rule = secret_rule - 1;
        Self { rules, automaton, rules_by_keyword, compiled, password_rule, secret_rule }
    }

    /// Returns the id and description of every rule.
    pub fn rules(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.rules.iter().map(|rule| (rule.id, rule.description))
    }

    #[cfg(test)]
    pub fn tables(&self) -> &[&'static SecretRule] {
        &self.rules
    }

    /// Finds the secrets in a text, in order.
    pub fn find(&self, content: &str) -> Vec<Secret> {
        let mut found: Found = Vec::new();
        let mut names = NameProgress::default();
        let mut windows: Vec<Range<usize>> = vec![0..0; self.rules.len()];
        for hit in self.automaton.find_overlapping_iter(content.as_bytes()) {
            let rule = self.rules_by_keyword[hit.pattern().as_usize()];
            if matches!(self.rules[rule].window, MatchWindow::Name) {
                if names.admits(hit.start()) {
                    self.try_name(content, hit.range(), &mut names, &mut found);
                }
                continue;
            }
            self.try_rule(rule, content, hit.range(), &mut windows[rule], &mut found);
        }
        found.retain(|(range, _)| !range.is_empty() && !is_in_marker(content, range.start));
        found.sort_unstable_by_key(|(range, rule)| (range.start, *rule));
        self.merge(found)
    }

    /// Tries a rule at one of its keywords. `searched` is the part of its last window after which it is tried again.
    fn try_rule(
        &self,
        index: usize,
        content: &str,
        keyword: Range<usize>,
        searched: &mut Range<usize>,
        found: &mut Found,
    ) {
        let rule = self.rules[index];
        match rule.window {
            MatchWindow::Custom(find) => {
                found.extend(find(content, keyword).into_iter().map(|it| (it, index)));
                return;
            }
            MatchWindow::Start if !rule::is_boundary(content.as_bytes(), keyword.start) => return,
            _ if searched.contains(&keyword.start) => return,
            _ => {}
        }
        let window = rule.window.range(content, &keyword);
        *searched = keyword.start..window.end.min(keyword.start + rule.min_distance);
        let regex = self.compiled[index].get_or_init(|| rule.compile());
        for captures in regex.captures_iter(&content.as_bytes()[window.clone()]) {
            let groups = captures.iter().skip(1).flatten().next();
            let Some(matched) = groups.or_else(|| captures.get(0)) else { continue };
            let secret = window.start + matched.start()..window.start + matched.end();
            let secret = whole_characters(content, secret);
            let candidate =
                SecretCandidate { content, keyword: keyword.clone(), secret: secret.clone() };
            if !is_in_marker(content, keyword.start) && (rule.guard)(&candidate) {
                let is_cut_off = secret.end >= window.end;
                let end =
                    if is_cut_off { rule::token_end(content, secret.end) } else { secret.end };
                found.push((secret.start..end, index));
            }
        }
    }

    /// Tries the name that contains a keyword.
    fn try_name(
        &self,
        content: &str,
        keyword: Range<usize>,
        progress: &mut NameProgress,
        found: &mut Found,
    ) {
        let name = names::around(content, keyword);
        progress.name_end = name.end;
        if is_in_marker(content, name.start) {
            return;
        }
        let mut assignment = Assignment::new(content, name.clone());
        if !assignment.may_have_value() {
            return;
        }
        let Some(class) = names::classify_at(content, &name) else { return };
        let rule =
            if class.kind == NameKind::Password { self.password_rule } else { self.secret_rule };
        assignment.may_be_chosen =
            matches!(class.kind, NameKind::Password | NameKind::Secret) || class.is_strong;
        // The login next to a password shows what it is for.
        let with_login = SecretName { is_verb: false, has_purpose: true, ..class };
        let may_have_login = class.kind == NameKind::Password && class != with_login;
        let accepted = |mut values: Vec<NamedValue>| {
            for part in values.iter_mut().flat_map(|it| &mut it.parts) {
                *part = whole_characters(content, part.clone());
            }
            let is_secret = |value: &NamedValue| {
                let text: String = value.parts.iter().map(|it| &content[it.clone()]).collect();
                let may_be_text = !text.bytes().any(|it| it.is_ascii_digit());
                let is_secret = verdict::is_secret(class, value.form, &text)
                    || may_have_login
                        && verdict::is_secret(with_login, value.form, &text)
                        && assignment.has_login();
                is_secret
                    && !(may_be_text && (assignment.is_label() || is_in_catalog(content, &name)))
            };
            values.into_iter().find(is_secret)
        };
        let direct = assignment.direct();
        progress.enter(name.start, direct.iter().flat_map(|it| &it.parts).map(|it| it.end).max());
        let value = accepted(direct).or_else(|| accepted(assignment.apart().into_iter().collect()));
        match value {
            Some(value) => found.extend(value.parts.into_iter().map(|part| (part, rule))),
            None if progress.rows.contains(&name.start) => {}
            None => {
                let column = tables::column(content, &name, class);
                found.extend(column.secrets.into_iter().map(|part| (part, rule)));
                progress.rows = column.rows;
            }
        }
    }

    /// Merges overlapping secrets, named by the most specific rule.
    fn merge(&self, found: Found) -> Vec<Secret> {
        let mut merged: Found = Vec::with_capacity(found.len());
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
    let begin = memchr::memrchr(b'[', bytes);
    begin.is_some_and(|begin| bytes[begin..].starts_with(BEGIN) && !bytes[begin..].contains(&b']'))
}

/// Upper bound for the length of a marker.
const MAX_MARKER_BYTES: usize = 64;

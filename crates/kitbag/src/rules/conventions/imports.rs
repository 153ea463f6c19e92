//! `@path` imports, as CLAUDE.md has them: outside code, relative to the file that they stand in,
//! four hops at the most, and never out of the root.

use super::{Part, Rule};
use crate::rules::files::{As, Files, Parsed};
use crate::rules::problem::RuleProblem;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many files may lie between the first and the last.
const MOST_HOPS: usize = 4;
/// How many files one file may bring in all.
const MOST_IMPORTS: usize = 100;

/// Names that end so are meant as files, also where there is none.
const FILE_ENDINGS: [&str; 10] =
    [".md", ".mdx", ".mdc", ".txt", ".rst", ".adoc", ".json", ".yml", ".yaml", ".toml"];

/// The imports of a text with their lines and columns.
pub(super) fn find(text: &str) -> Vec<(String, (usize, usize))> {
    let mut found = Vec::new();
    let mut fence: Option<String> = None;
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let mark: String = match start.chars().next() {
            Some(mark @ ('`' | '~')) => start.chars().take_while(|&c| c == mark).collect(),
            _ => String::new(),
        };
        match &fence {
            Some(open) if mark.starts_with(open.as_str()) => fence = None,
            Some(_) => {}
            None if mark.len() >= 3 => fence = Some(mark),
            None => {
                let placed = |(path, column)| (path, (number + 1, column));
                found.extend(of_line(line).into_iter().map(placed));
            }
        }
    }
    found
}

/// The imports of a line with their columns, without those in code spans.
fn of_line(line: &str) -> Vec<(String, usize)> {
    let chars: Vec<char> = line.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars[at] == '`' {
            at = after_code(&chars, at);
            continue;
        }
        let begins = chars[at] == '@' && (at == 0 || chars[at - 1].is_whitespace());
        at += 1;
        let column = at;
        if !begins {
            continue;
        }
        let mut path = String::new();
        while at < chars.len() {
            match chars[at] {
                '\\' if chars.get(at + 1) == Some(&' ') => {
                    path.push(' ');
                    at += 1;
                }
                c if c.is_whitespace() || c == '`' => break,
                c => path.push(c),
            }
            at += 1;
        }
        let path = path.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']']);
        if !path.is_empty() && !path.starts_with(['"', '\'']) {
            found.push((path.to_owned(), column));
        }
    }
    found
}

/// The place after a code span; after its backticks where it does not end.
fn after_code(chars: &[char], at: usize) -> usize {
    let run = |at: usize| chars[at..].iter().take_while(|&&c| c == '`').count();
    let length = run(at);
    let mut next = at + length;
    while next < chars.len() {
        if chars[next] != '`' {
            next += 1;
            continue;
        }
        let ends = run(next);
        next += ends;
        if ends == length {
            return next;
        }
    }
    at + length
}

/// Everything that a rule imports, each file once.
pub(super) fn follow(
    files: Files<'_>,
    rule: &Rule,
    seen: &mut BTreeSet<String>,
    problems: &mut Vec<RuleProblem>,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut walk = Walk { files, seen, problems, parts: &mut parts };
    walk.imports(&rule.path, &rule.imports, std::slice::from_ref(&rule.path));
    parts
}

struct Walk<'a> {
    files: Files<'a>,
    seen: &'a mut BTreeSet<String>,
    problems: &'a mut Vec<RuleProblem>,
    parts: &'a mut Vec<Part>,
}

impl Walk<'_> {
    /// Takes the imports of one file. It calls itself at most as deep as there are hops.
    fn imports(&mut self, path: &str, imports: &[(String, (usize, usize))], via: &[String]) {
        for (target, place) in imports {
            let place = *place;
            let Some(entry) = self.entry(path, target, place) else { continue };
            if self.seen.contains(&entry.path) {
                continue;
            }
            let left_out = if via.len() > MOST_HOPS {
                Some(format!("not imported, since it is more than {MOST_HOPS} hops away"))
            } else if self.parts.len() >= MOST_IMPORTS {
                Some(format!("not imported, since there are {MOST_IMPORTS} imports already"))
            } else {
                None
            };
            if let Some(message) = left_out {
                let message = format!("{message}: `{target}`");
                self.problems.push(RuleProblem::warning(path, "import", message).at(place));
                continue;
            }
            self.seen.insert(entry.path.clone());
            let parsed = self.files.parsed(&entry, As::Text, |text| plain(&entry.path, text));
            self.problems.extend(parsed.problems.iter().cloned());
            let Some(rule) = &parsed.rule else { continue };
            if let Some((text, line)) = &rule.text {
                let (via, text) = (via.to_vec(), Arc::clone(text));
                self.parts.push(Part { path: entry.path.clone(), line: *line, via, text });
            }
            let via: Vec<String> = via.iter().cloned().chain([entry.path.clone()]).collect();
            self.imports(&entry.path, &rule.imports, &via);
        }
    }

    /// The file that an import means. What cannot be one is passed over, and what was meant as one
    /// is told.
    fn entry(
        &mut self,
        path: &str,
        target: &str,
        place: (usize, usize),
    ) -> Option<kitbag_repo::FileEntry> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let outside = target.starts_with('~');
        let joined = match (target.starts_with('/'), folder) {
            (true, _) | (_, "") => target.to_owned(),
            (false, folder) => format!("{folder}/{target}"),
        };
        let (code, reason) = if outside {
            ("outside_root", "it lies outside the repository".to_owned())
        } else {
            match self.files.root.entry(&joined) {
                Ok(entry) => return Some(entry),
                Err(error) => {
                    let problem = crate::rules::files::unreadable(&joined, &error);
                    (problem.code, problem.message)
                }
            }
        };
        let is_meant = FILE_ENDINGS.iter().any(|ending| target.ends_with(ending))
            || ["./", "../", "~/", "/"].iter().any(|begin| target.starts_with(begin));
        if is_meant {
            let message = format!("not imported: `{target}`: {reason}");
            let is_rejected = !matches!(code, "not_found" | "not_a_file");
            let problem = if is_rejected {
                RuleProblem::error(path, code, message)
            } else {
                RuleProblem::warning(path, "import", message)
            };
            self.problems.push(problem.at(place));
        }
        None
    }
}

/// An imported file: its text, and what it imports.
pub(super) fn plain(path: &str, text: &str) -> Parsed {
    let rule = Rule {
        name: path.to_owned(),
        description: None,
        convention: super::Convention::ClaudeMd,
        path: path.to_owned(),
        when: super::When::default(),
        text: Some(super::body(text, 1)),
        imports: find(text),
    };
    Parsed { rule: Some(Arc::new(rule)), ..Parsed::default() }
}

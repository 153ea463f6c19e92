//! `@path` imports of CLAUDE.md: outside code, relative to the importing file, at most four hops, and
//! never outside the root.

use crate::files::{FileRole, ParsedFile, RuleFiles, unreadable};
use crate::model::{Convention, LocatedName, Rule, RuleText, TextBlock};
use crate::problem::RuleProblem;
use kitbag_config::yaml::LineColumn;
use kitbag_repo::{FileEntry, PathError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum length of a chain of imports.
const MAX_HOPS: usize = 4;
/// Maximum number of files that one file imports, directly or indirectly.
const MAX_IMPORTS: usize = 100;

/// Extensions that mark a name as a path even if the file does not exist.
const FILE_EXTENSIONS: [&str; 10] =
    [".md", ".mdx", ".mdc", ".txt", ".rst", ".adoc", ".json", ".yml", ".yaml", ".toml"];

/// Prefixes that mark a name as a path.
const PATH_PREFIXES: [&str; 4] = ["./", "../", "~/", "/"];

/// Returns the imports of a text.
fn find_imports(text: &str) -> Vec<LocatedName> {
    let mut imports = Vec::new();
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
                let line_imports = find_in_line(line).into_iter();
                imports.extend(line_imports.map(|(name, column)| LocatedName {
                    name,
                    position: LineColumn { line: number + 1, column },
                }));
            }
        }
    }
    imports
}

/// Returns the imports of a line with their columns, except those in code spans.
fn find_in_line(line: &str) -> Vec<(String, usize)> {
    let chars: Vec<char> = line.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars[at] == '`' {
            at = skip_code_span(&chars, at);
            continue;
        }
        let is_import = chars[at] == '@' && (at == 0 || chars[at - 1].is_whitespace());
        at += 1;
        let column = at;
        if !is_import {
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

/// Returns the index after a code span, or after its backticks if it is not closed.
fn skip_code_span(chars: &[char], at: usize) -> usize {
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

/// Returns everything that a rule imports, each file once.
pub(super) fn follow(
    files: RuleFiles<'_>,
    rule: &Rule,
    seen: &mut BTreeSet<String>,
    problems: &mut Vec<RuleProblem>,
) -> Vec<RuleText> {
    let mut walker = ImportWalker { files, seen, problems, texts: Vec::new() };
    walker.follow(&rule.path, &rule.targets, std::slice::from_ref(&rule.path));
    walker.texts
}

struct ImportWalker<'a> {
    files: RuleFiles<'a>,
    seen: &'a mut BTreeSet<String>,
    problems: &'a mut Vec<RuleProblem>,
    texts: Vec<RuleText>,
}

impl ImportWalker<'_> {
    /// Follows the imports of one file. Recursion is bounded by the number of hops.
    fn follow(&mut self, path: &str, imports: &[LocatedName], via: &[String]) {
        for import in imports {
            let Some(entry) = self.resolve(path, import) else { continue };
            if self.seen.contains(&entry.path) {
                continue;
            }
            let limit = if via.len() > MAX_HOPS {
                Some(format!("more than {MAX_HOPS} hops away"))
            } else if self.texts.len() >= MAX_IMPORTS {
                Some(format!("more than {MAX_IMPORTS} imports"))
            } else {
                None
            };
            if let Some(limit) = limit {
                let message = format!("`{}` is not imported: {limit}", import.name);
                let problem = RuleProblem::warning(path, "import", message);
                self.problems.push(problem.at(import.position));
                continue;
            }
            self.seen.insert(entry.path.clone());
            let parse = |text: &str| parse(&entry.path, text);
            let rule = self.files.rule(&entry, FileRole::Text, self.problems, parse);
            let Some(rule) = rule else { continue };
            self.texts.extend(rule.text.iter().map(|it| RuleText::new(&entry.path, it, via)));
            let via: Vec<String> = via.iter().cloned().chain([entry.path.clone()]).collect();
            self.follow(&entry.path, &rule.targets, &via);
        }
    }

    /// Returns the file of an import. Reports a missing file only if the name looks like a path.
    fn resolve(&mut self, path: &str, import: &LocatedName) -> Option<FileEntry> {
        let target = import.name.as_str();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let joined = match (target.starts_with('/'), folder) {
            (true, _) | (_, "") => target.to_owned(),
            (false, folder) => format!("{folder}/{target}"),
        };
        let result = match target.starts_with('~') {
            true => Err(PathError::OutsideRoot { path: target.into() }),
            false => self.files.root.entry(&joined),
        };
        let error = match result {
            Ok(entry) => return Some(entry),
            Err(error) => error,
        };
        let is_path = FILE_EXTENSIONS.iter().any(|extension| target.ends_with(extension))
            || PATH_PREFIXES.iter().any(|prefix| target.starts_with(prefix));
        if is_path {
            let reason = unreadable(&joined, &error).message;
            let message = format!("`{target}` is not imported: {reason}");
            let problem = match error {
                PathError::NotFound { .. } | PathError::NotAFile { .. } => {
                    RuleProblem::warning(path, "import", message)
                }
                error => RuleProblem::error(path, error.code().as_str(), message),
            };
            self.problems.push(problem.at(import.position));
        }
        None
    }
}

/// Parses a file without front matter: its text and imports.
pub(super) fn parse(path: &str, text: &str) -> ParsedFile {
    let block = TextBlock::trimmed(text, 1);
    let mut rule = Rule::new(Convention::ClaudeMd, path, path, block);
    rule.targets = find_imports(text);
    ParsedFile { rule: Some(Arc::new(rule)), ..ParsedFile::default() }
}

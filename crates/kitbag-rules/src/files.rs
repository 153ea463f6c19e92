//! Reading of rule files through the root, with a cache of parsed files.
//!
//! A parsed file is reused while its path, size and times are unchanged. A file that was read within
//! moments of its last change is not cached, since another change might not alter its times.

use crate::model::{Rule, RuleContext};
use crate::problem::RuleProblem;
use kitbag_config::yaml::LineColumn;
use kitbag_repo::{FileEntry, FileId, PathError, Root, Skipped};
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Maximum size of a rule file.
pub(crate) const MAX_RULE_BYTES: u64 = 1 << 20;
/// Maximum number of files of one convention.
pub(crate) const MAX_RULE_FILES: usize = 2_000;

/// Age from which a file's times identify its content.
const STABLE_AFTER: Duration = Duration::from_secs(2);
/// Number of parsed files at which the cache is cleared.
const MAX_CACHED_FILES: usize = 20_000;

/// The result of parsing a file.
#[derive(Debug, Default)]
pub(crate) struct ParsedFile {
    pub context: Option<Arc<RuleContext>>,
    pub rule: Option<Arc<Rule>>,
    pub problems: Vec<RuleProblem>,
}

/// How a file is parsed. The same file may be a rule and be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FileRole {
    Context,
    Text,
    Claude,
    Copilot,
    Cursor,
    Skill,
}

/// Parsed files of any number of roots.
#[derive(Debug, Default)]
pub(crate) struct ParseCache(Mutex<FxHashMap<(PathBuf, FileRole, String), CachedFile>>);

#[derive(Debug)]
struct CachedFile {
    id: FileId,
    parsed: Arc<ParsedFile>,
}

/// A folder of rule files.
pub(crate) struct RuleFolder {
    pub path: &'static str,
    pub role: FileRole,
    /// Returns the name of a rule from its path in the folder; `None` for other files.
    pub name: fn(&str) -> Option<&str>,
    /// Warning about other Markdown files, and its hint.
    pub ignored: Option<(&'static str, &'static str)>,
}

/// The rule files of a root.
#[derive(Clone, Copy)]
pub(crate) struct RuleFiles<'a> {
    pub root: &'a Root,
    pub cache: &'a ParseCache,
}

impl RuleFiles<'_> {
    /// Parses a file with `parse`, unless the result is cached.
    pub fn parsed(
        &self,
        entry: &FileEntry,
        role: FileRole,
        parse: impl FnOnce(&str) -> ParsedFile,
    ) -> Arc<ParsedFile> {
        let key = (self.root.path().to_owned(), role, entry.path.clone());
        let lock = || self.cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = lock().get(&key)
            && cached.id == entry.id
        {
            return Arc::clone(&cached.parsed);
        }
        let is_stable = is_stable(entry);
        let mut problems = Vec::new();
        let is_yaml = role == FileRole::Context && !entry.path.ends_with(".md");
        let parsed = match self.text(&entry.path, is_yaml, &mut problems) {
            Some(text) => parse(&text),
            None => ParsedFile::default(),
        };
        problems.extend(parsed.problems);
        let parsed = Arc::new(ParsedFile { problems, ..parsed });
        if is_stable {
            let mut cache = lock();
            if cache.len() >= MAX_CACHED_FILES {
                cache.clear();
            }
            cache.insert(key, CachedFile { id: entry.id, parsed: Arc::clone(&parsed) });
        }
        parsed
    }

    /// Parses a rule file of a convention and collects its problems.
    pub fn rule(
        &self,
        entry: &FileEntry,
        role: FileRole,
        problems: &mut Vec<RuleProblem>,
        parse: impl FnOnce(&str) -> ParsedFile,
    ) -> Option<Arc<Rule>> {
        let parsed = self.parsed(entry, role, parse);
        problems.extend(parsed.problems.iter().cloned());
        parsed.rule.clone()
    }

    /// Parses the rule files below a folder. `parse` gets the path, the name and the text of each.
    pub fn rules(
        &self,
        folder: &RuleFolder,
        problems: &mut Vec<RuleProblem>,
        parse: impl Fn(&str, &str, &str) -> ParsedFile,
    ) -> Vec<Arc<Rule>> {
        let mut rules = Vec::new();
        for entry in &self.list(folder.path, |_| true, problems) {
            let inner = entry.path.strip_prefix(folder.path).and_then(|it| it.strip_prefix('/'));
            if let Some(name) = inner.and_then(folder.name) {
                let parse = |text: &str| parse(&entry.path, name, text);
                rules.extend(self.rule(entry, folder.role, problems, parse));
            } else if let Some((message, hint)) =
                folder.ignored.filter(|_| entry.path.ends_with(".md"))
            {
                let problem = RuleProblem::warning(&entry.path, "ignored_file", message);
                problems.push(problem.hint(hint));
            }
        }
        rules
    }

    /// Lists the files below a folder, reporting the relevant ones that cannot be read.
    pub fn list(
        &self,
        folder: &str,
        is_relevant: impl Fn(&str) -> bool,
        problems: &mut Vec<RuleProblem>,
    ) -> Vec<FileEntry> {
        let listing = self.root.list(folder, MAX_RULE_FILES);
        for Skipped { path, code, detail } in listing.skipped {
            if is_relevant(&path) {
                problems.push(RuleProblem::error(&path, code.as_str(), detail));
            }
        }
        listing.files
    }

    /// Reads the text of a file. Invalid UTF-8 is an error if `is_strict`, else replaced.
    pub fn text(
        &self,
        path: &str,
        is_strict: bool,
        problems: &mut Vec<RuleProblem>,
    ) -> Option<String> {
        let bytes = self.root.read(path, MAX_RULE_BYTES);
        let bytes = bytes.map_err(|error| problems.push(unreadable(path, &error))).ok()?;
        let text = String::from_utf8(bytes).or_else(|error| {
            let position = LineColumn::of_byte(error.as_bytes(), error.utf8_error().valid_up_to());
            let problem = match is_strict {
                true => RuleProblem::error(path, "encoding", "not UTF-8"),
                false => {
                    let message = "not UTF-8; invalid bytes are replaced";
                    RuleProblem::warning(path, "encoding", message)
                }
            };
            problems.push(problem.at(position).hint("save the file as UTF-8"));
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            if is_strict { Err(error) } else { Ok(text) }
        });
        let text = text.ok()?;
        Some(text.trim_start_matches('\u{feff}').to_owned())
    }
}

/// Whether the times of a file distinguish its content from any later one.
fn is_stable(entry: &FileEntry) -> bool {
    let FileId::Stat { modified, changed, .. } = entry.id else { return true };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i128::from(modified.max(changed)) + STABLE_AFTER.as_nanos() as i128 <= now.as_nanos() as i128
}

/// Describes a file that cannot be read.
pub(crate) fn unreadable(path: &str, error: &PathError) -> RuleProblem {
    let message = match error {
        PathError::TooLarge { size, limit, .. } => {
            format!("{size} bytes are too large for a rule file; the maximum is {limit}")
        }
        PathError::OutsideRoot { .. } => "outside the repository".to_owned(),
        error => error.reason(),
    };
    RuleProblem::error(path, error.code().as_str(), message)
}

//! Reading rule files through the root, and remembering what they were parsed to.
//!
//! A parsed file is used again while its path, size and time stay the same. A file that was read
//! within moments of its last change is read again, since a second change might not show in those.

use super::context::Context;
use super::conventions::Rule;
use super::problem::RuleProblem;
use kitbag_repo::{FileEntry, FileId, PathError, Root};
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most bytes of a rule file. Nobody writes as much, and no model would read it.
pub const MOST_RULE_BYTES: u64 = 1 << 20;
/// The most files of one convention.
pub const MOST_RULE_FILES: usize = 2_000;

/// How long after its change a file's time tells one content from another.
const SETTLED: Duration = Duration::from_secs(2);
/// So many parsed files are remembered.
const MOST_KEPT: usize = 20_000;

/// What a file was parsed to.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub context: Option<Arc<Context>>,
    pub rule: Option<Arc<Rule>>,
    pub problems: Vec<RuleProblem>,
}

/// As what a file is read: one may be a rule, and be imported as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum As {
    Context,
    Text,
    Claude,
    Copilot,
    Cursor,
    Skill,
}

/// The parsed files of any number of roots.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<FxHashMap<(PathBuf, As, String), Remembered>>);

/// What a file was parsed to, and what told that content from others.
type Remembered = (FileId, Arc<Parsed>);

/// The rule files of a root.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    pub root: &'a Root,
    pub kept: &'a Kept,
}

impl Files<'_> {
    /// What a file is parsed to, by `parse` if that is not known. What cannot be read is a problem.
    pub fn parsed(
        &self,
        entry: &FileEntry,
        read_as: As,
        parse: impl FnOnce(&str) -> Parsed,
    ) -> Arc<Parsed> {
        let key = (self.root.path().to_owned(), read_as, entry.path.clone());
        let lock = || self.kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((id, parsed)) = lock().get(&key)
            && *id == entry.id
        {
            return Arc::clone(parsed);
        }
        let settled = is_settled(entry);
        let mut problems = Vec::new();
        // A context that is YAML has no place for what is not text.
        let strict = read_as == As::Context && !entry.path.ends_with(".md");
        let parsed = match self.text(&entry.path, strict, &mut problems) {
            Some(text) => parse(&text),
            None => Parsed::default(),
        };
        problems.extend(parsed.problems);
        let parsed = Arc::new(Parsed { problems, ..parsed });
        if settled {
            let mut kept = lock();
            if kept.len() >= MOST_KEPT {
                kept.clear();
            }
            kept.insert(key, (entry.id, Arc::clone(&parsed)));
        }
        parsed
    }

    /// The text of a file. What is not UTF-8 in it is an error where `strict`, and replaced else.
    pub fn text(
        &self,
        path: &str,
        strict: bool,
        problems: &mut Vec<RuleProblem>,
    ) -> Option<String> {
        let bytes = match self.root.read(path, MOST_RULE_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                problems.push(unreadable(path, &error));
                return None;
            }
        };
        let (text, wrong) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let place = place_of(error.as_bytes(), error.utf8_error().valid_up_to());
                (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(place))
            }
        };
        if let Some(place) = wrong {
            let hint = "save the file as UTF-8";
            if strict {
                let problem = RuleProblem::error(path, "encoding", "not UTF-8");
                problems.push(problem.at(place).hint(hint));
                return None;
            }
            let problem = RuleProblem::warning(path, "encoding", "not UTF-8; it was replaced");
            problems.push(problem.at(place).hint(hint));
        }
        match text.strip_prefix('\u{feff}') {
            Some(rest) => Some(rest.to_owned()),
            None => Some(text),
        }
    }
}

/// Whether the times of a file tell its content from any later one.
fn is_settled(entry: &FileEntry) -> bool {
    let FileId::Stat { modified, changed, .. } = entry.id else { return true };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i128::from(modified.max(changed)) + SETTLED.as_nanos() as i128 <= now.as_nanos() as i128
}

/// A file that cannot be read, in words.
pub(super) fn unreadable(path: &str, error: &PathError) -> RuleProblem {
    let message = match error {
        PathError::TooLarge { size, limit, .. } => {
            format!("{size} bytes are too many for a rule file; the most is {limit}")
        }
        PathError::OutsideRoot { .. } => "it leads outside the repository".to_owned(),
        PathError::Denied { pattern, .. } => format!("denied by the pattern `{pattern}`"),
        PathError::NotFound { .. } => "there is no such file".to_owned(),
        error => error.to_string(),
    };
    RuleProblem::error(path, error.code(), message)
}

/// The line and column of a byte, both from 1.
fn place_of(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = String::from_utf8_lossy(&bytes[..at]);
    let line = before.matches('\n').count() + 1;
    (line, before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1)
}

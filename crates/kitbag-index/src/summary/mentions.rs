//! The repositories that a task names.

use crate::common_words::{RARE_SHARE, common_share};
use crate::task::ParsedTask;
use crate::terms::word_id;
use rustc_hash::FxHashSet;

/// Minimum length of a repository's name that counts as named without its owner.
const MIN_NAME_BYTES: usize = 3;

/// The names in a task that a repository may have.
pub(super) struct MentionedNames {
    /// Words with dots, hyphens and underscores, in lower case.
    words: FxHashSet<String>,
    /// Pairs of such words with a slash between them.
    pairs: FxHashSet<String>,
}

impl MentionedNames {
    pub fn of(task: &ParsedTask) -> Self {
        let mut names = Self { words: FxHashSet::default(), pairs: FxHashSet::default() };
        for line in task.lines.iter().chain(&task.urls) {
            let line = line.to_lowercase();
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
            for run in line.split(|c: char| !is_part(c)) {
                names.add(run);
            }
        }
        names
    }

    fn add(&mut self, run: &str) {
        let parts: Vec<&str> = run.split('/').map(clean).collect();
        for pair in parts.windows(2).filter(|pair| pair.iter().all(|part| !part.is_empty())) {
            self.pairs.insert(format!("{}/{}", pair[0], pair[1]));
        }
        self.words.extend(parts.into_iter().filter(|it| !it.is_empty()).map(str::to_owned));
    }

    /// Whether the task names a repository: with its owner, or by a name that is no common word.
    pub fn contain(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        if lower.contains('/') && self.pairs.contains(&lower) {
            return true;
        }
        let last = lower.rsplit('/').next().unwrap_or(&lower);
        let is_telling = last.len() >= MIN_NAME_BYTES && common_share(word_id(last)) <= RARE_SHARE;
        is_telling && self.words.contains(last)
    }
}

/// Removes punctuation at the ends, and the suffix of a clone's address.
fn clean(part: &str) -> &str {
    let part = part.trim_matches(['.', '-']);
    part.strip_suffix(".git").unwrap_or(part)
}

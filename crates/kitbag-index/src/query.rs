//! What a task asks for.

use crate::analysis::word_id;
use kitbag_text::{for_each_word, is_common};
use rustc_hash::FxHashMap;

/// Only so much of a task is read; the rest is said to be unread.
const MOST_BYTES: usize = 100_000;

/// A task, understood as words.
#[derive(Debug, Clone)]
pub struct Query {
    /// The words that it asks for, each once, in the order of their first occurrence.
    pub terms: Vec<Term>,
    /// How many bytes of the task were not read.
    pub unread: usize,
    title: String,
    mentions: Vec<String>,
}

/// A word that a task asks for.
#[derive(Debug, Clone)]
pub struct Term {
    /// The word, in lower case.
    pub word: String,
    /// Its id in analyses.
    pub id: u32,
    /// How much the task insists on it.
    pub weight: f64,
}

impl Query {
    /// Reads a task. Its first line counts more than the rest, and a word that comes again counts
    /// a little more each time.
    pub fn new(task: &str) -> Self {
        let task = task.trim();
        let mut end = task.len().min(MOST_BYTES);
        while !task.is_char_boundary(end) {
            end -= 1;
        }
        let read = &task[..end];
        let title = read.lines().next().unwrap_or_default();
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let mut counts: Vec<(String, f64)> = Vec::new();
        let mut count = |text: &str, worth: f64| {
            for_each_word(text, |word| {
                if is_common(word) {
                    return;
                }
                let place = *places.entry(word.to_owned()).or_insert_with(|| {
                    counts.push((word.to_owned(), 0.0));
                    counts.len() - 1
                });
                counts[place].1 += worth;
            });
        };
        count(title, TITLE_WORTH);
        count(&read[title.len()..], 1.0);
        let term = |(word, count): (String, f64)| Term {
            id: word_id(&word),
            weight: 1.0 + AGAIN_WORTH * count.ln(),
            word,
        };
        Self {
            terms: counts.into_iter().map(term).collect(),
            unread: task.len() - end,
            title: title.to_lowercase(),
            mentions: mentions(read),
        }
    }

    /// Whether the task names the file at `path`: by its name with the ending, or by its last folder
    /// and its name, as in `auth/login.rs`, `login.rs` or `auth.login`.
    pub fn names(&self, path: &str) -> bool {
        if self.mentions.is_empty() {
            return false;
        }
        let lower = path.to_lowercase();
        let (stem, ending) = lower.rsplit_once('.').unwrap_or((&lower, ""));
        let mut components = stem.rsplit('/');
        let name = components.next().unwrap_or_default();
        let mut forms = vec![format!("/{name}/{ending}/")];
        forms.extend(components.next().map(|folder| format!("/{folder}/{name}/")));
        self.mentions.iter().any(|mention| forms.iter().any(|form| mention.contains(form)))
    }

    /// Whether the task's first line speaks of one of `subjects`.
    pub fn speaks_of(&self, subjects: &[&str]) -> bool {
        let mut words = self.title.split(|c: char| !c.is_alphanumeric());
        words.any(|word| subjects.contains(&word))
    }
}

/// The paths and dotted names in a text, lower case, with `/` between their components and one at
/// each end.
fn mentions(text: &str) -> Vec<String> {
    let mut all: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-')))
        .map(|run| run.trim_matches(['.', '/', '-']))
        .filter(|run| run.contains(['.', '/']))
        .map(|run| format!("/{}/", run.to_lowercase().replace('.', "/")))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// How often a word of the first line counts.
const TITLE_WORTH: f64 = 5.0;

/// How much a word gains by coming again.
const AGAIN_WORTH: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_counts_more() {
        let query = Query::new("login fails\n\nthe session expires, the session is lost");
        let weight =
            |word: &str| query.terms.iter().find(|t| t.word == word).map_or(0.0, |t| t.weight);
        assert!(weight("login") > weight("session"));
        assert!(weight("session") > weight("lost"));
        assert_eq!(weight("the"), 0.0);
    }

    #[test]
    fn files_are_named_by_path_or_by_dotted_name() {
        let query =
            Query::new("see https://host/o/n/blob/main/src/Auth/login.py#L4 and app.models");
        assert!(query.names("src/auth/login.py"));
        assert!(query.names("other/login.py"));
        assert!(query.names("app/models.py"));
        assert!(!query.names("src/auth/login.rs.txt"));
        assert!(!query.names("models.py"));
        assert!(!Query::new("login").names("login.py"));
    }

    #[test]
    fn a_huge_task_is_read_in_part_and_says_so() {
        let query = Query::new(&"größe ".repeat(40_000));
        assert_eq!(query.terms.len(), 1);
        assert!(query.unread > 0);
    }
}

//! What a task asks for.
//!
//! A task is a question, a bug report, a log or a commit message. Its lines are told apart (title,
//! prose, code, frames of a stack trace, noise) and each gives what it has: words, weighed by where
//! they stand; names of identifiers; paths with and without lines.

mod address;
mod joined;
mod lines;
mod mentions;
mod title;

pub use address::{file_of_address, for_each_address};
pub use mentions::Mention;

use crate::terms::{for_each_id, word_id};
use joined::joined;
use kitbag_text::{for_each_word, identifiers, is_common};
use lines::{Line, Part, read_lines};
use mentions::mentions;
use rustc_hash::{FxHashMap, FxHashSet};
use title::Title;

/// Only so much of a task is read; the rest is said to be unread.
const MOST_BYTES: usize = 100_000;

/// Only so many different words are asked for: the weightiest.
const MOST_TERMS: usize = 400;

/// However often a program prints a word, it counts for the whole task as if a person had written it
/// so often: a log must not drown what is said about it.
const MOST_PRINTED: f32 = 2.0;

/// A task, understood.
#[derive(Debug, Clone)]
pub struct Task {
    /// The words that it asks for, each once, in the order of their first occurrence.
    pub terms: Vec<Term>,
    /// Names that its words would make if they were written as one, in the order of the text.
    pub joined: Vec<Term>,
    /// The words of the part of the project that its title begins with, as in `parser: ...`.
    pub scope: Vec<u32>,
    /// The files that it speaks of.
    pub mentions: Vec<Mention>,
    /// The kinds of files that it is about, besides code.
    pub about: About,
    /// How many bytes of the task were not read.
    pub unread: usize,
    /// The lines that say something.
    pub(crate) lines: Vec<String>,
}

/// A word that a task asks for, and how much its parts insist on it.
#[derive(Debug, Clone)]
pub struct Term {
    /// The word, in lower case.
    pub word: String,
    /// Its id in records.
    pub id: u32,
    /// How much the whole task insists on it.
    pub all: f32,
    /// The first line.
    pub title: f32,
    /// The prose, the first line left out.
    pub prose: f32,
    /// Code and frames.
    pub code: f32,
    /// Whether it is the whole name of something, and no plain word.
    pub is_name: bool,
}

/// The kinds of files that a task is about, besides code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct About {
    /// Tests.
    pub tests: bool,
    /// Documentation.
    pub documentation: bool,
    /// Configuration and data.
    pub data: bool,
}

impl Task {
    /// Reads a task.
    pub fn new(task: &str) -> Self {
        let task = task.trim();
        let mut end = task.len().min(MOST_BYTES);
        while !task.is_char_boundary(end) {
            end -= 1;
        }
        let mut lines = read_lines(&task[..end]);
        let mut scope = Vec::new();
        let mut about = About::default();
        if let Some(line) = lines.iter_mut().find(|line| line.part == Part::Title) {
            about = about_title(&line.text);
            let title = Title::of(&line.text);
            for_each_id(title.scope, |id| scope.push(id));
            line.text = title.text.to_owned();
        }
        Self {
            terms: terms(&lines),
            joined: joined(&lines),
            scope,
            mentions: mentions(&lines),
            about,
            unread: task.len() - end,
            lines: lines
                .into_iter()
                .filter(|line| matches!(line.part, Part::Title | Part::Prose | Part::Code))
                .map(|line| line.text)
                .collect(),
        }
    }
}

/// The counts of a word so far.
#[derive(Default)]
struct Tallied {
    /// What a person insists on, and what a program does.
    written: f32,
    printed: f32,
    title: f32,
    prose: f32,
    code: f32,
    is_name: bool,
}

fn terms(lines: &[Line]) -> Vec<Term> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut counts: Vec<(String, Tallied)> = Vec::new();
    for line in lines {
        let names = names(line);
        for_each_word(&line.text, |word| {
            if is_common(word) || word.bytes().all(|byte| byte.is_ascii_digit()) {
                return;
            }
            let place = *places.entry(word.to_owned()).or_insert_with(|| {
                counts.push((word.to_owned(), Tallied::default()));
                counts.len() - 1
            });
            let count = &mut counts[place].1;
            count.is_name |= names.contains(word);
            let worth = worth(line.part);
            match line.part {
                Part::Title => count.title += 1.0,
                Part::Prose => count.prose += 1.0,
                Part::Code | Part::Frame => count.code += 1.0,
                Part::Noise => {}
            }
            match line.part {
                Part::Title | Part::Prose => count.written += worth,
                Part::Code | Part::Frame | Part::Noise => count.printed += worth,
            }
        });
    }
    let mut terms: Vec<Term> = counts.into_iter().filter_map(term).collect();
    keep_weightiest(&mut terms);
    terms
}

/// How often a word counts for the whole task.
fn worth(part: Part) -> f32 {
    match part {
        Part::Title => 5.0,
        Part::Prose => 1.0,
        Part::Code | Part::Frame => 0.5,
        Part::Noise => 0.1,
    }
}

fn term((word, count): (String, Tallied)) -> Option<Term> {
    // A word that comes again counts a little more each time.
    let weight = |count: f32, again: f32| {
        if count >= 1.0 { 1.0 + again * count.ln() } else { count }
    };
    Some(Term {
        id: word_id(&word),
        all: weight(count.written + count.printed.min(MOST_PRINTED), 2.0),
        title: weight(count.title, 0.5),
        prose: weight(count.prose, 1.0),
        code: weight(count.code, 0.5),
        is_name: count.is_name,
        word,
    })
}

fn keep_weightiest(terms: &mut Vec<Term>) {
    if terms.len() > MOST_TERMS {
        let mut weights: Vec<f32> = terms.iter().map(|term| term.all).collect();
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        let least = weights[MOST_TERMS - 1];
        terms.retain(|term| term.all >= least);
        terms.truncate(MOST_TERMS);
    }
    // Forms of one word are one word to the index.
    let mut seen: FxHashMap<u32, usize> = FxHashMap::default();
    let mut kept: Vec<Term> = Vec::with_capacity(terms.len());
    for term in terms.drain(..) {
        let place = *seen.entry(term.id).or_insert(kept.len());
        match kept.get_mut(place) {
            None => kept.push(term),
            Some(first) => {
                first.all = first.all.max(term.all);
                first.title = first.title.max(term.title);
                first.prose = first.prose.max(term.prose);
                first.code = first.code.max(term.code);
                first.is_name |= term.is_name;
            }
        }
    }
    *terms = kept;
}

/// The names in a line: identifiers made of several words, what stands between backticks, and in
/// code every identifier.
fn names(line: &Line) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    let in_code = matches!(line.part, Part::Code | Part::Frame);
    for (at, run) in line.text.split('`').enumerate() {
        let quoted = at % 2 == 1;
        for identifier in identifiers(run) {
            if in_code || quoted || is_compound(identifier) {
                names.insert(identifier.trim_matches('_').to_lowercase());
            }
        }
    }
    names
}

/// Whether an identifier is made of several words, as only names are.
fn is_compound(identifier: &str) -> bool {
    let inner = identifier.trim_matches('_');
    let mut last_lower = false;
    for c in inner.chars() {
        if c == '_' || (last_lower && c.is_uppercase()) {
            return true;
        }
        last_lower = c.is_lowercase();
    }
    inner.len() < identifier.len() && inner.len() > 2
}

fn about_title(title: &str) -> About {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let speaks = |subjects: &[&str]| words.iter().any(|word| subjects.contains(word));
    About {
        tests: speaks(&["test", "tests", "testing", "spec", "specs", "fixture", "fixtures"]),
        documentation: speaks(&[
            "doc",
            "docs",
            "documentation",
            "readme",
            "changelog",
            "example",
            "examples",
            "typo",
        ]),
        data: speaks(&[
            "config",
            "configuration",
            "ci",
            "workflow",
            "build",
            "makefile",
            "dockerfile",
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'a>(task: &'a Task, word: &str) -> &'a Term {
        task.terms.iter().find(|term| term.word == word).unwrap_or_else(|| panic!("no `{word}`"))
    }

    #[test]
    fn parts_of_a_task_are_weighed_apart() {
        let task = Task::new(
            "login fails\n\nThe session expires, the `session_store` is lost\n\n```\nx = refresh()\n```\n",
        );
        assert!(find(&task, "login").all > find(&task, "session").all);
        assert!(find(&task, "session").all > find(&task, "lost").all);
        assert!(find(&task, "refresh").code > 0.0 && find(&task, "refresh").prose == 0.0);
        assert!(find(&task, "session_store").is_name && !find(&task, "lost").is_name);
        assert!(task.terms.iter().all(|term| term.word != "the"));
    }

    #[test]
    fn a_log_does_not_drown_what_is_said_about_it() {
        let log = "2026-11-16 08:12:01 DEBUG pool: connection reset\n".repeat(180);
        let task = Task::new(&format!("Header is lost\n\nThe redirect strips it.\n\n{log}"));
        assert!(find(&task, "header").all > find(&task, "connection").all);
        let fenced = Task::new(&format!("Header is lost\n\n```\n{log}```\n"));
        assert!(find(&fenced, "header").all > find(&fenced, "connection").all);
    }

    #[test]
    fn a_task_says_what_it_is_about() {
        assert!(Task::new("flaky test in login").about.tests);
        assert!(Task::new("fix a typo in the README").about.documentation);
        assert_eq!(Task::new("login fails\n\nsee the docs").about, About::default());
    }

    #[test]
    fn a_huge_task_is_read_in_part_and_says_so() {
        let task = Task::new(&"größe ".repeat(40_000));
        assert_eq!(task.terms.len(), 1);
        assert!(task.unread > 0);
        let many: String = (0..5_000).map(|n| format!("word{n}x ")).collect();
        assert!(Task::new(&many).terms.len() <= MOST_TERMS);
    }
}

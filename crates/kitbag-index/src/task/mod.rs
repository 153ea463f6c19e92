//! Parses tasks.
//!
//! A task is a question, a bug report, a log or a commit message. Its lines are classified (title,
//! prose, code, stack frames, noise), and yield words weighted by the kind of their line, names of
//! identifiers, and mentioned files.

mod compounds;
mod kind;
mod lines;
mod mentions;
mod name;
mod named;
mod terms;
mod title;
mod translate;

pub use kind::KIND_FEATURES;
pub use mentions::Mention;
pub use name::TaskName;
pub use terms::TaskTerm;

use crate::terms::for_each_id;
use compounds::compound_names;
use kind::kind_features;
use kitbag_text::for_each_url;
use lines::{LineKind, TaskLine, classify_lines};
use mentions::mentions;
use named::named;
use title::ParsedTitle;
use translate::{language_of, to_english};

/// Maximum number of bytes of a task that are read.
const MAX_TASK_BYTES: usize = 100_000;

/// Maximum number of URLs of a task that are kept.
const MAX_URLS: usize = 100;

/// What a task says: its words, the names they may form, and the files that it mentions.
#[derive(Debug, Clone)]
pub struct ParsedTask {
    /// Distinct words in the order of their first occurrence.
    pub terms: Vec<TaskTerm>,
    /// Compound names that consecutive words or other spellings imply, in the order of the text.
    pub compound_names: Vec<TaskTerm>,
    /// Word ids of the part of the project that the title begins with, as in `parser: ...`.
    pub scope: Vec<u32>,
    /// Mentioned files.
    pub mentions: Vec<Mention>,
    /// Kinds of files that the task is about, besides code.
    pub topics: TaskTopics,
    /// Identifiers and files that the title names, as written.
    pub named: Vec<String>,
    /// The name that the whole task consists of, if it is nothing else.
    pub name: Option<TaskName>,
    /// Whether it was translated to English, as far as the table of words goes.
    pub is_translated: bool,
    /// Features of its wording, in the order of [`KIND_FEATURES`].
    pub kind_features: Vec<f32>,
    /// Number of bytes at the end of the task that were not read.
    pub unread_bytes: usize,
    /// Lines of the title, prose and code.
    pub(crate) lines: Vec<String>,
    /// The first URLs, which the lines no longer have.
    pub(crate) urls: Vec<String>,
}

/// Kinds of files that a task is about, besides code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskTopics {
    /// Tests.
    pub tests: bool,
    /// Documentation.
    pub documentation: bool,
    /// Lists of changes by release.
    pub changelog: bool,
    /// Configuration and data.
    pub data: bool,
}

impl ParsedTask {
    /// Parses a task.
    pub fn new(task: &str) -> Self {
        let task = task.trim();
        let end = task.floor_char_boundary(MAX_TASK_BYTES);
        let mut lines = classify_lines(&task[..end]);
        let mut urls = Vec::new();
        for_each_url(&task[..end], |_, url| {
            urls.extend(url.filter(|_| urls.len() < MAX_URLS).map(str::to_owned));
        });
        let is_translated = translate(&mut lines);
        let mut scope = Vec::new();
        let mut topics = TaskTopics::default();
        let name = TaskName::of_task(task);
        let title = lines.iter().find(|line| line.kind == LineKind::Title);
        let title = title.map_or_else(String::new, |line| line.text.clone());
        let kind_features = kind_features(&title, &lines, name.is_some());
        if let Some(line) = lines.iter_mut().find(|line| line.kind == LineKind::Title) {
            topics = TaskTopics::of_title(&line.text);
            let title = ParsedTitle::parse(&line.text);
            for_each_id(title.scope, |id| scope.push(id));
            line.text = title.text.to_owned();
        }
        Self {
            terms: terms::terms(&lines),
            compound_names: compound_names(&lines),
            scope,
            mentions: mentions(&lines),
            topics,
            named: lines.iter().find(|it| it.kind == LineKind::Title).map_or_else(Vec::new, named),
            name,
            is_translated,
            kind_features,
            unread_bytes: task.len() - end,
            urls,
            lines: lines
                .into_iter()
                .filter(|line| !matches!(line.kind, LineKind::Frame | LineKind::Noise))
                .map(|line| line.text)
                .collect(),
        }
    }
}

/// Translates the text that people wrote, and returns whether it is in another language.
fn translate(lines: &mut [TaskLine]) -> bool {
    let is_written = |line: &TaskLine| matches!(line.kind, LineKind::Title | LineKind::Prose);
    let written: Vec<&str> =
        lines.iter().filter(|line| is_written(line)).map(|line| line.text.as_str()).collect();
    let Some(language) = language_of(&written.join("\n")) else { return false };
    for line in lines.iter_mut().filter(|line| is_written(line)) {
        line.text = to_english(&line.text, language);
    }
    true
}

/// Number of words after which the brevity of a task has fallen to 1/e: questions have four to eight
/// words, issues a hundred.
const BREVITY_WORDS: f32 = 12.0;

impl ParsedTask {
    /// Returns how brief the task is: 1 for no words, near 0 for a long report. A task with code or a
    /// stack trace is a report, however short.
    pub(crate) fn brevity(&self) -> f32 {
        if self.terms.iter().any(|term| term.code > 0.0) {
            return 0.0;
        }
        (-(self.terms.len() as f32) / BREVITY_WORDS).exp()
    }

    /// Returns the mentions of a file with their specificity, which is at least 1.
    pub(crate) fn mentions_of(&self, path: &str) -> Vec<(&Mention, u32)> {
        if self.mentions.is_empty() {
            return Vec::new();
        }
        let lower = path.to_lowercase();
        let components: Vec<&str> = lower.split(['/', '.']).collect();
        let mentions = self.mentions.iter();
        let all = mentions.map(|mention| (mention, mention.specificity(&components)));
        all.filter(|it| it.1 > 0).collect()
    }
}

impl TaskTopics {
    fn of_title(title: &str) -> Self {
        let lower = title.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        let has_any = |topic: &str| topic.split(' ').any(|word| words.contains(&word));
        Self {
            tests: has_any(
                "test tests testing spec specs fixture fixtures benchmark benchmarks bench benches \
                 fuzz fuzzing",
            ),
            documentation: has_any("doc docs documentation readme changelog example examples typo"),
            changelog: has_any("changelog changelogs news")
                || lower.contains("release notes")
                || lower.contains("what changed"),
            data: has_any("config configuration ci workflow build makefile dockerfile"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'a>(task: &'a ParsedTask, word: &str) -> &'a TaskTerm {
        task.terms.iter().find(|term| term.word == word).unwrap_or_else(|| panic!("no `{word}`"))
    }

    #[test]
    fn words_are_weighted_by_the_kind_of_line() {
        let task = ParsedTask::new(
            "login fails\n\nThe session expires, the `session_store` is lost\n\n```\nx = refresh()\n```\n",
        );
        assert!(find(&task, "login").weight > find(&task, "session").weight);
        assert!(find(&task, "session").weight > find(&task, "lost").weight);
        assert!(find(&task, "refresh").code > 0.0 && find(&task, "refresh").prose == 0.0);
        assert!(find(&task, "session_store").is_name && !find(&task, "lost").is_name);
        assert!(task.terms.iter().all(|term| term.word != "the"));
    }

    #[test]
    fn a_log_does_not_outweigh_the_text_around_it() {
        let log = "2026-11-16 08:12:01 DEBUG pool: connection reset\n".repeat(180);
        let task = ParsedTask::new(&format!("Header is lost\n\nThe redirect strips it.\n\n{log}"));
        assert!(find(&task, "header").weight > find(&task, "connection").weight);
        let fenced = ParsedTask::new(&format!("Header is lost\n\n```\n{log}```\n"));
        assert!(find(&fenced, "header").weight > find(&fenced, "connection").weight);
    }

    #[test]
    fn topics_are_derived_from_the_title() {
        assert!(ParsedTask::new("flaky test in login").topics.tests);
        assert!(ParsedTask::new("fix a typo in the README").topics.documentation);
        assert_eq!(ParsedTask::new("login fails\n\nsee the docs").topics, TaskTopics::default());
    }

    #[test]
    fn a_huge_task_is_read_in_part() {
        let task = ParsedTask::new(&"größe ".repeat(40_000));
        assert_eq!(task.terms.len(), 1);
        assert!(task.unread_bytes > 0);
        let many: String = (0..5_000).map(|n| format!("word{n}x ")).collect();
        assert!(ParsedTask::new(&many).terms.len() <= terms::MAX_TERMS);
    }
}

//! Features that tell whether a task describes a change, as issues and commit messages do, or asks where
//! something is. Other files answer a question than a change touches, so each has its own models.

use super::lines::{LineKind, TaskLine};
use super::title::ParsedTitle;
use crate::terms::stem;

/// Names of the features of a task's wording; docs/factors.md describes them.
pub const KIND_FEATURES: &[&str] = &[
    "length",
    "several_lines",
    "has_code",
    "question_word",
    "question_mark",
    "change_verb",
    "has_scope",
    "has_number",
    "problem_word",
    "quotes",
    "is_name",
];

/// Words that a question begins with.
const QUESTION_WORDS: &str =
    "how what where which why when who does do is are can explain show find list";

/// Verbs that titles of changes begin with, in any form.
const CHANGE_VERBS: &str = "accept add adjust allow apply avoid bring bump cache catch change check \
    clean cleanup consider convert correct create delete deprecate disable document don't drop enable \
    enforce ensure exclude expose extend extract fix force generate handle hide ignore implement \
    improve include inline introduce keep limit log make mark merge move optimize pass prevent print \
    provide raise reduce refactor remove rename replace report require restore return reuse revert \
    rewrite rework set simplify skip split start stop store support switch throw tidy treat tweak \
    unify update upgrade use validate";

/// Words for what is wrong or missing.
const PROBLEM_WORDS: &str = "bug broken can't cannot crash deprecated doesn't don't error fail failure \
    incorrect incorrectly instead isn't leak missing not regression should unable unexpected \
    unnecessary won't wrong";

/// Returns the features in the order of [`KIND_FEATURES`]. `title` is the first line of the task as
/// written.
pub(super) fn kind_features(title: &str, lines: &[TaskLine], is_name: bool) -> Vec<f32> {
    let words = |text: &str| -> Vec<String> {
        let runs = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
        runs.filter(|run| !run.is_empty()).map(str::to_lowercase).collect()
    };
    let parsed = ParsedTitle::parse(title);
    let in_title = words(parsed.without_scope);
    let first = in_title.first().map_or("", String::as_str);
    let count: usize = lines.iter().map(|line| words(&line.text).len()).sum();
    let has = |holds: bool| f32::from(u8::from(holds));
    let is_code = |line: &TaskLine| matches!(line.kind, LineKind::Code | LineKind::Frame);
    vec![
        (count as f32).ln_1p() / 3.0,
        has(lines.len() > 1),
        has(lines.iter().any(is_code)),
        has(QUESTION_WORDS.split(' ').any(|word| word == first)),
        has(title.ends_with('?')),
        has(is_form_of(first, CHANGE_VERBS)),
        has(parsed.has_prefix),
        has(has_number(title)),
        has(in_title.iter().any(|word| is_form_of(word, PROBLEM_WORDS))),
        has(title.contains('`')),
        has(is_name),
    ]
}

/// Whether a word is a form of one of several words, such as `fixes` of `fix`.
fn is_form_of(word: &str, words: &str) -> bool {
    let is_form = |it: &str| {
        it == word
            || stem(it) == stem(word)
            || ["s", "es", "ed", "ing"].iter().any(|end| word.strip_suffix(end) == Some(it))
    };
    !word.is_empty() && words.split_whitespace().any(is_form)
}

/// Whether a title refers to an issue by number, as in `(#123)`.
fn has_number(title: &str) -> bool {
    title.split('#').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::ParsedTask;

    fn feature(task: &str, name: &str) -> f32 {
        let at = KIND_FEATURES.iter().position(|it| *it == name).expect("a known name");
        ParsedTask::new(task).kind_features[at]
    }

    #[test]
    fn wording_is_recognized() {
        for (task, name) in [
            ("How are tokens refreshed?", "question_word"),
            ("How are tokens refreshed?", "question_mark"),
            ("Fixed a crash", "change_verb"),
            ("parser: handling of empty lists", "change_verb"),
            ("parser: handling of empty lists", "has_scope"),
            ("Fix(parser): a crash", "has_scope"),
            ("Keep lookups tight (#17983)", "has_number"),
            ("login fails", "problem_word"),
            ("the `login` page", "quotes"),
            ("login\n\nis slow", "several_lines"),
            ("login\n```\nx = 1\n```", "has_code"),
            ("ClientSession", "is_name"),
        ] {
            assert_eq!(feature(task, name), 1.0, "{name} of {task}");
            assert_eq!(feature("connection pooling and retries", name), 0.0, "{name}");
        }
    }
}

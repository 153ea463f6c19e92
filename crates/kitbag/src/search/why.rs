//! Short explanations of why the search selected a chunk. They are created only for chunks in the
//! pack, from the data that the search had about the task and the files.
//!
//! A phrase quotes words of the task and names of symbols, and no other content of a file.

use crate::report::IncludedItem;
use kitbag_index::{FileSignals, ParsedTask, TaskTerm, for_each_id, word_id};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of phrases per chunk.
const MAX_PHRASES: usize = 4;
/// Maximum number of the task's words in one phrase.
const MAX_WORDS: usize = 3;

/// Length in characters above which words are not quoted.
const MAX_WORD_CHARS: usize = 40;

/// Data of a search from which its explanations are made.
pub(crate) struct Reasons {
    pub task: ParsedTask,
    /// Rarity of each term of the task.
    pub rarity: Vec<f32>,
    /// Signals for the returned files other than the words they contain.
    pub files: FxHashMap<String, FileSignals>,
}

/// Sets the explanations of the included chunks that the search found.
pub(crate) fn explain(included: &mut [IncludedItem], reasons: &Reasons) {
    let found = included.iter_mut().filter(|item| item.provider.as_deref() == Some("search"));
    for item in found {
        item.why = reasons.of(&ExplainedLines {
            path: &item.path,
            symbol: item.symbol.as_deref(),
            lines: (item.start_line, item.end_line),
            text: &item.text,
        });
    }
}

/// Lines that a search has found.
pub(crate) struct ExplainedLines<'a> {
    pub path: &'a str,
    pub symbol: Option<&'a str>,
    /// First and last line.
    pub lines: (u32, u32),
    pub text: &'a str,
}

impl Reasons {
    /// Returns phrases on why the search found these lines, the strongest first.
    pub fn of(&self, item: &ExplainedLines<'_>) -> Vec<String> {
        let terms = self.task.terms.iter().enumerate();
        let places = &terms.map(|(at, term)| (term.id, at)).collect();
        let mut phrases: Vec<String> = self.mentioned(item).into_iter().collect();
        let defined = self.defined(item);
        phrases.extend(defined.map(|name| format!("defines `{name}`")));
        let mut listed: Vec<String> = defined.map(str::to_lowercase).into_iter().collect();
        phrases.extend(self.words(item.text, places, "has", &mut listed));
        phrases.extend(self.words(item.path, places, "its path has", &mut listed));
        phrases.extend(self.files.get(item.path).into_iter().flat_map(describe_signals));
        phrases.truncate(MAX_PHRASES);
        phrases
    }

    /// Returns the importance of each term of the task, by its id.
    pub fn weights(&self) -> FxHashMap<u32, f32> {
        let rarity = |at: usize| self.rarity.get(at).copied().unwrap_or_default();
        let terms = self.task.terms.iter().enumerate();
        terms.map(|(at, term)| (term.id, rarity(at) * term.weight)).collect()
    }

    /// Returns how well a name matches the words of the task: the sum of their importance.
    pub fn affinity(&self, name: &str) -> f32 {
        let (weights, mut seen) = (self.weights(), FxHashSet::default());
        for_each_id(name, |id| {
            seen.insert(id);
        });
        seen.iter().filter_map(|id| weights.get(id)).sum()
    }

    /// Describes how the task refers to the chunk's file or lines.
    fn mentioned(&self, item: &ExplainedLines<'_>) -> Option<String> {
        let lower = item.path.to_lowercase();
        let components: Vec<&str> = lower.split(['/', '.']).collect();
        let is_meant = |it: &&kitbag_index::Mention| it.specificity(&components) > 0;
        let mentions: Vec<_> = self.task.mentions.iter().filter(is_meant).collect();
        let within = |line: u32| (item.lines.0..=item.lines.1).contains(&line);
        let here = mentions.iter().find(|it| it.line.is_some_and(within));
        let phrase = match (here, mentions.first()) {
            (Some(it), _) if it.frame > 0 => "a stack frame in the task points here",
            (Some(_), _) => "the task mentions one of its lines",
            (None, Some(it)) if it.frame > 0 => "the stack trace in the task contains its file",
            (None, Some(_)) => "the task mentions its file",
            (None, None) => return None,
        };
        Some(phrase.to_owned())
    }

    /// Returns the name that the chunk defines, if it is a term of the task.
    fn defined<'a>(&self, item: &ExplainedLines<'a>) -> Option<&'a str> {
        let symbol = item.symbol?;
        let name = symbol.rsplit(['.', ':', '#', ' ']).next()?;
        let id = word_id(&name.trim_matches('_').to_lowercase());
        let is_asked = self.task.terms.iter().any(|term| term.id == id);
        (is_asked && name.chars().count() <= MAX_WORD_CHARS).then_some(name)
    }

    /// Lists the most important words of the task that occur in a text and have not been listed
    /// yet. A word that is part of a longer name in the same text is covered by that name.
    fn words(
        &self,
        text: &str,
        places: &FxHashMap<u32, usize>,
        verb: &str,
        listed: &mut Vec<String>,
    ) -> Option<String> {
        let mut is_there = vec![false; self.task.terms.len()];
        for_each_id(text, |id| {
            if let Some(&place) = places.get(&id) {
                is_there[place] = true;
            }
        });
        let found = self.task.terms.iter().enumerate().filter(|(at, _)| is_there[*at]);
        let found: Vec<(usize, &TaskTerm)> = found.collect();
        let is_part = |word: &str| {
            let whole = found.iter().map(|(_, term)| term.word.as_str());
            whole.into_iter().any(|whole| whole.len() > word.len() && whole.contains(word))
        };
        let is_new = |term: &TaskTerm| {
            let is_short = term.word.chars().count() <= MAX_WORD_CHARS;
            is_short && !listed.contains(&term.word) && !is_part(&term.word)
        };
        let weight = |at: usize| self.rarity.get(at).copied().unwrap_or_default();
        let mut words: Vec<(f32, &str)> = found
            .iter()
            .filter(|(_, term)| is_new(term))
            .map(|(at, term)| (weight(*at) * term.weight, term.word.as_str()))
            .collect();
        // The sort is stable, so words of equal weight stay in the task's order.
        words.sort_by(|a, b| b.0.total_cmp(&a.0));
        let more = words.len().saturating_sub(MAX_WORDS);
        words.truncate(MAX_WORDS);
        listed.extend(words.iter().map(|(_, word)| (*word).to_owned()));
        let quoted: Vec<String> = words.iter().map(|(_, word)| format!("`{word}`")).collect();
        match (quoted.join(", "), more) {
            (words, _) if words.is_empty() => None,
            (words, 0) => Some(format!("{verb} {words}")),
            (words, more) => Some(format!("{verb} {words} and {more} more of the task's words")),
        }
    }
}

/// Describes the signals of a file other than the words it contains.
fn describe_signals(signals: &FileSignals) -> Vec<String> {
    let all = [
        (signals.in_folder, "in the folder that you are in"),
        (signals.in_similar_commits, "similar commits changed it"),
        (signals.co_changed, "often changed together with matching files"),
        (signals.used, "used by matching files"),
        (signals.uses, "uses matching files"),
    ];
    all.iter().filter(|it| it.0).map(|it| it.1.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_record::FactorsItem;

    fn item(path: &str, symbol: Option<&str>, lines: (u32, u32), text: &str) -> IncludedItem {
        IncludedItem {
            path: path.to_owned(),
            start_line: lines.0,
            end_line: lines.1,
            symbol: symbol.map(str::to_owned),
            kind: kitbag_text::Kind::SearchResult,
            provider: Some("search".to_owned()),
            part: None,
            tokens: 0,
            score: 0.0,
            factors: FactorsItem { relevance: 0.0, recency: 0.0, source: 0.0 },
            form: kitbag_core::ChunkForm::Full,
            shown: Vec::new(),
            pinned: false,
            why: Vec::new(),
            lines: Vec::new(),
            duplicates: Vec::new(),
            text: text.to_owned(),
            is_file: true,
            added_text: None,
        }
    }

    fn why(task: &str, mut item: IncludedItem, signals: FileSignals) -> Vec<String> {
        let task = ParsedTask::new(task);
        let rarity = vec![1.0; task.terms.len()];
        let files = [(item.path.clone(), signals)].into_iter().collect();
        explain(std::slice::from_mut(&mut item), &Reasons { task, rarity, files });
        item.why
    }

    #[test]
    fn a_chunk_says_which_words_and_names_of_the_task_it_has() {
        let text = "def get_user(session):\n    # every session expires\n    secret = 1\n";
        let item = item("src/auth/users.py", Some("UserService.get_user"), (10, 12), text);
        let signals =
            FileSignals { in_similar_commits: true, co_changed: true, ..FileSignals::default() };
        assert_eq!(
            why("get_user loses the session of users", item, signals),
            [
                "defines `get_user`",
                "has `session`",
                "its path has `user`",
                "similar commits changed it",
            ]
        );
    }

    #[test]
    fn lines_that_the_task_points_at_come_first() {
        let trace = "it fails\n\nTraceback (most recent call last):\n  File \"src/auth/users.py\", line 11, in get\n    x()\nKeyError: 'a'";
        let at = |lines| item("src/auth/users.py", None, lines, "");
        assert_eq!(
            why(trace, at((10, 12)), FileSignals::default())[0],
            "a stack frame in the task points here"
        );
        assert_eq!(
            why(trace, at((20, 22)), FileSignals::default())[0],
            "the stack trace in the task contains its file"
        );
        let plain = "look at src/auth/users.py please";
        assert_eq!(why(plain, at((1, 2)), FileSignals::default())[0], "the task mentions its file");
    }

    #[test]
    fn phrases_quote_only_words_of_the_task() {
        let text = "password = 'hunter2hunter2'\nother = 5\n";
        let item = item("conf.py", None, (1, 2), text);
        let phrases = why("where is the password read?", item, FileSignals::default());
        assert_eq!(phrases, ["has `password`"]);
    }

    #[test]
    fn what_the_search_did_not_find_has_no_reasons() {
        let mut item = item("a.py", None, (1, 1), "session\n");
        item.provider = Some("open_files".to_owned());
        assert!(
            why(
                "session",
                item,
                FileSignals { in_similar_commits: true, ..FileSignals::default() }
            )
            .is_empty()
        );
    }
}

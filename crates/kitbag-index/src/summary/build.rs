//! Makes the summary of a repository from its index.

use super::{DEFINED, IN_PATH, IN_README, MAX_SUMMARY_WORDS, RepositorySummary, SHARE_BITS};
use crate::common_words::common_share;
use crate::file_kind::FileKind;
use crate::view::{IndexView, IndexedFile};
use rustc_hash::{FxHashMap, FxHashSet};

/// Value of a word for the summary, beyond that of its frequency, if it has one of the places. Chosen by hand.
const DEFINED_VALUE: f32 = 1.5;
const PATH_VALUE: f32 = 1.0;
const README_VALUE: f32 = 2.0;

/// Words that more files have in general say nothing, wherever they are.
const MAX_PLACED_SHARE: f32 = 0.1;

/// Use of a word in a repository.
#[derive(Debug, Clone, Copy, Default)]
struct WordUse {
    /// Number of contents with the word.
    contents: u32,
    places: u8,
}

impl RepositorySummary {
    /// Summarizes the files of a tree. Data, changelogs and generated files count by their paths only: their
    /// words are about something else, or about everything.
    pub fn new(view: &IndexView) -> Self {
        let contents = counted_contents(view).max(1);
        let mut words: Vec<(u32, WordUse)> = word_uses(view)
            .into_iter()
            .filter(|(word, it)| {
                let common = common_share(*word);
                share(it, contents) > common || (it.places != 0 && common < MAX_PLACED_SHARE)
            })
            .collect();
        if words.len() > MAX_SUMMARY_WORDS {
            let value = |(word, it): &(u32, WordUse)| it.value(*word, contents);
            words.sort_unstable_by(|a, b| value(b).total_cmp(&value(a)).then(a.0.cmp(&b.0)));
            words.truncate(MAX_SUMMARY_WORDS);
        }
        words.sort_unstable_by_key(|(word, _)| *word);
        let marks = words.iter().map(|(_, it)| it.mark(contents)).collect();
        let words = words.into_iter().map(|(word, _)| word).collect();
        Self { contents, words, marks }
    }
}

fn word_uses(view: &IndexView) -> FxHashMap<u32, WordUse> {
    let mut uses: FxHashMap<u32, WordUse> = FxHashMap::default();
    view.for_each_word_of_content(|word, file, postings| {
        let file = &view.files()[file as usize];
        if !has_counted_words(file) {
            return;
        }
        let word = uses.entry(word).or_default();
        word.contents += 1;
        let is_defined = postings.iter().any(|posting| posting.counts.symbol > 0);
        if is_defined && file.kind == FileKind::Code {
            word.places |= DEFINED;
        }
        if is_readme(&file.path) {
            word.places |= IN_README;
        }
    });
    for file in view.files().iter().filter(|file| file.kind != FileKind::Derived) {
        for word in &file.path_words {
            uses.entry(*word).or_default().places |= IN_PATH;
        }
    }
    uses
}

fn counted_contents(view: &IndexView) -> u32 {
    let files = view.files().iter().filter(|file| has_counted_words(file));
    files.map(|file| file.address).collect::<FxHashSet<_>>().len() as u32
}

fn has_counted_words(file: &IndexedFile) -> bool {
    matches!(file.kind, FileKind::Code | FileKind::Test | FileKind::Documentation)
}

fn is_readme(path: &str) -> bool {
    !path.contains('/') && path.to_lowercase().starts_with("readme")
}

fn share(word: &WordUse, contents: u32) -> f32 {
    word.contents as f32 / contents as f32
}

impl WordUse {
    /// Returns how much the word says about the repository.
    fn value(&self, word: u32, contents: u32) -> f32 {
        let excess = (share(self, contents) / common_share(word)).max(1e-3).ln();
        let frequency = excess.max(0.0) * (self.contents as f32).ln_1p();
        let place = |place: u8, value: f32| if self.places & place != 0 { value } else { 0.0 };
        frequency
            + place(DEFINED, DEFINED_VALUE)
            + place(IN_PATH, PATH_VALUE)
            + place(IN_README, README_VALUE)
    }

    fn mark(&self, contents: u32) -> u8 {
        let level = -share(self, contents).log2();
        self.places | (level.clamp(0.0, f32::from(SHARE_BITS)).ceil() as u8)
    }
}

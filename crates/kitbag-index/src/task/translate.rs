//! Rewrites tasks in other languages with English words, as far as a small table of programming words goes.
//!
//! Code, paths and comments are mostly English, whatever language a task is in. Identifiers, quoted
//! names and words that the table lacks stay as they are.

use kitbag_text::is_stop_word;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// A language of the table, in the order of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskLanguage {
    German,
    French,
    Spanish,
    Chinese,
    Japanese,
}

const LANGUAGES: [TaskLanguage; 5] = [
    TaskLanguage::German,
    TaskLanguage::French,
    TaskLanguage::Spanish,
    TaskLanguage::Chinese,
    TaskLanguage::Japanese,
];

/// Endings of inflected words, tried one at a time.
const ENDINGS: [&str; 10] = ["en", "es", "er", "em", "nen", "s", "n", "e", "x", "as"];

/// Number of characters that a word keeps at least without its ending.
const MIN_STEM_CHARS: usize = 4;

/// Number of characters of the longest entry in a script without spaces.
const MAX_UNSPACED_CHARS: usize = 6;

/// English words by the words of one language. Words that say nothing have an empty translation.
type WordTable = FxHashMap<&'static str, &'static str>;

static TABLES: LazyLock<[WordTable; 5]> = LazyLock::new(|| {
    let mut tables: [WordTable; 5] = Default::default();
    for line in include_str!("words.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let english = columns.next().filter(|it| *it != "-").unwrap_or_default();
        for (table, words) in tables.iter_mut().zip(columns) {
            for word in words.split(' ') {
                table.entry(word).or_insert(english);
            }
        }
    }
    tables
});

fn table(language: TaskLanguage) -> &'static WordTable {
    &TABLES[language as usize]
}

/// Returns the language of a text, or `None` if it is English or unknown.
pub(super) fn language_of(text: &str) -> Option<TaskLanguage> {
    let (mut letters, mut unspaced, mut kana) = (0, 0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        unspaced += usize::from(is_unspaced(c));
        kana += usize::from(is_kana(c));
    }
    if unspaced * 5 > letters {
        let is_japanese = kana * 10 > unspaced;
        return Some(if is_japanese { TaskLanguage::Japanese } else { TaskLanguage::Chinese });
    }
    let lower = text.to_lowercase();
    let words: FxHashSet<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let empty_words = |language: TaskLanguage| {
        words.iter().filter(|word| table(language).get(*word) == Some(&"")).count()
    };
    let english = words.iter().filter(|word| is_stop_word(word)).count();
    let counts = LANGUAGES[..3].iter().map(|&language| (empty_words(language), language));
    let (count, language) = counts.reduce(|best, it| if it.0 > best.0 { it } else { best })?;
    (count >= 2 && count > english).then_some(language)
}

/// Replaces the words of the table by their translations, outside of backticks.
pub(super) fn to_english(text: &str, language: TaskLanguage) -> String {
    let mut english = String::with_capacity(text.len());
    for (at, run) in text.split('`').enumerate() {
        match at % 2 {
            0 => translate_run(run, language, &mut english),
            _ => english.extend(["`", run, "`"]),
        }
    }
    english
}

fn translate_run(mut rest: &str, language: TaskLanguage, english: &mut String) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    while let Some(start) = rest.find(is_word) {
        english.push_str(&rest[..start]);
        let run = &rest[start..];
        let is_unspaced_run = run.starts_with(is_unspaced);
        let is_in_run = |c: char| is_word(c) && is_unspaced(c) == is_unspaced_run;
        let end = run.find(|c: char| !is_in_run(c)).unwrap_or(run.len());
        let (word, after) = run.split_at(end);
        if is_unspaced_run {
            translate_unspaced(word, language, english);
        } else {
            english.push_str(translate_word(word, language).unwrap_or(word));
        }
        // Identifiers inside text without spaces are words of their own.
        if is_unspaced_run != after.starts_with(is_unspaced) || is_unspaced_run {
            english.push(' ');
        }
        rest = after;
    }
    english.push_str(rest);
}

/// Returns the translation of a word, unless it looks like an identifier.
fn translate_word(word: &str, language: TaskLanguage) -> Option<&'static str> {
    let is_plain = |(at, c): (usize, char)| at == 0 || c.is_lowercase() || c == '-';
    if !word.char_indices().all(is_plain) {
        return None;
    }
    let lower = word.to_lowercase();
    let table = table(language);
    let find = |stem: &str| table.get(stem).copied();
    find(&lower).or_else(|| {
        let stems = ENDINGS.iter().filter_map(|ending| lower.strip_suffix(ending));
        let mut long = stems.filter(|stem| stem.chars().count() >= MIN_STEM_CHARS);
        long.find_map(|stem| find(stem).or_else(|| find(&format!("{stem}e"))))
    })
}

/// Translates text without spaces, the longest entry first. What the table lacks is kept.
fn translate_unspaced(mut rest: &str, language: TaskLanguage, english: &mut String) {
    let table = table(language);
    while let Some(first) = rest.chars().next() {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(MAX_UNSPACED_CHARS);
        let ends: Vec<usize> = ends.collect();
        let found = ends.iter().rev().find_map(|&end| Some((end, *table.get(&rest[..end])?)));
        let end = match found {
            Some((end, word)) => {
                english.extend([" ", word, " "]);
                end
            }
            None => {
                english.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[end..];
    }
}

/// Whether a character is Han, Hiragana or Katakana.
fn is_unspaced(c: char) -> bool {
    is_kana(c)
        || matches!(c, '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(text: &str) -> String {
        let text = language_of(text).map_or(text.to_owned(), |it| to_english(text, it));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_of_the_table_become_english() {
        let german = "Warum bricht die Verbindung mit dem Server ab, wenn `die_liste` leer ist?";
        assert_eq!(english(german), "bricht connection server ab, `die_liste` empty ?");
        let french = "La connexion est fermée pour les fichiers de la session";
        assert_eq!(english(french), "connection fermée file session");
        let spanish = "El servidor no debe cerrar las conexiones del usuario";
        assert_eq!(english(spanish), "server close conexiones user");
    }

    #[test]
    fn identifiers_inside_text_without_spaces_are_separated() {
        assert_eq!(english("修复TryRemove中的错误"), "fix TryRemove error");
        assert_eq!(english("GetUserがファイルを閉じるときに失敗する"), "GetUser file close fail");
    }

    #[test]
    fn english_and_identifiers_stay_as_they_are() {
        for text in [
            "why does the connection fail in die()?",
            "rename `der` and `die` in the parser",
            "getDatei DATEI datei_2",
            "",
            "🦀 ñ",
        ] {
            assert_eq!(language_of(text), None, "{text}");
        }
        assert_eq!(english("die Klasse DateiLeser und der Wert"), "class DateiLeser value");
    }

    #[test]
    fn every_line_of_the_table_has_all_languages() {
        for line in include_str!("words.tsv").lines().filter(|line| !line.starts_with('#')) {
            assert_eq!(line.split('\t').filter(|it| !it.is_empty()).count(), 6, "{line}");
        }
    }
}

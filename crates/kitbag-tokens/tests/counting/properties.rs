//! Property tests: sums are exact over a tally's segments and wherever a counter claims to be additive.

use crate::fixtures::counters;
use crate::texts::{self, Excerpt};
use kitbag_tokens::{Measure, Tally, TokenCounter, Vocabulary};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

// Shows: AC-047, FR-016-73
#[test]
fn tally_measures_any_rows_exactly() {
    let counters = counters();
    let check = |excerpt: Excerpt| {
        let Excerpt { content, row_starts, rows } = &excerpt;
        let whole = excerpt.terminated();
        for counter in &counters {
            let tally = Tally::new(&**counter, content, row_starts);
            let measure = tally.measure(&**counter, content, row_starts, rows.clone());
            prop_assert_eq!(measure, counter.measure(&whole), "{}", counter.name());
        }
        Ok(())
    };
    run(&texts::excerpt(), check);
}

#[test]
fn counts_are_additive_between_lines_as_claimed() {
    let counters = counters();
    let check = |(before, line, after): (String, String, String)| {
        for counter in
            counters.iter().filter(|counter| counter.is_additive_between(last_line(&before), &line))
        {
            let sum = counter.measure(&before) + counter.measure(&format!("{line}{after}"));
            let whole = counter.measure(&format!("{before}{line}{after}"));
            prop_assert_eq!(whole, sum, "{}", counter.name());
        }
        Ok(())
    };
    run(&(texts::terminated_lines(), texts::line(), texts::terminated_lines()), check);
}

#[test]
fn last_line_without_a_newline_is_additive_too() {
    let counters = counters();
    let check = |(before, line): (String, String)| {
        let line = line.trim_end_matches('\n');
        for counter in
            counters.iter().filter(|counter| counter.is_additive_between(last_line(&before), line))
        {
            let sum = counter.measure(&before) + counter.measure(line);
            let whole = counter.measure(&format!("{before}{line}"));
            prop_assert_eq!(whole, sum, "{}", counter.name());
        }
        Ok(())
    };
    run(&(texts::terminated_lines(), texts::line()), check);
}

/// In JSON output, the lines of a text are escaped into one.
#[test]
fn counts_are_additive_inside_a_line_as_claimed() {
    let counters = counters();
    let check = |(text, at): (String, proptest::sample::Index)| {
        let text = text.replace('\n', "\\n").replace('\t', "\\t").replace('"', "\\\"");
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).collect();
        if offsets.is_empty() {
            return Ok(());
        }
        let (before, after) = text.split_at(offsets[at.index(offsets.len())]);
        let ends = before.chars().next_back().zip(after.chars().next());
        let (last, first) = ends.expect("neither is empty");
        for counter in counters.iter().filter(|counter| counter.is_additive_at(last, first)) {
            let sum = counter.measure(before) + counter.measure(after);
            prop_assert_eq!(counter.measure(&text), sum, "{} at {:?}", counter.name(), first);
        }
        Ok(())
    };
    run(&(texts::terminated_lines(), any::<proptest::sample::Index>()), check);
}

#[test]
fn counts_are_additive_before_a_space_but_not_inside_words_or_whitespace() {
    for counter in Vocabulary::ALL {
        assert!(counter.is_additive_at('n', ' ') && counter.is_additive_at(';', ' '));
        assert!(!counter.is_additive_at(' ', ' ') && !counter.is_additive_at('\u{a0}', ' '));
        assert!(!counter.is_additive_at('a', 'b') && !counter.is_additive_at(' ', 'b'));
    }
}

// Shows: AC-049, FR-016-73, NFR-016-21
#[test]
fn count_is_the_number_of_ids() {
    let check = |text: String| {
        for bpe in Vocabulary::ALL {
            prop_assert_eq!(bpe.count(&text), bpe.encode(&text).len(), "{}", bpe.name());
        }
        Ok(())
    };
    run(&texts::terminated_lines(), check);
}

/// Each pair has a different count joined than separate.
#[test]
fn counts_are_not_additive_where_lines_merge() {
    let o200k = Vocabulary::O200kBase;
    let cl100k = Vocabulary::Cl100kBase;
    check_merge(o200k, "}\n", "// a\n");
    for counter in [o200k, cl100k] {
        check_merge(counter, "a\n", "\n");
        check_merge(counter, "a\n", "  \n");
        check_merge(counter, "a\r\n", "\r\n");
        check_merge(counter, "a\r\n", "\t\r\n");
    }
}

#[track_caller]
fn check_merge(counter: Vocabulary, before: &str, line: &str) {
    let sum = counter.measure(before) + counter.measure(line);
    assert_ne!(counter.measure(&format!("{before}{line}")), sum, "{line:?} is additive");
    assert!(!counter.is_additive_between(before, line), "{}: {line:?}", counter.name());
}

#[test]
fn counts_are_additive_before_indented_and_unusual_lines() {
    for counter in Vocabulary::ALL {
        for line in
            ["a\n", "    return\n", "\t//\n", "\u{a0}b\n", "\u{301}\n", "b\r\n", "}", "\u{2028}b\n"]
        {
            assert!(counter.is_additive_between("}\n", line), "{}: {line:?}", counter.name());
        }
    }
}

#[test]
fn slashes_merge_only_with_punctuation() {
    let o200k = Vocabulary::O200kBase;
    for before in ["a\n", "} \n", "9\r\n", "}\n  \n"] {
        assert!(o200k.is_additive_between(last_line(before), "// b\n"), "{before:?}");
        let sum = o200k.measure(before) + o200k.measure("// b\n");
        assert_eq!(o200k.measure(&format!("{before}// b\n")), sum);
    }
    assert!(!o200k.is_additive_between("}\n", "// b\n"));
    assert!(!o200k.is_additive_between("\n", "// b\n"), "a blank line may follow punctuation");
    assert!(Vocabulary::Cl100kBase.is_additive_between("}\n", "// b\n"));
}

/// Returns the last line of a text that ends in a newline.
pub fn last_line(text: &str) -> &str {
    text.split_inclusive('\n').next_back().unwrap_or_default()
}

#[test]
fn empty_ranges_measure_zero() {
    for counter in counters() {
        let tally = Tally::new(&*counter, "one\ntwo\n", &[0, 4]);
        for row in 0..=2 {
            let measure = tally.measure(&*counter, "one\ntwo\n", &[0, 4], row..row);
            assert_eq!(measure, Measure::default());
        }
        let empty = Tally::new(&*counter, "", &[]);
        assert_eq!(empty.measure(&*counter, "", &[], 0..0), Measure::default());
    }
}

/// Ensures that random excerpts include enough difficult cases. The seed is fixed, so the shares are too.
#[test]
fn random_excerpts_cover_the_hard_cases() {
    let counter = Vocabulary::O200kBase;
    let mut runner = TestRunner::deterministic();
    let mut shares = [0; 6];
    for _ in 0..SAMPLES {
        let excerpt =
            texts::excerpt().new_tree(&mut runner).expect("nothing is filtered").current();
        for (share, reached) in shares.iter_mut().zip(difficulties(counter, &excerpt)) {
            *share += usize::from(reached);
        }
    }
    let names = [
        "merging line inside",
        "merging first line",
        "merging line after the end",
        "last line without a newline",
        "carriage return inside a line",
        "indented line that is additive",
    ];
    for ((name, reached), percent) in names.into_iter().zip(shares).zip([50, 20, 20, 3, 12, 50]) {
        assert!(reached * 100 >= SAMPLES * percent, "{name}: {reached} of {SAMPLES} excerpts");
    }
}

const SAMPLES: usize = 2_000;

/// Difficulties of an excerpt, in the order of the names above.
fn difficulties(counter: Vocabulary, Excerpt { content, row_starts, rows }: &Excerpt) -> [bool; 6] {
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let merges = |row: usize| {
        row > 0 && row < lines.len() && !counter.is_additive_between(lines[row - 1], lines[row])
    };
    let is_additive = |line: &&str| {
        line.starts_with(char::is_whitespace) && counter.is_additive_between("}\n", line)
    };
    [
        rows.clone().skip(1).any(merges),
        !rows.is_empty() && merges(rows.start),
        !rows.is_empty() && merges(rows.end),
        !rows.is_empty() && rows.end == row_starts.len() && !content.ends_with('\n'),
        lines[rows.clone()].iter().any(|line| line.trim_end().contains('\r')),
        lines[rows.clone()].iter().any(is_additive),
    ]
}

pub fn run<S: Strategy>(strategy: &S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { failure_persistence: None, ..Config::default() };
    if let Err(error) = TestRunner::new(config).run(strategy, check) {
        panic!("{error}");
    }
}

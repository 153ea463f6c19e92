//! Sums are exact: of a tally's segments, and of pieces joined where the counter says that they add.

use crate::texts::{self, Excerpt};
use kitbag_tokens::{Bpe, Estimator, Measure, Tally, TokenCounter, Vocabulary};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

fn counters() -> Vec<Box<dyn TokenCounter>> {
    let mut counters: Vec<Box<dyn TokenCounter>> = Vec::new();
    counters.extend(Vocabulary::ALL.map(|v| Box::new(Bpe::new(v)) as Box<dyn TokenCounter>));
    counters.extend(Estimator::ALL.map(|e| Box::new(e) as Box<dyn TokenCounter>));
    counters
}

#[test]
fn a_tally_knows_what_any_rows_cost() {
    let counters = counters();
    let check = |excerpt: Excerpt| {
        let Excerpt { content, starts, rows } = &excerpt;
        let whole = excerpt.terminated();
        for counter in &counters {
            let tally = Tally::new(&**counter, content, starts);
            let measure = tally.measure(&**counter, content, starts, rows.clone());
            prop_assert_eq!(measure, counter.measure(&whole), "{}", counter.name());
        }
        Ok(())
    };
    run(&texts::excerpt(), check);
}

#[test]
fn counts_add_where_the_counter_says_so() {
    let counters = counters();
    let check = |(before, line, after): (String, String, String)| {
        for counter in
            counters.iter().filter(|counter| counter.adds_between(last_line(&before), &line))
        {
            let sum = counter.measure(&before) + counter.measure(&format!("{line}{after}"));
            let whole = counter.measure(&format!("{before}{line}{after}"));
            prop_assert_eq!(whole, sum, "{}", counter.name());
        }
        Ok(())
    };
    run(&(texts::ended_lines(), texts::line(), texts::ended_lines()), check);
}

#[test]
fn a_last_line_without_a_newline_adds_as_well() {
    let counters = counters();
    let check = |(before, line): (String, String)| {
        let line = line.trim_end_matches('\n');
        for counter in
            counters.iter().filter(|counter| counter.adds_between(last_line(&before), line))
        {
            let sum = counter.measure(&before) + counter.measure(line);
            let whole = counter.measure(&format!("{before}{line}"));
            prop_assert_eq!(whole, sum, "{}", counter.name());
        }
        Ok(())
    };
    run(&(texts::ended_lines(), texts::line()), check);
}

/// As the lines of a text stand in a JSON string: on one line.
#[test]
fn counts_add_inside_a_line_where_the_counter_says_so() {
    let counters = counters();
    let check = |(text, at): (String, proptest::sample::Index)| {
        let text = text.replace('\n', "\\n").replace('\t', "\\t").replace('"', "\\\"");
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).collect();
        if places.is_empty() {
            return Ok(());
        }
        let (before, after) = text.split_at(places[at.index(places.len())]);
        let ends = before.chars().next_back().zip(after.chars().next());
        let (last, first) = ends.expect("neither is empty");
        for counter in counters.iter().filter(|counter| counter.adds_at(last, first)) {
            let sum = counter.measure(before) + counter.measure(after);
            prop_assert_eq!(counter.measure(&text), sum, "{} at {:?}", counter.name(), first);
        }
        Ok(())
    };
    run(&(texts::ended_lines(), any::<proptest::sample::Index>()), check);
}

#[test]
fn counts_add_before_a_space_but_not_inside_a_word_or_white_space() {
    for counter in Vocabulary::ALL.map(Bpe::new) {
        assert!(counter.adds_at('n', ' ') && counter.adds_at(';', ' '));
        assert!(!counter.adds_at(' ', ' ') && !counter.adds_at('\u{a0}', ' '));
        assert!(!counter.adds_at('a', 'b') && !counter.adds_at(' ', 'b'));
    }
}

#[test]
fn a_count_is_the_number_of_ids() {
    let check = |text: String| {
        for bpe in Vocabulary::ALL.map(Bpe::new) {
            prop_assert_eq!(bpe.count(&text), bpe.encode(&text).len(), "{}", bpe.name());
        }
        Ok(())
    };
    run(&texts::ended_lines(), check);
}

/// Each pair really has another count joined than apart, and the counter must know.
#[test]
fn lines_that_merge_with_what_came_before_are_known() {
    let o200k = Bpe::new(Vocabulary::O200kBase);
    let cl100k = Bpe::new(Vocabulary::Cl100kBase);
    check_merge(o200k, "}\n", "// a\n");
    for counter in [o200k, cl100k] {
        check_merge(counter, "a\n", "\n");
        check_merge(counter, "a\n", "  \n");
        check_merge(counter, "a\r\n", "\r\n");
        check_merge(counter, "a\r\n", "\t\r\n");
    }
}

#[track_caller]
fn check_merge(counter: Bpe, before: &str, line: &str) {
    let sum = counter.measure(before) + counter.measure(line);
    assert_ne!(counter.measure(&format!("{before}{line}")), sum, "{line:?} does add");
    assert!(!counter.adds_between(before, line), "{} trusts {line:?}", counter.name());
}

#[test]
fn indented_and_unusual_lines_still_add() {
    for counter in Vocabulary::ALL.map(Bpe::new) {
        for line in
            ["a\n", "    return\n", "\t//\n", "\u{a0}b\n", "\u{301}\n", "b\r\n", "}", "\u{2028}b\n"]
        {
            assert!(counter.adds_between("}\n", line), "{} distrusts {line:?}", counter.name());
        }
    }
}

#[test]
fn slashes_merge_with_punctuation_only() {
    let o200k = Bpe::new(Vocabulary::O200kBase);
    for before in ["a\n", "} \n", "9\r\n", "}\n  \n"] {
        assert!(o200k.adds_between(last_line(before), "// b\n"), "{before:?}");
        let sum = o200k.measure(before) + o200k.measure("// b\n");
        assert_eq!(o200k.measure(&format!("{before}// b\n")), sum);
    }
    assert!(!o200k.adds_between("}\n", "// b\n"));
    assert!(!o200k.adds_between("\n", "// b\n"), "a blank line may follow punctuation");
    assert!(Bpe::new(Vocabulary::Cl100kBase).adds_between("}\n", "// b\n"));
}

/// The last line of a text that ends in a newline.
fn last_line(text: &str) -> &str {
    text.split_inclusive('\n').next_back().unwrap_or_default()
}

#[test]
fn no_rows_cost_nothing() {
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

/// The random excerpts are worth nothing if they are all easy. The seed is fixed, so that the
/// shares are too.
#[test]
fn the_hard_cases_are_reached() {
    let counter = Bpe::new(Vocabulary::O200kBase);
    let mut runner = TestRunner::deterministic();
    let mut shares = [0; 6];
    for _ in 0..SAMPLES {
        let excerpt =
            texts::excerpt().new_tree(&mut runner).expect("nothing is filtered").current();
        for (share, reached) in shares.iter_mut().zip(hardships(counter, &excerpt)) {
            *share += usize::from(reached);
        }
    }
    let names = [
        "merging line inside",
        "merging first line",
        "merging line after the end",
        "last line without a newline",
        "carriage return inside a line",
        "spaced line that adds",
    ];
    for ((name, reached), percent) in names.into_iter().zip(shares).zip([50, 20, 20, 3, 12, 50]) {
        assert!(reached * 100 >= SAMPLES * percent, "{name}: {reached} of {SAMPLES} excerpts");
    }
}

const SAMPLES: usize = 2_000;

/// What makes an excerpt hard, in the order of the names above.
fn hardships(counter: Bpe, Excerpt { content, starts, rows }: &Excerpt) -> [bool; 6] {
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let merges = |row: usize| {
        row > 0 && row < lines.len() && !counter.adds_between(lines[row - 1], lines[row])
    };
    let adds =
        |line: &&str| line.starts_with(char::is_whitespace) && counter.adds_between("}\n", line);
    [
        rows.clone().skip(1).any(merges),
        !rows.is_empty() && merges(rows.start),
        !rows.is_empty() && merges(rows.end),
        !rows.is_empty() && rows.end == starts.len() && !content.ends_with('\n'),
        lines[rows.clone()].iter().any(|line| line.trim_end().contains('\r')),
        lines[rows.clone()].iter().any(adds),
    ]
}

fn run<S: Strategy>(strategy: &S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { failure_persistence: None, ..Config::default() };
    if let Err(error) = TestRunner::new(config).run(strategy, check) {
        panic!("{error}");
    }
}

//! Texts that are too large, too deep or too broken are cut by lines, and say so.

use super::{COUNTING, cut, limits, render};
use crate::{
    Cancel, Cancelled, ChunkKind, ChunkLimits, Fallback, Language, Text, chunk, chunk_text,
    chunk_text_until, comment_ranges_until,
};
use kitbag_tokens::{Counting, Measure, TokenCounter};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const DEEP: &[&str] = &[
    "a.json", "a.js", "a.ts", "a.rs", "a.py", "a.c", "a.cc", "a.yaml", "a.rb", "a.go", "a.java",
    "a.kt", "a.cs", "a.swift", "a.scala", "a.lua",
];

// Shows: THREAT-3
#[test]
fn ten_thousand_brackets_are_nested_too_deeply() {
    for path in DEEP {
        let source = format!("{}{}\n", "[".repeat(10_000), "]".repeat(10_000));
        let chunked = cut(path, &source, &limits(2_000));
        assert!(chunked.fallback.is_some(), "{path}");
        let lines = format!("x = {}1{}\n", "(\n".repeat(10_000), ")\n".repeat(10_000));
        let fallback = cut(path, &lines, &limits(2_000)).fallback;
        assert!(fallback.is_some() || *path == "a.yaml", "{path}");
    }
}

#[test]
fn classes_within_classes_without_end_are_nested_too_deeply() {
    let source = format!("{}{}", "class A\n".repeat(60), "end\n".repeat(60));
    assert_eq!(cut("a.rb", &source, &limits(2_000)).fallback, Some(Fallback::NestedTooDeeply));
    let source = format!("{}{}", "class A\n".repeat(30), "end\n".repeat(30));
    assert_eq!(cut("a.rb", &source, &limits(2_000)).fallback, None);
}

#[test]
fn brackets_in_strings_are_not_nesting() {
    let source = format!("a = '{}'\n", "(".repeat(500));
    assert_eq!(cut("a.py", &source, &limits(2_000)).fallback, None);
}

// Shows: THREAT-3
#[test]
fn what_would_end_the_process_is_not_parsed() {
    // The scanner of YAML aborts when its buffer of indents is full, and error recovery at the end
    // of endless type arguments takes all memory there is.
    let dashes = format!("{}\n", "- ".repeat(5_000));
    let stairs: String = (0..600).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    let angles = "a<\n".repeat(20_000);
    for (path, source) in [("a.yml", &dashes), ("a.yml", &stairs), ("a.py", &stairs)] {
        assert_eq!(cut(path, source, &limits(2_000)).fallback, Some(Fallback::NestedTooDeeply));
    }
    for path in ["A.java", "a.cs"] {
        assert_eq!(cut(path, &angles, &limits(2_000)).fallback, Some(Fallback::NestedTooDeeply));
    }
}

#[test]
fn characters_beyond_ascii_crash_no_scanner() {
    for c in ['é', '\u{feff}', '\u{10ffff}', '😀'] {
        for source in [format!("echo {{{c}\n"), format!("echo a{{1..2{c}\n"), format!("{{{c}")] {
            cut("a.sh", &source, &limits(2_000));
        }
    }
}

// Shows: AC-130, THREAT-3
#[test]
fn scanners_that_are_lost_are_stopped() {
    let lazy = ChunkLimits { max_parse_steps: 5_000, ..limits(2_000) };
    let source = "- - - -\n".repeat(10_000);
    assert_eq!(cut("a.lua", &source, &lazy).fallback, Some(Fallback::ParseTooLong));
}

#[test]
fn conditionals_within_conditionals_overflow_nothing() {
    let source = format!("{}int x;\n{}", "#if A\n".repeat(5_000), "#endif\n".repeat(5_000));
    cut("a.c", &source, &limits(2_000));
}

// Shows: AC-044, AC-130, AC-133, THREAT-3
#[test]
fn large_files_and_long_parses_are_cut_by_lines() {
    let source = "fn f() {}\n".repeat(200);
    let small = ChunkLimits { max_file_bytes: 1_000, ..limits(2_000) };
    let chunked = cut("a.rs", &source, &small);
    assert_eq!(chunked.fallback, Some(Fallback::FileTooLarge));
    assert_eq!(chunked.chunks.len(), 4);
    let lazy = ChunkLimits { max_parse_steps: 3, ..limits(2_000) };
    assert_eq!(cut("a.rs", &source, &lazy).fallback, Some(Fallback::ParseTooLong));
    assert_eq!(cut("a.rs", &source, &limits(2_000)).fallback, None, "the parser is as new");
    assert_eq!(cut("a.md", &source, &small).fallback, Some(Fallback::FileTooLarge));
}

#[test]
fn without_a_fallback_a_guard_leaves_no_chunks() {
    let source = "fn f() {}\n".repeat(200);
    let strict = ChunkLimits { fallback_on_error: false, ..limits(2_000) };
    let small = ChunkLimits { max_file_bytes: 1_000, ..strict.clone() };
    for path in ["a.rs", "a.md"] {
        let chunked = chunk_text(path, &Text::new(source.as_str()), &small, &COUNTING);
        assert_eq!((chunked.chunks.len(), chunked.fallback), (0, Some(Fallback::FileTooLarge)));
    }
    assert!(!cut("a.rs", &source, &strict).chunks.is_empty(), "no guard was run into");
    assert!(!cut("a.txt", &source, &small).chunks.is_empty(), "there is nothing to fall back from");
}

#[test]
fn what_the_parser_makes_nothing_of_is_cut_by_lines() {
    let source = ")) ]] fn fn ?? let 12 :: ;; }}\n".repeat(30);
    assert_eq!(cut("a.rs", &source, &limits(2_000)).fallback, Some(Fallback::TooManyErrors));
    let one = format!("{}\nfn b( {{\n", "fn a() {}\n".repeat(30));
    assert_eq!(cut("a.rs", &one, &limits(2_000)).fallback, None);
}

// Shows: AC-133, THREAT-3
#[test]
fn a_line_of_a_megabyte_is_a_long_line() {
    let source = format!("var a = [{}];\nvar b;\n", "1,".repeat(500_000));
    for path in ["a.js", "a.txt", "a.md"] {
        let text = Text::new(source.as_str());
        let chunked = chunk_text(path, &text, &ChunkLimits::default(), &COUNTING);
        assert_eq!(chunked.chunks[0].kind, ChunkKind::LongLine, "{path}");
        assert_eq!(chunked.chunks.len(), 2, "{path}");
    }
}

// Shows: AC-036, AC-037, FR-016-35, FR-016-36, NFR-016-26
#[test]
fn a_part_of_a_file_keeps_its_line_numbers() {
    let text = Text::part("def f():\n    return 1\n", 41);
    let tally = COUNTING.tally(text.content(), text.starts());
    let python = Language::named("python");
    let chunked = chunk(&text, python, &limits(2_000), &COUNTING, &tally);
    assert_eq!(render(&chunked), "41-42 Function f [f] 41-41\n");
}

#[test]
fn the_same_text_is_always_cut_the_same() {
    let source = include_str!("../cut.rs");
    assert_eq!(cut("a.rs", source, &limits(300)), cut("a.rs", source, &limits(300)));
}

/// Words, of which no grammar makes anything: a step through them costs many times as much as one
/// through code.
fn words(bytes: usize) -> String {
    let mut text = String::new();
    let mut seed = 7u64;
    while text.len() < bytes {
        for _ in 0..10 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(&format!("{:x} ", seed >> 44));
        }
        text.push('\n');
    }
    text
}

#[test]
fn a_large_text_of_words_has_fewer_steps_than_code_of_that_size() {
    // With all steps it would be parsed to its end, at many times the cost of code.
    let limits = ChunkLimits { max_parse_steps: 20_000, ..limits(2_000) };
    let text = Text::new(words(1 << 20));
    let chunked = chunk_text("a.py", &text, &limits, &COUNTING);
    assert_eq!(chunked.fallback, Some(Fallback::ParseTooLong));
    let code = "def f(a):\n    return a + 1\n\n\n".repeat((1 << 20) / 31);
    assert_eq!(cut("a.py", &code, &limits).fallback, None);
}

#[test]
fn what_nobody_wants_any_more_is_not_cut() {
    let raised = Cancel::default();
    raised.cancel();
    let (source, limits) = ("fn f() {}\n".repeat(200), ChunkLimits::default());
    for path in ["a.rs", "a.md", "a.txt"] {
        let text = Text::new(source.as_str());
        let cut = |cancel: &Cancel| chunk_text_until(path, &text, &limits, &COUNTING, cancel);
        assert_eq!(cut(&raised), Err(Cancelled), "{path}");
        assert_eq!(cut(&Cancel::default()), Ok(chunk_text(path, &text, &limits, &COUNTING)));
    }
    let (text, rust) = (Text::new(source.as_str()), Language::named("rust"));
    assert_eq!(comment_ranges_until(&text, rust, &limits, &raised), Err(Cancelled));
}

/// Raises a flag at the n-th count, and counts on.
struct Raising {
    cancel: Cancel,
    counts: AtomicUsize,
    raise_at: usize,
}

impl TokenCounter for Raising {
    fn name(&self) -> &str {
        "raising"
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn measure(&self, text: &str) -> Measure {
        if self.counts.fetch_add(1, Ordering::Relaxed) + 1 == self.raise_at {
            self.cancel.cancel();
        }
        Measure { main: text.len() as u32, extra: 0 }
    }

    fn tokens(&self, measure: Measure) -> usize {
        measure.main as usize
    }

    fn adds_between(&self, _: &str, _: &str) -> bool {
        true
    }
}

#[test]
fn counting_ends_at_the_line_at_which_the_flag_goes_up() {
    let cancel = Cancel::default();
    let counter =
        Arc::new(Raising { cancel: cancel.clone(), counts: AtomicUsize::new(0), raise_at: 10 });
    let counting = Counting::new(Arc::clone(&counter) as Arc<dyn TokenCounter>, 0);
    let text = Text::new("fn f() {}\n".repeat(1_000));
    let cut = chunk_text_until("a.rs", &text, &ChunkLimits::default(), &counting, &cancel);
    assert_eq!(cut, Err(Cancelled));
    assert_eq!(counter.counts.load(Ordering::Relaxed), 10);
}

//! Fallback to lines for texts that are too large, too deeply nested or too broken.

use super::{COUNTER, chunk_checked, limits, render};
use crate::{
    Cancel, Cancelled, ChunkKind, ChunkLimits, Fallback, Language, Text, chunk, chunk_text,
    chunk_text_until_cancelled, comment_ranges,
};
use kitbag_tokens::{CachedCounter, Measure, TokenCounter};
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
        let chunked = chunk_checked(path, &source, &limits(2_000));
        assert!(chunked.fallback.is_some(), "{path}");
        let lines = format!("x = {}1{}\n", "(\n".repeat(10_000), ")\n".repeat(10_000));
        let fallback = chunk_checked(path, &lines, &limits(2_000)).fallback;
        assert!(fallback.is_some() || *path == "a.yaml", "{path}");
    }
}

#[test]
fn endlessly_nested_classes_are_nested_too_deeply() {
    let source = format!("{}{}", "class A\n".repeat(60), "end\n".repeat(60));
    assert_eq!(
        chunk_checked("a.rb", &source, &limits(2_000)).fallback,
        Some(Fallback::NestedTooDeeply)
    );
    let source = format!("{}{}", "class A\n".repeat(30), "end\n".repeat(30));
    assert_eq!(chunk_checked("a.rb", &source, &limits(2_000)).fallback, None);
}

#[test]
fn brackets_in_strings_do_not_count_as_nesting() {
    let source = format!("a = '{}'\n", "(".repeat(500));
    assert_eq!(chunk_checked("a.py", &source, &limits(2_000)).fallback, None);
}

// Shows: THREAT-3
#[test]
fn texts_that_would_abort_the_process_are_not_parsed() {
    // The YAML scanner aborts when its buffer of indents is full, and error recovery after endless type
    // arguments exhausts memory.
    let dashes = format!("{}\n", "- ".repeat(5_000));
    let stairs: String = (0..600).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    let angles = "a<\n".repeat(20_000);
    for (path, source) in [("a.yml", &dashes), ("a.yml", &stairs), ("a.py", &stairs)] {
        assert_eq!(
            chunk_checked(path, source, &limits(2_000)).fallback,
            Some(Fallback::NestedTooDeeply)
        );
    }
    for path in ["A.java", "a.cs"] {
        assert_eq!(
            chunk_checked(path, &angles, &limits(2_000)).fallback,
            Some(Fallback::NestedTooDeeply)
        );
    }
}

#[test]
fn non_ascii_characters_do_not_crash_scanners() {
    for c in ['é', '\u{feff}', '\u{10ffff}', '😀'] {
        for source in [format!("echo {{{c}\n"), format!("echo a{{1..2{c}\n"), format!("{{{c}")] {
            chunk_checked("a.sh", &source, &limits(2_000));
        }
    }
}

// Shows: AC-130, THREAT-3
#[test]
fn scanners_that_read_too_far_are_stopped() {
    let lazy = ChunkLimits { max_parse_steps: 5_000, ..limits(2_000) };
    let source = "- - - -\n".repeat(10_000);
    assert_eq!(chunk_checked("a.lua", &source, &lazy).fallback, Some(Fallback::ParseTooLong));
}

#[test]
fn nested_conditionals_do_not_overflow_the_stack() {
    let source = format!("{}int x;\n{}", "#if A\n".repeat(5_000), "#endif\n".repeat(5_000));
    chunk_checked("a.c", &source, &limits(2_000));
}

// Shows: AC-044, AC-130, AC-133, THREAT-3
#[test]
fn large_files_and_long_parses_are_split_by_lines() {
    let source = "fn f() {}\n".repeat(200);
    let small = ChunkLimits { max_file_bytes: 1_000, ..limits(2_000) };
    let chunked = chunk_checked("a.rs", &source, &small);
    assert_eq!(chunked.fallback, Some(Fallback::FileTooLarge));
    assert_eq!(chunked.chunks.len(), 4);
    let lazy = ChunkLimits { max_parse_steps: 3, ..limits(2_000) };
    assert_eq!(chunk_checked("a.rs", &source, &lazy).fallback, Some(Fallback::ParseTooLong));
    assert_eq!(
        chunk_checked("a.rs", &source, &limits(2_000)).fallback,
        None,
        "the parser was reset"
    );
    assert_eq!(chunk_checked("a.md", &source, &small).fallback, Some(Fallback::FileTooLarge));
}

#[test]
fn exceeded_limit_without_fallback_gives_no_chunks() {
    let source = "fn f() {}\n".repeat(200);
    let strict = ChunkLimits { fallback_on_error: false, ..limits(2_000) };
    let small = ChunkLimits { max_file_bytes: 1_000, ..strict.clone() };
    for path in ["a.rs", "a.md"] {
        let chunked = chunk_text(path, &Text::new(source.as_str()), &small, &COUNTER);
        assert_eq!((chunked.chunks.len(), chunked.fallback), (0, Some(Fallback::FileTooLarge)));
    }
    assert!(!chunk_checked("a.rs", &source, &strict).chunks.is_empty(), "no limit was exceeded");
    assert!(
        !chunk_checked("a.txt", &source, &small).chunks.is_empty(),
        "line splitting needs no fallback"
    );
}

#[test]
fn unparseable_text_is_split_by_lines() {
    let source = ")) ]] fn fn ?? let 12 :: ;; }}\n".repeat(30);
    assert_eq!(
        chunk_checked("a.rs", &source, &limits(2_000)).fallback,
        Some(Fallback::TooManyErrors)
    );
    let one = format!("{}\nfn b( {{\n", "fn a() {}\n".repeat(30));
    assert_eq!(chunk_checked("a.rs", &one, &limits(2_000)).fallback, None);
}

// Shows: AC-133, THREAT-3
#[test]
fn line_of_a_megabyte_is_a_long_line() {
    let source = format!("var a = [{}];\nvar b;\n", "1,".repeat(500_000));
    for path in ["a.js", "a.txt", "a.md"] {
        let text = Text::new(source.as_str());
        let chunked = chunk_text(path, &text, &ChunkLimits::default(), &COUNTER);
        assert_eq!(chunked.chunks[0].kind, ChunkKind::LongLine, "{path}");
        assert_eq!(chunked.chunks.len(), 2, "{path}");
    }
}

// Shows: AC-036, AC-037, FR-016-35, FR-016-36, NFR-016-26
#[test]
fn excerpt_keeps_its_line_numbers() {
    let text = Text::with_first_line("def f():\n    return 1\n", 41);
    let tally = COUNTER.tally(text.content(), text.row_starts());
    let python = Language::named("python");
    let chunked = chunk(&text, python, &limits(2_000), &COUNTER, &tally, &Cancel::default())
        .expect("it is not cancelled");
    assert_eq!(render(&chunked), "41-42 Function f [f] 41-41\n");
}

#[test]
fn chunking_is_deterministic() {
    let source = include_str!("../sizer.rs");
    assert_eq!(
        chunk_checked("a.rs", source, &limits(300)),
        chunk_checked("a.rs", source, &limits(300))
    );
}

/// Generates words, through which parser steps are many times slower than through code.
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
fn large_prose_gets_fewer_steps_than_code_of_the_same_size() {
    // With the full number of steps, it would be parsed to the end, many times slower than code.
    let limits = ChunkLimits { max_parse_steps: 20_000, ..limits(2_000) };
    let text = Text::new(words(1 << 20));
    let chunked = chunk_text("a.py", &text, &limits, &COUNTER);
    assert_eq!(chunked.fallback, Some(Fallback::ParseTooLong));
    let code = "def f(a):\n    return a + 1\n\n\n".repeat((1 << 20) / 31);
    assert_eq!(chunk_checked("a.py", &code, &limits).fallback, None);
}

#[test]
fn cancelled_text_is_not_split() {
    let cancelled = Cancel::default();
    cancelled.cancel();
    let (source, limits) = ("fn f() {}\n".repeat(200), ChunkLimits::default());
    for path in ["a.rs", "a.md", "a.txt"] {
        let text = Text::new(source.as_str());
        let outcome =
            |cancel: &Cancel| chunk_text_until_cancelled(path, &text, &limits, &COUNTER, cancel);
        assert_eq!(outcome(&cancelled), Err(Cancelled), "{path}");
        assert_eq!(outcome(&Cancel::default()), Ok(chunk_text(path, &text, &limits, &COUNTER)));
    }
    let (text, rust) = (Text::new(source.as_str()), Language::named("rust"));
    assert_eq!(comment_ranges(&text, rust, &limits, &cancelled), Err(Cancelled));
}

/// Cancels at the n-th count and continues to count.
struct CancellingCounter {
    cancel: Cancel,
    counts: AtomicUsize,
    cancel_at: usize,
}

impl TokenCounter for CancellingCounter {
    fn name(&self) -> &str {
        "cancelling"
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn measure(&self, text: &str) -> Measure {
        if self.counts.fetch_add(1, Ordering::Relaxed) + 1 == self.cancel_at {
            self.cancel.cancel();
        }
        Measure { main: text.len() as u32, extra: 0 }
    }

    fn tokens(&self, measure: Measure) -> usize {
        measure.main as usize
    }

    fn is_additive_between(&self, _: &str, _: &str) -> bool {
        true
    }
}

#[test]
fn counting_stops_at_the_line_where_it_is_cancelled() {
    let cancel = Cancel::default();
    let counter = Arc::new(CancellingCounter {
        cancel: cancel.clone(),
        counts: AtomicUsize::new(0),
        cancel_at: 10,
    });
    let cached = CachedCounter::new(Arc::clone(&counter) as Arc<dyn TokenCounter>, 0);
    let text = Text::new("fn f() {}\n".repeat(1_000));
    let outcome =
        chunk_text_until_cancelled("a.rs", &text, &ChunkLimits::default(), &cached, &cancel);
    assert_eq!(outcome, Err(Cancelled));
    assert_eq!(counter.counts.load(Ordering::Relaxed), 10);
}

//! Sizes: units that fit are kept whole, larger ones are split, small ones are merged.

use super::{check, check_with, chunk_checked, limits, render};
use crate::{ChunkKind, ChunkLimits, ChunkStrategy};

fn python_class(methods: usize, lines: usize) -> String {
    let mut source = "class UserService:\n    \"\"\"Users.\"\"\"\n\n    field = 1\n".to_owned();
    for method in 0..methods {
        source += &format!("\n    # About {method}.\n    @cached\n    def get_{method}(self):\n");
        source += &"        value = self.compute(value, 12345)\n".repeat(lines);
    }
    source
}

// Shows: AC-038, FR-016-38, FR-016-39
#[test]
fn large_class_is_split_into_header_and_methods() {
    check_with(
        &limits(60),
        "a.py",
        &python_class(3, 3),
        "\
1-4 ClassHeader UserService [UserService UserService.field] 1-2
6-11 Function UserService.get_0 [UserService.get_0] 6-8
13-18 Function UserService.get_1 [UserService.get_1] 13-15
20-25 Function UserService.get_2 [UserService.get_2] 20-22
",
    );
}

// Shows: AC-039, FR-016-40
#[test]
fn class_that_fits_is_kept_whole() {
    check_with(&limits(2_000), "a.py", &python_class(3, 3), "\
1-25 Class UserService [UserService UserService.field UserService.get_0 UserService.get_1 UserService.get_2] 1-2 6-8 13-15 20-22
");
}

// Shows: AC-040, AC-041, FR-016-46, FR-016-47
#[test]
fn oversized_method_is_split_into_numbered_parts() {
    check_with(
        &limits(60),
        "a.py",
        &python_class(2, 12),
        "\
1-4 ClassHeader UserService [UserService UserService.field] 1-2
6-11 Function 1/3 UserService.get_0 [UserService.get_0] 6-8
12-15 Function 2/3 UserService.get_0
16-20 Function 3/3 UserService.get_0
22-27 Function 1/3 UserService.get_1 [UserService.get_1] 22-24
28-31 Function 2/3 UserService.get_1
32-36 Function 3/3 UserService.get_1
",
    );
}

#[test]
fn closing_lines_of_a_split_class_belong_to_its_last_member() {
    let body = "    let value = compute(value, 12345);\n".repeat(4);
    let source = format!("impl Foo {{\n  fn a() {{\n{body}  }}\n\n  fn b() {{\n{body}  }}\n}}\n");
    check_with(
        &limits(60),
        "a.rs",
        &source,
        "\
1-1 ClassHeader Foo
2-7 Function Foo.a [Foo.a] 2-2
9-15 Function Foo.b [Foo.b] 9-9
",
    );
}

#[test]
fn nested_classes_are_split_too() {
    let body = "      int value = compute(value, 12345);\n".repeat(4);
    let method = |name| format!("    void {name}() {{\n{body}    }}\n");
    let source = format!(
        "class A {{\n  static class B {{\n{}{}  }}\n\n{}}}\n",
        method("a"),
        method("b"),
        method("c")
    );
    check_with(
        &limits(60),
        "A.java",
        &source,
        "\
1-1 ClassHeader A [A]
2-2 ClassHeader A.B [A.B]
3-8 Function A.B.a [A.B.a] 3-3
9-15 Function A.B.b [A.B.b] 9-9
17-23 Function A.c [A.c] 17-17
",
    );
}

// Shows: FR-016-45
#[test]
fn small_neighbors_are_merged_within_their_container() {
    let limits = ChunkLimits { max_chunk_tokens: 80, min_chunk_tokens: 30, ..limits(80) };
    let small = |name: &str| format!("def {name}():\n    return 1\n\n");
    let large = format!("def large():\n{}", "    value = compute(value, 12345)\n".repeat(6));
    let source = format!("import os\n\n{}{}{large}\n{}", small("a"), small("b"), small("c"));
    check_with(
        &limits,
        "a.py",
        &source,
        "\
1-7 Function a [a b] 3-3 6-6
9-18 Function large [large c] 9-9 17-17
",
    );
}

#[test]
fn merged_members_are_named_after_their_class() {
    let limits = ChunkLimits { max_chunk_tokens: 60, min_chunk_tokens: 30, ..limits(60) };
    check_with(
        &limits,
        "a.py",
        &python_class(5, 1),
        "\
1-9 ClassHeader UserService [UserService UserService.field UserService.get_0] 1-2 6-8
11-19 Function UserService [UserService.get_1 UserService.get_2]
21-29 Function UserService [UserService.get_3 UserService.get_4]
",
    );
}

// Shows: AC-040, FR-016-46
#[test]
fn oversized_function_is_split_between_statements() {
    let inner = "        step(one, two, three);\n".repeat(3);
    let block = format!("    if (ready) {{\n{inner}    }}\n");
    let source = format!("function f() {{\n{}}}\n", block.repeat(6));
    check_with(
        &limits(75),
        "a.js",
        &source,
        "\
1-11 Function 1/3 f [f] 1-1
12-21 Function 2/3 f
22-32 Function 3/3 f
",
    );
}

// Shows: AC-133
#[test]
fn line_that_is_too_long_is_a_chunk_of_its_own() {
    let long = "word ".repeat(100);
    let source = format!("a = 1\nb = \"{long}\"\nc = 2\n");
    check_with(
        &limits(50),
        "a.py",
        &source,
        "\
1-1 Code a [a]
2-2 LongLine b [b]
3-3 Code c [c]
",
    );
    check_with(
        &limits(50),
        "a.txt",
        &format!("a\n{long}\nb\n"),
        "\
1-1 Lines -
2-2 LongLine -
3-3 Lines -
",
    );
}

// Shows: AC-149, FR-016-42, FR-016-43
#[test]
fn line_and_token_strategies_ignore_structure() {
    let source = "def f():\n    return 1\n\n".repeat(4);
    let by_lines =
        ChunkLimits { strategy: ChunkStrategy::Lines, lines_per_chunk: 5, ..limits(2_000) };
    check_with(
        &by_lines,
        "a.py",
        &source,
        "\
1-5 Lines -
7-11 Lines -
",
    );
    let by_tokens = ChunkLimits { strategy: ChunkStrategy::Tokens, ..limits(20) };
    check_with(
        &by_tokens,
        "a.py",
        &source,
        "\
1-7 Lines -
8-11 Lines -
",
    );
}

/// Generates `count` lines of 6 tokens each.
fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("value {line:03} of many\n")).collect()
}

// Shows: FR-016-45
#[test]
fn small_rest_of_lines_is_merged_with_the_previous_chunk() {
    let small = ChunkLimits { min_chunk_tokens: 100, ..limits(2_000) };
    check_with(&small, "a.txt", &numbered(51), "1-51 Lines -");
    check_with(&small, "a.txt", &numbered(120), "1-50 Lines -\n51-100 Lines -\n101-120 Lines -");
    let short = ChunkLimits { lines_per_chunk: 10, ..small };
    check_with(&short, "a.txt", &numbered(45), "1-20 Lines -\n21-45 Lines -");
}

/// A rest that does not fit in the previous chunk takes lines from it.
// Shows: FR-016-44, FR-016-45
#[test]
fn small_rest_that_does_not_fit_is_balanced() {
    let full = ChunkLimits { max_chunk_tokens: 250, min_chunk_tokens: 100, ..limits(250) };
    let by_tokens = ChunkLimits { strategy: ChunkStrategy::Tokens, ..full.clone() };
    let long = format!("{}{}\n{}", numbered(44), "word ".repeat(400), numbered(3));
    for (limits, source) in [(&full, numbered(44)), (&by_tokens, numbered(46)), (&full, long)] {
        let chunks = chunk_checked("a.txt", &source, limits).chunks;
        let rest = chunks.iter().rposition(|chunk| chunk.kind == ChunkKind::LongLine);
        let before = &chunks[..rest.unwrap_or(chunks.len())];
        assert!(before.len() == 2 && before.iter().all(|chunk| chunk.tokens >= 100), "{chunks:?}");
        // Lines after a line that is too long have no neighbor to merge with.
        assert!(rest.is_none_or(|rest| chunks.len() == rest + 2), "{chunks:?}");
    }
}

/// Even if there is a better split point, the rest of a split function has more than a few lines.
// Shows: FR-016-45, FR-016-46
#[test]
fn rest_of_a_split_function_is_not_too_small() {
    let full = ChunkLimits { min_chunk_tokens: 60, ..limits(210) };
    for steps in 10..30 {
        let body = "            value = compute(value, 12345)\n".repeat(steps);
        let loops = format!("    for a in value:\n        if a:\n{body}");
        let source = format!("def f(value):\n{loops}\n    log(value, 12345)\n    return value\n");
        let chunks = chunk_checked("a.py", &source, &full).chunks;
        let small = chunks.iter().find(|chunk| chunk.tokens < 60);
        assert!(small.is_none(), "{steps}: {chunks:?}");
    }
}

#[test]
fn items_on_one_line_are_one_unit() {
    check_with(
        &limits(2_000),
        "a.js",
        "function a() {} function b() {\n}\nc()\n",
        "\
1-2 Function a [a b] 1-1
3-3 Code -
",
    );
}

// Shows: AC-045
#[test]
fn blank_texts_have_no_chunks() {
    for source in ["", "\n", "  \n\t\n\u{feff}\n"] {
        for path in ["a.rs", "a.md", "a.txt", "a.json"] {
            assert!(
                chunk_checked(path, source, &limits(100)).chunks.is_empty(),
                "{path} {source:?}"
            );
        }
    }
}

#[test]
fn carriage_returns_and_byte_order_marks_do_not_change_lines() {
    let source = "use a;\n\n/// Doc.\nfn f() {\n}\n";
    let expected = render(&chunk_checked("a.rs", source, &limits(2_000)));
    let windows = source.replace('\n', "\r\n");
    assert_eq!(render(&chunk_checked("a.rs", &windows, &limits(2_000))), expected);
    let marked = format!("\u{feff}{source}");
    assert_eq!(render(&chunk_checked("a.rs", &marked, &limits(2_000))), expected);
}

// Shows: FR-016-37, FR-016-44
#[test]
fn no_chunk_exceeds_the_limit() {
    let source = python_class(6, 9);
    for max in [1, 5, 17, 60, 200] {
        // Merging small neighbors must not exceed the limit either.
        for min_chunk_tokens in [0, max] {
            let limits = ChunkLimits { min_chunk_tokens, ..limits(max) };
            for chunk in chunk_checked("a.py", &source, &limits).chunks {
                assert!(chunk.tokens <= max || chunk.kind == ChunkKind::LongLine);
            }
        }
    }
}

// Shows: AC-149
#[test]
fn strategy_can_be_set_per_language() {
    let python = "def f():\n    return 1\n\n\ndef g():\n    return 2\n";
    let own = std::collections::BTreeMap::from([("python".to_owned(), ChunkStrategy::Lines)]);
    let mixed = ChunkLimits { languages: own, lines_per_chunk: 3, ..limits(2_000) };
    let kinds = |path: &str, source: &str| -> Vec<ChunkKind> {
        chunk_checked(path, source, &mixed).chunks.iter().map(|chunk| chunk.kind).collect()
    };
    assert_eq!(kinds("a.py", python), [ChunkKind::Lines, ChunkKind::Lines]);
    assert_eq!(kinds("a.rs", "fn f() {}\n"), [ChunkKind::Function]);
}

/// Comments in the way of documentation belong to the next item, however many blank lines there are.
#[test]
fn outlines_have_no_license() {
    let body = "  a();\n".repeat(12);
    let license = "/**\n * @license\n * Copyright someone.\n */\n";
    let source = format!("{license}\n/** Adds. */\nfunction add() {{\n{body}}}\n");
    check("a.js", &source, "1-4 Code -\n6-20 Function add [add] 6-7\n");
    let source = format!("{license}function add() {{\n{body}}}\n");
    check("a.js", &source, "1-18 Function add [add] 5-5\n");
    let source = format!("/** Adds. */\nfunction add() {{\n{body}}}\n");
    check("a.js", &source, "1-15 Function add [add] 1-2\n");
}

//! The Markdown format.

use super::request::{cut, file, lines, text, with};
use insta::assert_snapshot;
use kitbag_text::Source;

// Shows: AC-111 to AC-113, AC-115, FR-016-121 to FR-016-128, NFR-016-37, FMT-11 to FMT-13
#[test]
fn a_header_names_the_file_and_its_lines_and_the_fence_its_language() {
    let source = cut("src/Auth.cs", &lines("//", 4), &[(2, 4, 0.5)]);
    assert_snapshot!(text(vec![source]), @"
    ### src/Auth.cs (lines 2-4)
    ```csharp
    // 2
    // 3
    // 4
    ```
    ");
}

#[test]
fn a_single_line_is_labeled_line() {
    let source = cut("a.txt", &lines("line", 9), &[(7, 7, 0.5)]);
    assert!(text(vec![source]).starts_with("### a.txt (line 7)\n"));
}

// Shows: FR-016-131 to FR-016-134
#[test]
fn chunks_of_one_file_share_a_header_and_name_the_gap() {
    let source = cut("a.txt", &lines("line", 9), &[(8, 9, 0.9), (1, 2, 0.5), (4, 4, 0.1)]);
    assert_snapshot!(text(vec![source]), @"
    ### a.txt (lines 1-2, 4, 8-9)
    ```text
    line 1
    line 2
    ```
    ... line 3 not shown ...
    ```text
    line 4
    ```
    ... lines 5-7 not shown ...
    ```text
    line 8
    line 9
    ```
    ");
}

#[test]
fn blank_lines_between_two_chunks_are_shown() {
    let source = cut("a.txt", "one\n\n  \ntwo\n", &[(1, 1, 0.9), (4, 4, 0.5)]);
    assert_snapshot!(text(vec![source]), @"
    ### a.txt (lines 1-4)
    ```text
    one

      
    two
    ```
    ");
}

// Shows: AC-116, FR-016-129, FR-016-130, FMT-27
#[test]
fn files_are_ordered_by_their_best_chunk() {
    let a = cut("a.txt", "one\nzwei\ntwo\n", &[(1, 1, 0.1), (3, 3, 0.6)]);
    assert_snapshot!(text(vec![a, file("b.txt", "six\n", 0.9), file("c.txt", "ten\n", 0.3)]), @"
    ### b.txt (line 1)
    ```text
    six
    ```

    ### a.txt (lines 1, 3)
    ```text
    one
    ```
    ... line 2 not shown ...
    ```text
    two
    ```

    ### c.txt (line 1)
    ```text
    ten
    ```
    ");
}

// Shows: AC-117, FR-016-135, FR-016-136
#[test]
fn a_fence_is_longer_than_any_backticks_inside() {
    let source = file("a.md", "````rust\nfn a() {}\n````\n", 0.5);
    assert_snapshot!(text(vec![source]), @"
    ### a.md (lines 1-3)
    `````markdown
    ````rust
    fn a() {}
    ````
    `````
    ");
}

fn first_line(source: Source) -> String {
    text(vec![source]).lines().next().unwrap_or_default().to_owned()
}

/// The label is in the header; the lines are unchanged.
// Shows: AC-041
#[test]
fn a_part_of_an_item_is_labeled() {
    let source = cut("a.txt", &lines("line", 6), &[(1, 3, 0.5)]);
    let source = with(source, &[(Some((1, 2)), &[])]);
    assert_eq!(first_line(source), "### a.txt (lines 1-3 part 1 of 2)");
}

#[test]
fn an_item_with_all_its_parts_is_not_labeled() {
    let source = cut("a.txt", &lines("line", 6), &[(1, 3, 0.5), (4, 6, 0.4)]);
    let source = with(source, &[(Some((1, 2)), &[]), (Some((2, 2)), &[])]);
    assert_eq!(first_line(source), "### a.txt (lines 1-6)");
}

#[test]
fn parts_of_two_items_are_distinguished() {
    let cut = || cut("a.txt", &lines("line", 9), &[(1, 3, 0.5), (4, 6, 0.4), (7, 9, 0.3)]);
    let whole_then_part =
        with(cut(), &[(Some((1, 2)), &[]), (Some((2, 2)), &[]), (Some((1, 3)), &[])]);
    assert_eq!(first_line(whole_then_part), "### a.txt (lines 1-9 part 1 of 3)");
    let two_broken = with(cut(), &[(Some((1, 3)), &[]), (Some((2, 2)), &[]), (None, &[])]);
    assert_eq!(first_line(two_broken), "### a.txt (lines 1-9 part 1 of 3 part 2 of 2)");
}

#[test]
fn a_file_without_a_final_newline_still_closes_its_fence_on_a_new_line() {
    assert_eq!(text(vec![file("a.txt", "one", 0.5)]), "### a.txt (line 1)\n```text\none\n```\n");
}

#[test]
fn crlf_is_preserved() {
    let source = file("a.txt", "one\r\ntwo\r\n", 0.5);
    assert_eq!(text(vec![source]), "### a.txt (lines 1-2)\n```text\none\r\ntwo\r\n```\n");
}

/// Unsafe characters in a header are escaped reversibly.
// Shows: AC-119, THREAT-4
#[test]
fn a_hostile_path_stays_on_its_line() {
    let path = "a\n### b.rs (lines 1-2)\u{202e}\\c.txt";
    let header = first_line(file(path, "one\n", 0.5));
    assert_eq!(header, "### a\\u{a}### b.rs (lines 1-2)\\u{202e}\\\\c.txt (line 1)");
}

/// A header file with C++ content is split and fenced as C++.
#[test]
fn the_fence_follows_the_language_of_the_text() {
    let source = file("a.h", "namespace a {\nint f();\n}\n", 0.5);
    assert!(text(vec![source]).contains("```cpp\n"));
}

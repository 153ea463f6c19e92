//! Documents with headings.

use super::{check, check_with, limits};

// Shows: AC-042, FR-016-41
#[test]
fn markdown_headings_in_fences_and_comments_are_ignored() {
    let source = "\
---
title: x
---
Intro.

# Title

Words.

## Install

```sh
# not a heading
```

<!--
# nor this
-->

### From source

Words.

Setext
------

> # quoted

Words `code` end.
";
    check(
        "a.md",
        source,
        "\
1-4 Section -
6-8 Section Title [Title] 6-6
10-22 Section Install [Install From source] 10-10 20-20
24-29 Section Setext [Setext] 24-25
",
    );
}

// Shows: AC-042, FR-016-41
#[test]
fn large_section_is_split_into_intro_and_subsections() {
    let words = "word word word word word word word word\n".repeat(3);
    let source = format!("# A\n\n{words}\n## B\n\n{words}\n## C\n\n{words}\n# D\n\n{words}");
    check_with(
        &limits(40),
        "a.md",
        &source,
        "\
1-5 Section A [A] 1-1
7-11 Section B [B] 7-7
13-17 Section C [C] 13-13
19-23 Section D [D] 19-19
",
    );
}

#[test]
fn long_section_is_split_between_paragraphs() {
    let paragraph = "word word word word word word word word\nword word word\n\n";
    let source = format!("# A\n\n{}", paragraph.repeat(8));
    check_with(
        &limits(50),
        "a.md",
        &source,
        "\
1-10 Section 1/3 A [A] 1-1
12-16 Section 2/3 A
18-25 Section 3/3 A
",
    );
}

#[test]
fn underlined_headings() {
    let source = "\
=====
Title
=====

Words.

One
---

Words ---
and more.

Two
---

Deep
~~~~

x
";
    check(
        "a.rst",
        source,
        "\
1-5 Section Title [Title] 1-3
7-11 Section One [One] 7-8
13-19 Section Two [Two Deep] 13-14 16-17
",
    );
}

#[test]
fn prefixed_headings() {
    check(
        "a.adoc",
        "= Title\n\nx\n\n== One\n\n----\n== no\n----\n\n== Two\n\ny\n",
        "\
1-3 Section Title [Title] 1-1
5-9 Section One [One] 5-5
11-13 Section Two [Two] 11-11
",
    );
    check(
        "a.org",
        "* One\ntext\n** Deep\n* Two\n",
        "\
1-3 Section One [One Deep]
4-4 Section Two [Two]
",
    );
}

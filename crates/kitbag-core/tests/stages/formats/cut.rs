//! Truncated chunks are marked in every format, with exact costs.

use super::super::request::{COUNTING, file, lines, pack_with};
use super::super::select::with_overflow;
use super::plainly;
use insta::assert_snapshot;
use kitbag_core::{ChunkForm, Format, Formatting, Overflow, Packed, Settings, Template};
use kitbag_text::{Source, Text};
use std::sync::Arc;

const BUDGET: usize = 170;

fn cut(sources: Vec<Source>, formatting: Formatting) -> Packed {
    let settings = Settings { formatting, ..with_overflow(Overflow::Truncate) };
    pack_with(sources, BUDGET, &settings)
}

fn long() -> Vec<Source> {
    vec![file("long.txt", &lines("a line", 80), 0.5)]
}

/// Number of missing lines of the truncated chunk.
fn missing(packed: &Packed) -> u32 {
    let item = &packed.decision.included[0];
    assert_eq!(item.form, ChunkForm::Truncated);
    item.span.end - item.shown[0].end
}

/// The text up to its first line of content, and from its last.
fn ends(packed: &Packed) -> String {
    let middle = |line: &&str| !line.starts_with("a line") || line.ends_with(" 1");
    packed.text.lines().filter(middle).collect::<Vec<_>>().join("\n")
}

#[test]
fn markdown_and_plain_text_have_a_marker_after_a_truncated_chunk() {
    assert_snapshot!(ends(&cut(long(), plainly(Format::Markdown))), @"
    ### long.txt (lines 1-28)
    ```text
    a line 1
    ```
    ... 22 more lines not shown (truncated) ...
    ");
    let around = Formatting {
        header: Some("Above".into()),
        footer: Some("Below".into()),
        ..plainly(Format::Plain)
    };
    assert_snapshot!(ends(&cut(long(), around)), @"
    Above

    File: long.txt (lines 1-27)
    ----------------------------------------
    a line 1
    ... 23 more lines not shown (truncated) ...
    ----------------------------------------

    ----------------------------------------
    Below
    ");
    let detailed = Formatting { detailed: true, ..Formatting::default() };
    assert_snapshot!(ends(&cut(long(), detailed)), @"
    ### long.txt
    Lines 1-27
    Relevance: 50%

    ```text
    a line 1
    ```
    ... 23 more lines not shown (truncated) ...
    ");
}

#[test]
fn xml_json_and_templates_have_the_number_of_truncated_lines() {
    let xml = cut(long(), plainly(Format::Xml));
    let tag = format!("relevance=\"0.50\" truncated=\"{}\">", missing(&xml));
    assert!(xml.text.contains(&tag), "{}", xml.text);
    let json = cut(long(), plainly(Format::Json));
    let value: serde_json::Value = serde_json::from_str(&json.text).expect("it is JSON");
    assert_eq!(value["chunks"][0]["truncatedLines"], missing(&json));
    let source = "{% for c in chunks %}{{ c.content }}[{{ c.truncated }} more]\n{% endfor %}";
    let template = Some(Template { name: "t".into(), source: source.into() });
    let templated = cut(long(), Formatting { template, ..Formatting::default() });
    let marker = format!("[{} more]\n", missing(&templated));
    assert!(templated.text.ends_with(&marker), "{}", templated.text);
}

#[test]
fn whole_chunks_are_not_marked() {
    for format in Format::ALL {
        let packed = cut(vec![file("short.txt", &lines("a line", 9), 0.5)], plainly(format));
        assert_eq!(packed.decision.included[0].form, ChunkForm::Full);
        assert!(!packed.text.contains("truncated"), "{}", packed.text);
    }
}

#[test]
fn truncation_is_exact_and_uses_the_budget_in_every_format() {
    for format in Format::ALL {
        for group_by_file in [true, false] {
            let packed = cut(long(), Formatting { group_by_file, ..plainly(format) });
            let used = packed.decision.total_tokens;
            assert_eq!(COUNTING.count(&packed.text), used);
            assert!((BUDGET - 6..=BUDGET).contains(&used), "{format}: {used}");
            assert!(missing(&packed) > 0);
        }
    }
}

/// An expanded context has no line numbers of its own.
#[test]
fn an_expanded_context_is_truncated_by_its_own_lines() {
    let mut source = file("a.txt", "one\ntwo\n", 0.5);
    source.expanded_context = Some(Arc::new(Text::new(lines("a line", 80))));
    for format in Format::ALL {
        let packed = cut(vec![source.clone()], plainly(format));
        let item = &packed.decision.included[0];
        assert_eq!((item.form, item.shown[0]), (ChunkForm::Truncated, item.span));
        let shown = packed.text.matches("a line").count();
        assert!(packed.text.contains(&(80 - shown).to_string()), "{}", packed.text);
        assert_eq!(COUNTING.count(&packed.text), packed.decision.total_tokens);
    }
}

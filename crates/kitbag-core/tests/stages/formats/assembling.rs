//! Assembly of a pack in each format: contents, order, header and footer.

use super::super::request::{COUNTING, cut, file, lines, outcome, pack_with, pack_within};
use super::{plainly, settings, text};
use insta::assert_snapshot;
use kitbag_core::{
    Format, Formatting, Overflow, PackError, SelectionSettings, Settings, SettingsError,
};
use kitbag_text::Source;

fn two_files() -> Vec<Source> {
    let a = cut("a.txt", &lines("a", 9), &[(7, 8, 0.9), (1, 2, 0.4)]);
    vec![a, file("b.txt", "b\n", 0.6)]
}

// Shows: AssembleAsync_EmptyChunks_ReturnsEmpty
#[test]
fn without_chunks_the_text_has_only_header_and_footer() {
    let empty = |format| text(Vec::new(), plainly(format));
    assert_eq!((empty(Format::Markdown).as_str(), empty(Format::Plain).as_str()), ("", ""));
    assert_eq!(empty(Format::Json), "{\"chunks\": []}\n");
    assert_eq!(empty(Format::Xml), "<context>\n</context>\n");
    let around = Formatting {
        header: Some("Above".into()),
        footer: Some("Below".into()),
        ..Formatting::default()
    };
    assert_eq!(text(Vec::new(), around), "Above\n\nBelow\n");
}

// Shows: AssembleAsync_WithGroupByFile_GroupsCorrectly, FMT-26
#[test]
fn chunks_of_a_file_are_adjacent_only_when_grouped() {
    let order = |group_by_file| {
        let formatting = Formatting { group_by_file, ..plainly(Format::Json) };
        let text = text(two_files(), formatting);
        let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let chunks = value["chunks"].as_array().expect("a list").iter();
        let name = |c: &serde_json::Value| format!("{} {}", c["file"], c["startLine"]);
        chunks.map(name).collect::<Vec<_>>().join("; ").replace('"', "")
    };
    assert_eq!(order(true), "a.txt 1; a.txt 7; b.txt 1");
    assert_eq!(order(false), "a.txt 7; b.txt 1; a.txt 1");
}

#[test]
fn ungrouped_chunks_have_a_header_each() {
    let formatting = Formatting { group_by_file: false, ..Formatting::default() };
    assert_snapshot!(text(two_files(), formatting), @r"
    ### a.txt (lines 7-8)
    ```text
    a 7
    a 8
    ```

    ### b.txt (line 1)
    ```text
    b
    ```

    ### a.txt (lines 1-2)
    ```text
    a 1
    a 2
    ```
    ");
}

// Shows: AssembleAsync_WithMaxTokens_TruncatesAppropriately, AssembleAsync_TracksChunksTruncated,
// AssembleAsync_TracksChunksIncluded
#[test]
fn every_format_uses_the_budget_and_stays_within_it() {
    for format in Format::ALL {
        let formatting = settings(plainly(format));
        let all = pack_with(two_files(), 100_000, &formatting).decision.total_tokens;
        let exact = pack_with(two_files(), all, &formatting);
        assert_eq!((exact.decision.included.len(), exact.decision.total_tokens), (3, all));
        assert_eq!(COUNTING.count(&exact.text), all, "{format}");
        let less = pack_with(two_files(), all - 1, &formatting);
        assert_eq!(less.decision.included.len(), 2, "{format}");
        assert_eq!(less.decision.excluded[0].reason.as_str(), "budget");
    }
}

// Shows: AssembleAsync_WithMaxChunks_LimitsCount, FMT-29
#[test]
fn the_maximum_number_of_chunks_is_not_exceeded() {
    let formatting = Formatting { max_chunks: Some(2), ..Formatting::default() };
    let packed = pack_with(two_files(), 100_000, &settings(formatting));
    assert_snapshot!(outcome(&packed.decision), @"
    in  a.txt full 7-8
    in  b.txt full 1-1
    out a.txt 1-2 max_chunks: the pack already has 2 chunks
    ");
}

#[test]
fn a_maximum_of_zero_chunks_is_an_error() {
    let formatting = Formatting { max_chunks: Some(0), ..Formatting::default() };
    let settings = settings(formatting);
    assert_eq!(settings.check(), Err(SettingsError::NoChunks));
    let error = PackError::Settings(SettingsError::NoChunks).to_string();
    assert_eq!(error, "`max_chunks` must be at least 1, not 0");
}

fn around(format: Format) -> Formatting {
    Formatting {
        header: Some("Above <it>".into()),
        footer: Some("Below \"it\"\n".into()),
        ..plainly(format)
    }
}

// Shows: AssembleAsync_WithHeader_PrependsHeader, AssembleAsync_WithFooter_AppendsFooter, FMT-30
#[test]
fn every_format_has_header_and_footer() {
    let source = || vec![file("b.txt", "b\n", 0.6)];
    assert_eq!(
        text(source(), around(Format::Markdown)),
        "Above <it>\n\n### b.txt (line 1)\n```text\nb\n```\n\nBelow \"it\"\n"
    );
    assert_eq!(
        text(source(), around(Format::Xml)),
        "<context>\n<header>Above &lt;it></header>\n<code-context file=\"b.txt\" lines=\"1-1\" \
         language=\"text\" relevance=\"0.60\">\nb\n</code-context>\n<footer>Below \"it\"</footer>\n\
         </context>\n"
    );
    assert_eq!(
        text(source(), around(Format::Json)),
        "{\"header\": \"Above <it>\",\n\"chunks\": [\n{\"file\": \"b.txt\", \"startLine\": 1, \
         \"endLine\": 1, \"language\": \"text\", \"relevance\": 0.60, \"content\": \"b\\n\"}\n],\n\
         \"footer\": \"Below \\\"it\\\"\"}\n"
    );
    let boundary = "-".repeat(40);
    assert_eq!(
        text(source(), around(Format::Plain)),
        format!("Above <it>\n\nFile: b.txt (line 1)\n{boundary}\nb\n\n{boundary}\nBelow \"it\"\n")
    );
}

/// Header and footer count toward the budget.
#[test]
fn the_text_is_empty_if_header_and_footer_do_not_fit() {
    for format in Format::ALL {
        let settings = settings(around(format));
        let frame = pack_with(Vec::new(), 1_000, &settings).decision.total_tokens;
        assert!(frame > 1, "{format}");
        let fits = pack_with(two_files(), frame, &settings);
        assert_eq!((fits.decision.included.len(), fits.decision.total_tokens), (0, frame));
        let packed = pack_with(two_files(), frame - 1, &settings);
        assert_eq!((packed.text.as_str(), packed.decision.total_tokens), ("", 0), "{format}");
        assert_eq!(packed.decision.excluded.len(), 3);
    }
}

#[test]
fn the_default_is_markdown_without_header_and_footer() {
    let formatting = Formatting::default();
    assert_eq!(formatting.name(), "markdown");
    let text = text(two_files(), formatting);
    assert_eq!(text, pack_within(two_files(), 100_000).text);
    assert!(text.starts_with("### a.txt (lines 1-2, 7-8)\n```text\na 1\n"), "{text}");
}

#[test]
fn a_separator_is_on_its_own_line_between_files() {
    for (format, expected) in
        [(Format::Markdown, "```\n---\n### b"), (Format::Plain, "a 8\n---\nFile: b")]
    {
        let formatting = Formatting { separator: Some("---".into()), ..plainly(format) };
        let text = text(two_files(), formatting);
        assert!(text.contains(expected), "{text}");
    }
}

/// With chunks of common sizes at least 98 % of 8,000 tokens are used.
#[test]
fn every_format_fills_its_budget() {
    let body = |n: u32| {
        format!(
            "fn f{n}(a: &str) -> Option<u32> {{\n    let b = \"{n} < \\\"x\\\"\";\n    Some({n})\n}}\n"
        )
    };
    let content: String = (0..900).map(body).collect();
    let pieces: Vec<(u32, u32, f64)> =
        (0..900).map(|n| (n * 4 + 1, n * 4 + 4, 1.0 - f64::from(n * 7 % 900) / 1_000.0)).collect();
    for format in Format::ALL {
        let formatting = Formatting { header: Some("Above".into()), ..plainly(format) };
        let selection =
            SelectionSettings { overflow: Overflow::Skip, ..SelectionSettings::default() };
        let settings = Settings { selection, formatting, ..Settings::default() };
        let packed = pack_with(vec![cut("a.rs", &content, &pieces)], 8_000, &settings);
        let used = packed.decision.total_tokens;
        assert!((7_840..=8_000).contains(&used), "{format}: {used}");
        assert_eq!(COUNTING.count(&packed.text), used);
    }
}

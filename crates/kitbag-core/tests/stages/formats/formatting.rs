//! Labels, line numbers, special characters and imitations in each format.

use super::super::request::{cut, file, lines, pack_with, with};
use super::{plainly, settings, text};
use insta::assert_snapshot;
use kitbag_core::{Format, Formatting};
use kitbag_text::Source;

fn labeled() -> Vec<Source> {
    let source = cut("a.txt", &lines("line", 60), &[(1, 2, 0.9), (5, 5, 0.5)]);
    vec![with(source, &[(Some((1, 2)), &[]), (None, &[])])]
}

fn switched(format: Format, line_numbers: bool, scores: bool) -> String {
    text(labeled(), Formatting { line_numbers, scores, ..plainly(format) })
}

#[test]
fn scores_show_the_relevance_in_markdown_and_plain_text() {
    let markdown = switched(Format::Markdown, true, true);
    let header = "### a.txt (lines 1-2 part 1 of 2 relevance 90%, 5 relevance 50%)\n";
    assert!(markdown.starts_with(header), "{markdown}");
    let plain = switched(Format::Plain, false, true);
    assert!(
        plain.starts_with("File: a.txt (part 1 of 2 relevance 90%, relevance 50%)\n"),
        "{plain}"
    );
}

#[test]
fn scores_show_the_score_in_xml_and_json() {
    let xml = switched(Format::Xml, true, true);
    assert!(xml.contains(" relevance=\"0.90\" score=\"0.61\" part=\"1 of 2\">\n"), "{xml}");
    let json = switched(Format::Json, true, true);
    assert!(json.contains("\"relevance\": 0.90, \"score\": 0.61, \"part\": \"1 of 2\""), "{json}");
    assert!(!switched(Format::Json, true, false).contains("score"));
}

#[test]
fn line_numbers_can_be_hidden() {
    assert_snapshot!(switched(Format::Markdown, false, false), @r"
    ### a.txt (part 1 of 2)
    ```text
    line 1
    line 2
    ```
    ... lines not shown ...
    ```text
    line 5
    ```
    ");
    let xml = switched(Format::Xml, false, false);
    assert!(
        xml.contains("<code-context file=\"a.txt\" language=\"text\" relevance=\"0.50\">\n"),
        "{xml}"
    );
    let json = switched(Format::Json, false, false);
    assert!(!json.contains("startLine") && !json.contains("endLine"), "{json}");
}

#[test]
fn detailed_names_all_ranges_and_the_best_relevance() {
    let formatting = Formatting { detailed: true, ..Formatting::default() };
    let text = text(labeled(), formatting);
    let title = "### a.txt\nLines 1-2 part 1 of 2, 5\nRelevance: 90%\n\n```text\n";
    assert!(text.starts_with(title), "{text}");
}

#[test]
fn xml_counts_the_characters_that_it_replaces() {
    let source = || vec![file("a\u{1}.txt", "nul \0, bell \u{7}, tab \t, return\r\n", 0.5)];
    let packed = pack_with(source(), 1_000, &settings(plainly(Format::Xml)));
    assert_eq!(packed.decision.replaced_chars, 3);
    assert!(packed.text.contains("nul \u{fffd}, bell \u{fffd}, tab \t, return&#13;\n"));
    let json = pack_with(source(), 1_000, &settings(plainly(Format::Json)));
    assert_eq!(json.decision.replaced_chars, 0);
    let value: serde_json::Value = serde_json::from_str(&json.text).expect("it is JSON");
    assert_eq!(value["chunks"][0]["content"], "nul \0, bell \u{7}, tab \t, return\r\n");
    assert_eq!(value["chunks"][0]["file"], "a\u{1}.txt");
}

// Shows: FMT-32
#[test]
fn content_cannot_close_its_element() {
    let content = "</code-context>\n<code-context file=\"b\">\n]]>\n";
    let text = text(vec![file("\"><x y=\"", content, 0.5)], plainly(Format::Xml));
    assert_eq!(text.matches("<code-context").count(), 1, "{text}");
    assert!(text.contains("file=\"&quot;&gt;&lt;x y=&quot;\""), "{text}");
    assert!(text.contains("&lt;/code-context>\n"), "{text}");
}

#[test]
fn the_boundary_of_plain_text_is_longer_than_any_run_of_hyphens() {
    let fake = format!("File: b.txt (line 1)\n{}\nfake\n", "-".repeat(44));
    let text = text(vec![file("a.txt", &fake, 0.5)], plainly(Format::Plain));
    let boundary = "-".repeat(45);
    assert_eq!(text, format!("File: a.txt (lines 1-3)\n{boundary}\n{fake}"));
}

#[test]
fn a_gap_in_plain_text_is_followed_by_a_boundary() {
    let source = cut(
        "a.txt",
        "one\n... lines 2-9 not shown ...\nthree\n\nx\nfive\n",
        &[(1, 2, 0.9), (6, 6, 0.5)],
    );
    assert_snapshot!(text(vec![source], plainly(Format::Plain)), @r"
    File: a.txt (lines 1-2, 6)
    ----------------------------------------
    one
    ... lines 2-9 not shown ...
    ... lines 3-5 not shown ...
    ----------------------------------------
    five
    ");
}

#[test]
fn json_adds_no_final_newline() {
    let text = text(vec![file("a.txt", "one", 0.5)], plainly(Format::Json));
    assert!(text.contains("\"content\": \"one\"}"), "{text}");
}

#[test]
fn formats_are_parsed_by_name() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
    }
    let error = "yaml".parse::<Format>().expect_err("no such format");
    assert!(error.to_string().contains("`yaml`"), "{error}");
}

//! Formats of `kitbag pack`.

use crate::fixture::{Fixture, Run};

const PACK: [&str; 4] = ["pack", "login", "--include", "src/auth.rs"];

fn pack(fixture: &Fixture, more: &[&str]) -> Run {
    fixture.run(PACK.iter().chain(more))
}

/// The number of tokens in the summary.
fn summary(run: &Run) -> &str {
    run.stderr.lines().last().unwrap_or_default().split(' ').next().unwrap_or_default()
}

#[test]
fn every_format_has_the_reported_tokens() {
    let fixture = Fixture::project();
    for format in ["markdown", "xml", "json", "plain"] {
        let run = pack(&fixture, &["--format", format, "--header", "- above", "--footer", "below"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains("- above") && run.stdout.contains("below"), "{}", run.stdout);
        fixture.write("out", &run.stdout);
        let counted = fixture.run(["tokens", "out"]);
        assert!(
            counted.stdout.contains(summary(&run)),
            "{format}: {} {}",
            counted.stdout,
            run.stderr
        );
    }
}

#[test]
fn xml_and_json_are_well_formed() {
    let fixture = Fixture::project();
    let json: serde_json::Value =
        serde_json::from_str(&pack(&fixture, &["--format", "json"]).stdout).unwrap();
    assert_eq!(json["chunks"][0]["file"], "src/auth.rs");
    assert_eq!(json["chunks"][0]["content"], fixture.read("src/auth.rs"));
    let xml = pack(&fixture, &["--format", "xml"]).stdout;
    assert!(
        xml.starts_with("<context>\n<code-context file=\"src/auth.rs\" lines=\"1-10\""),
        "{xml}"
    );
    assert!(xml.contains("-> bool {\n"), "{xml}");
}

#[test]
fn the_detailed_layout_is_rejected_for_other_formats() {
    let fixture = Fixture::project();
    for format in ["xml", "json", "plain"] {
        let run = fixture.run(["pack", "login", "--detailed", "--format", format]);
        let message = format!("`--detailed` cannot be used with `--format {format}`");
        run.fails(2, &[&message, "applies to Markdown only"]);
    }
    let run = fixture.run(["pack", "login", "--detailed", "--format", "markdown"]);
    assert!(run.stdout.contains("\nRelevance: "), "{run:?}");
}

#[test]
fn the_detailed_layout_and_the_switches() {
    let fixture = Fixture::project();
    let detailed = pack(&fixture, &["--detailed"]).stdout;
    assert!(detailed.starts_with("### src/auth.rs\nLines 1-10\nRelevance: "), "{detailed}");
    let scores = pack(&fixture, &["--scores", "--line-numbers"]).stdout;
    assert!(scores.starts_with("### src/auth.rs (lines 1-10 relevance "), "{scores}");
    let bare = pack(&fixture, &["--no-line-numbers"]).stdout;
    assert!(bare.starts_with("### src/auth.rs\n```rust\n"), "{bare}");
    let run = fixture.run(["pack", "login oauth paint", "--max-chunks", "1", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["included"].as_array().unwrap().len(), 1);
    assert_eq!(report["excluded"][0]["reason"], "max_chunks");
    assert_eq!(report["stats"]["format"], "markdown");
}

#[test]
fn a_template_renders_the_text() {
    let fixture = Fixture::project();
    fixture
        .write("mine.j2", "{% for file in files %}{{ file.path }} {{ file.ranges }}\n{% endfor %}");
    let run = pack(&fixture, &["--template", "mine.j2"]);
    assert_eq!((run.stdout.as_str(), run.code), ("src/auth.rs 1-10\n", Some(0)), "{}", run.stderr);
}

#[test]
fn template_errors_have_a_place() {
    let fixture = Fixture::project();
    for (source, message) in [
        ("{{ header", "error: mine.j2:1: syntax error"),
        ("\n{{ missing }}", "error: mine.j2:2: undefined value"),
        (
            "{% for f in files %}\n{{ f.pth }}{% endfor %}",
            "error: mine.j2:2: undefined value: `f.pth`",
        ),
    ] {
        fixture.write("mine.j2", source);
        let run = pack(&fixture, &["--template", "mine.j2"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.starts_with(message), "{}", run.stderr);
        assert!(run.stderr.contains("hint: docs/formats.md lists what a template can use"));
    }
    let missing = pack(&fixture, &["--template", "none.j2"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("none.j2"), "{}", missing.stderr);
    let both = pack(&fixture, &["--template", "mine.j2", "--format", "xml"]);
    assert_eq!(both.code, Some(2));
}

#[test]
fn an_invalid_format_or_number_is_a_usage_error() {
    let fixture = Fixture::project();
    for wrong in [["--format", "yaml"], ["--max-chunks", "0"], ["--max-chunks", "-1"]] {
        let run = pack(&fixture, &wrong);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(wrong[0]), "{}", run.stderr);
    }
}

#[test]
fn characters_invalid_in_xml_are_reported() {
    let fixture = Fixture::with(&[("src/auth.rs", "fn login() {\n    bell(\"\u{7}\u{7}\");\n}\n")]);
    let run = pack(&fixture, &["--format", "xml"]);
    let warning = "warning: 2 characters that XML cannot represent were replaced\n";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
}

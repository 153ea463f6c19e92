//! User templates.

use super::super::request::{COUNTING, cut, file, lines, pack_with, try_pack};
use super::settings;
use insta::assert_snapshot;
use kitbag_core::{Cancel, Formatting, Packed, Template};
use kitbag_text::Source;

fn template(source: &str) -> Formatting {
    let template = Template { name: "mine.j2".into(), source: source.into() };
    Formatting { template: Some(template), header: Some("Above".into()), ..Formatting::default() }
}

fn sources() -> Vec<Source> {
    vec![
        cut("a.txt", &lines("a", 9), &[(7, 8, 0.9), (1, 2, 0.4)]),
        file("b.rs", "fn b() {}\n", 0.6),
    ]
}

fn packed(source: &str, budget: usize) -> Packed {
    pack_with(sources(), budget, &settings(template(source)))
}

fn error(source: &str) -> String {
    let settings = settings(template(source));
    let failed = try_pack(sources(), 1_000, &settings, &Cancel::default());
    failed.expect_err("an invalid template").to_string()
}

// Shows: FR-016-139
#[test]
fn a_template_sees_files_and_their_runs() {
    let source = "\
{{ header }} for {{ task }}
{% for file in files %}
* {{ file.path }} ({{ file.language }}) {{ file.ranges }} {{ file.relevance }}
{% for run in file.runs %}
  {{ run.start_line }} to {{ run.end_line }}, {{ run.relevance }}
{{ run.fence }}{{ run.language }}
{{ run.content }}{{ run.fence }}
{% endfor %}
{% endfor %}
{{ chunks | length }} chunks, {{ variables.TotalTokens }} tokens of {{ budget }}{{ footer }}
";
    assert_snapshot!(packed(source, 1_000).text, @r"
    Above for why does login fail?
    * a.txt (text) 1-2, 7-8 0.9
      1 to 2, 0.4
    ```text
    a 1
    a 2
    ```
      7 to 8, 0.9
    ```text
    a 7
    a 8
    ```
    * b.rs (rust) 1-1 0.6
      1 to 1, 0.6
    ```rust
    fn b() {}
    ```
    3 chunks, 20 tokens of 1000
    ");
}

#[test]
fn a_rendered_template_is_counted_exactly() {
    let source = "{% for c in chunks %}{{ c.path | upper }} {{ c.content | trim }};{% endfor %}";
    let all = packed(source, 1_000);
    assert_eq!(
        (all.decision.included.len(), COUNTING.count(&all.text)),
        (3, all.decision.total_tokens)
    );
    let total = all.decision.total_tokens;
    assert_eq!(packed(source, total).text, all.text);
    let less = packed(source, total - 1);
    assert!(less.decision.included.len() == 2 && less.decision.total_tokens < total);
}

#[test]
fn a_template_need_not_show_contents() {
    let text = packed("{% for file in files %}{{ file.path }}\n{% endfor %}", 1_000).text;
    assert_eq!(text, "a.txt\nb.rs\n");
}

#[test]
fn a_template_that_does_not_fit_gives_an_empty_text() {
    let packed = packed(&"many words in it ".repeat(20), 10);
    assert_eq!((packed.text.as_str(), packed.decision.total_tokens), ("", 0));
    assert_eq!(packed.decision.excluded.len(), 3);
}

#[test]
fn variables_of_the_request_are_available() {
    let mut formatting = template("{{ variables.DocumentName }} {{ DocumentName }}\n");
    formatting.variables.insert("DocumentName".into(), "a.md".into());
    let text = pack_with(sources(), 1_000, &settings(formatting)).text;
    assert_eq!(text, "a.md a.md\n");
}

#[test]
fn errors_name_their_location() {
    let cases = [
        (
            "{% for f in files %}\n{{ f.path",
            "2: syntax error: unexpected end of input, expected end of variable block, at `path`",
        ),
        (
            "one\n{{ nothing.at.all }}\n",
            "2: undefined value: `nothing` is undefined, at `nothing.at` (in a pack without \
             files, which a template must handle)",
        ),
        (
            "{% for f in files %}\n{{ f.pth }}{% endfor %}",
            "2: undefined value: `f.pth` is undefined, at `f.pth`",
        ),
        ("{{ header | shout }}", "1: unknown filter: filter shout is unknown, at `shout`"),
        (
            "{% include 'other' %}",
            "1: template not found: tried to include non-existing template 'other', at `include \
             'other'`",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(error(source), format!("mine.j2:{expected}"));
    }
    let large = format!("one\n{{{{\n1{} }}}}", " + 1".repeat(1_999));
    assert_eq!(error(&large), "mine.j2:2: a tag is larger than 4000 bytes");
}

/// The first rendering is always empty, so the error says that there are no files.
#[test]
fn an_error_in_an_empty_pack_says_so() {
    let empty = " (in a pack without files, which a template must handle)";
    let cases = [
        ("{{ files[0].path }}", "undefined value: `files[0]` is undefined, at `[0].path`"),
        (
            "{{ 1 // (files | length) }}",
            "invalid operation: unable to calculate 1 // 0, at `1 // (files | length)`",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(error(source), format!("mine.j2:1: {expected}{empty}"));
    }
    let guarded = "{% if files %}{{ files[0].path }}{% endif %}";
    assert_eq!(packed(guarded, 1_000).text, "a.txt");
}

#[test]
fn an_endless_template_is_stopped() {
    let forever = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}\
                   {% endfor %}{% endfor %}{% endfor %}";
    let error = error(forever);
    assert!(error.starts_with("mine.j2:1: the template takes too many steps"), "{error}");
}

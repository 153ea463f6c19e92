//! The examples in `docs/formats.md` are the actual output of the formats.
//!
//! `UPDATE_DOCS=1 cargo nextest run -p kitbag-core docs` updates them.

use super::super::request::{cut, pack_with, with};
use super::settings;
use kitbag_core::{ChunkForm, Format, Formatting, Overflow, Template};
use kitbag_text::Source;
use std::path::PathBuf;

const SESSION: &str = "\
use std::time::Duration;

/// How long a session lives.
const LIFE: Duration = Duration::from_secs(3600);

fn unrelated() {}

/// Whether a token is still good.
fn is_fresh(age: Duration) -> bool {
    age < LIFE
}
";

const BUDGET: usize = 400;

/// Two chunks with a gap between them, an outline, and a part of an item.
fn sources() -> Vec<Source> {
    let session = cut("src/session.rs", SESSION, &[(8, 11, 0.95), (1, 4, 0.6)]);
    let body: String = (1..=90).map(|n| format!("    step({n}, \"renew\");\n")).collect();
    let renew =
        format!("/// Renews a session.\npub fn renew(session: &mut Session) {{\n{body}}}\n");
    let renew = with(cut("src/renew.rs", &renew, &[(1, 93, 0.8)]), &[(None, &[(1, 2)])]);
    let table = "\"2026\" => 1 & 2,\n\"2027\" => 3,\n\"2028\" => 4,\n";
    let table = with(cut("src/table.rs", table, &[(1, 2, 0.4)]), &[(Some((1, 2)), &[])]);
    vec![session, renew, table]
}

/// A budget that truncates even the best chunk in every format.
const SMALL_BUDGET: usize = 100;

/// A truncated chunk.
fn cut_example(formatting: Formatting) -> String {
    let mut settings = settings(formatting);
    settings.selection.overflow = Overflow::Truncate;
    settings.selection.min_chunks = 1;
    let packed = pack_with(vec![sources().remove(1)], SMALL_BUDGET, &settings);
    let forms: Vec<ChunkForm> = packed.decision.included.iter().map(|item| item.form).collect();
    assert_eq!(forms, [ChunkForm::Truncated]);
    packed.text
}

fn around(formatting: Formatting) -> Formatting {
    Formatting {
        header: Some("Why are users logged out?".into()),
        footer: Some("End of the context.".into()),
        ..formatting
    }
}

const TEMPLATE: &str = "\
{{ header }}
{% for file in files %}
{% for run in file.runs %}
[{{ file.path }}:{{ run.lines }}{% if run.outline %} (outline){% endif %}]
{{ run.content }}{% if run.truncated %}
[{{ run.truncated }} lines more]
{% endif %}
{% endfor %}
{% endfor %}
{{ FragmentCount }} fragments, {{ TotalTokens }} tokens of at most {{ budget }}.
";

/// The example with a given name on the page.
fn example(name: &str) -> Option<(&'static str, String)> {
    let (name, is_cut) = name.strip_suffix(", cut").map_or((name, false), |name| (name, true));
    let format = |format| Formatting { format, ..Formatting::default() };
    let (language, formatting) = match name {
        "markdown" => ("markdown", format(Format::Markdown)),
        "detailed" => ("markdown", Formatting { detailed: true, ..Formatting::default() }),
        "xml" => ("xml", format(Format::Xml)),
        "json" => ("json", format(Format::Json)),
        "plain" => ("text", format(Format::Plain)),
        "template" => return Some(("jinja", TEMPLATE.to_owned())),
        "templated" => {
            let template = Template { name: "mine.j2".into(), source: TEMPLATE.into() };
            ("text", Formatting { template: Some(template), ..Formatting::default() })
        }
        _ => return None,
    };
    if is_cut {
        return Some((language, cut_example(formatting)));
    }
    let packed = pack_with(sources(), BUDGET, &settings(around(formatting)));
    assert!(packed.decision.included.len() == 4, "an example shows everything: {name}");
    Some((language, packed.text))
}

/// The page with updated examples.
fn rewritten(page: &str) -> String {
    let mut lines = page.lines();
    let mut new = String::new();
    while let Some(line) = lines.next() {
        new.push_str(line);
        new.push('\n');
        let name = line.strip_prefix("<!-- example: ").and_then(|it| it.strip_suffix(" -->"));
        let Some(name) = name else { continue };
        let (language, text) = example(name).unwrap_or_else(|| panic!("no example `{name}`"));
        new.push_str(&format!("`````{language}\n{text}`````\n<!-- end -->\n"));
        lines.by_ref().find(|line| *line == "<!-- end -->").expect("an example ends");
    }
    new
}

// Shows: NFR-016-53
#[test]
fn examples_in_the_docs_are_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let expected = rewritten(&page);
    let formats = ["markdown", "detailed", "xml", "json", "plain", "templated"];
    let cut = formats.map(|name| format!("{name}, cut"));
    for name in formats.into_iter().chain(["template"]).chain(cut.iter().map(String::as_str)) {
        assert!(expected.contains(&format!("<!-- example: {name} -->")), "{name} is not shown");
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).expect("the page can be written");
    }
    let page = std::fs::read_to_string(&path).expect("the page is there");
    assert!(page == expected, "docs/formats.md is out of date: run this with UPDATE_DOCS=1");
}

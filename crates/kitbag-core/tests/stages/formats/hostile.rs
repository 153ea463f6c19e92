//! Limits on the size, the steps and the output of templates.

use super::super::request::{file, try_pack};
use super::settings;
use kitbag_core::{Cancel, Formatting, PackError, Template};

fn pack(source: &str) -> Result<String, PackError> {
    let template = Template { name: "mine.j2".into(), source: source.into() };
    let formatting = Formatting { template: Some(template), ..Formatting::default() };
    let sources = vec![file("a.txt", "one\ntwo\n", 0.9)];
    try_pack(sources, 100_000, &settings(formatting), &Cancel::default()).map(|packed| packed.text)
}

fn refusal(source: &str) -> String {
    pack(source).expect_err("the template must be refused").to_string()
}

#[test]
fn a_template_that_exceeds_a_limit_is_refused() {
    let cases = [
        (
            "{% for i in range(9999) %}{{ 'a' * 9999 }}{% endfor %}".into(),
            "the text is larger than 64 MB",
        ),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".into(), "recursion limit"),
        ("{{ task * 90000000 }}".into(), "invalid operation"),
        (format!("{{{{ 1{} }}}}", " + 1".repeat(9_999)), "a tag is larger than 4000 bytes"),
        (format!("{{{{ {}1{} }}}}", "(".repeat(900), ")".repeat(900)), "recursion"),
        ("x".repeat(2 << 20), "larger than 1024 kB"),
    ];
    for (source, expected) in cases {
        let error = refusal(&source);
        assert!(error.contains(expected), "{error}, not {expected}");
    }
}

#[test]
fn the_largest_tag_is_compiled_without_overflowing_the_stack() {
    let source = format!("{{{{1{}}}}}", "+1".repeat(1_990));
    assert_eq!(pack(&source).expect("it is small enough"), "1991");
}

#[test]
fn ordinary_templates_are_unaffected_by_the_limits() {
    let cases = [
        ("{{ '-' * 40 }}", "-".repeat(40)),
        (
            "{% set n = namespace(total=0) %}{% for c in chunks %}{% set n.total = n.total + \
             c.end_line %}{% endfor %}{{ n.total }}",
            "2".into(),
        ),
        ("{% macro m(x, y='!') %}<{{ x }}{{ y }}>{% endmacro %}{{ m(task[:3]) }}", "<why!>".into()),
        ("{{ files | map(attribute='path') | join(', ') }}", "a.txt".into()),
        (
            "{% for c in chunks %}{{ c.content | trim | upper | indent(2) }}{% endfor %}",
            "ONE\n  TWO".into(),
        ),
        (
            "{{ nothing | default('none') }} {{ 'x' if nothing is defined else 'y' }}",
            "none y".into(),
        ),
        ("{% for x in range(3) if x != 1 %}{{ x }}{% else %}no{% endfor %}", "02".into()),
        ("{% for x in [] %}{{ x }}{% else %}no{% endfor %}", "no".into()),
        ("{% for k, v in {'a': 1, 'b': 2} | items %}{{ k }}{{ v }}{% endfor %}", "a1b2".into()),
        (
            "{% for a in [[1, [2]]] recursive %}{{ loop(a) if a is iterable else a }}{% endfor %}",
            "12".into(),
        ),
        ("{% block b %}{{ 1 + 2 * 3 }}{% endblock %}", "7".into()),
        (
            "{% set x, y = 1, 'b' %}{{ x ~ y }}{% set z %}[{{ x }}]{% endset %}{{ z }}",
            "1b[1]".into(),
        ),
        (
            "{% macro m() %}<{{ caller('a') }}>{% endmacro %}{% call(x) m() %}{{ x }}!{% endcall %}",
            "<a!>".into(),
        ),
        (
            "{{ '%s-%05.1f' | format('a', 2) }} {{ [3, 1] | sort | tojson }}",
            "a-002.0 [1, 3]".into(),
        ),
        ("{% with a = 1 %}{{ a and 'x' or 'y' }}{{ not a }}{% endwith %}", "xFalse".into()),
    ];
    for (source, expected) in cases {
        assert_eq!(pack(source).expect(source), expected, "{source}");
    }
}

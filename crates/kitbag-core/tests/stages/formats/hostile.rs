//! Templates that would exhaust memory, time or the stack.

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

/// Each would take gigabytes within a few steps.
#[test]
fn exponential_growth_is_refused() {
    let doubled = |operation: &str| format!("{{% set x = 'ab' %}}{}", operation.repeat(40));
    let loops = |operation: &str| {
        format!(
            "{{% set n = namespace(x='ab') %}}{{% for i in range(60) %}}{operation}{{% endfor %}}"
        )
    };
    let sources = [
        doubled("{% set x = x ~ x %}"),
        doubled("{% set x = x + x %}"),
        doubled("{% set x = x * 9 %}"),
        doubled("{% set x %}{{ x }}{{ x }}{% endset %}"),
        doubled("{% set x = [x, x] %}") + "{{ x }}",
        doubled("{% set x = x | replace('a', 'aa') | replace('b', 'bb') %}"),
        doubled("{% set x = [x, x, x] | join(x) %}"),
        doubled("{% set x = '%s%s' | format(x, x) %}"),
        doubled("{% filter upper %}{% set x = x ~ x %}{{ x }}{% endfilter %}"),
        loops("{% set n.x = n.x ~ n.x %}"),
        loops("{% set n.x = n.x + n.x %}"),
        loops("{% set n.x %}{{ n.x }}{{ n.x }}{% endset %}"),
        loops("{% set n.x = [n.x, n.x] | tojson %}"),
        loops("{% set n.x = [n.x, n.x] | map('upper') | join %}"),
        "{% macro m(x, n) %}{{ m(x ~ x, n - 1) if n else x }}{% endmacro %}{{ m('ab', 40) }}"
            .into(),
        "{% for a in [task ~ task] recursive %}{{ loop([a ~ a]) }}{% endfor %}".into(),
        "{% set x %}{% for i in range(99999) %}".to_owned()
            + &"raw text ".repeat(1_000)
            + "{% endfor %}{% endset %}",
    ];
    for source in &sources {
        let error = refusal(source);
        let grown = error.contains("values exceed 64 MB");
        let deep = error.contains("nested more than 32 deep") || error.contains("recursion limit");
        assert!(grown || deep, "{error}\n{source}");
    }
}

/// Each result would be created in a single step.
#[test]
fn a_large_result_is_refused_before_it_is_created() {
    let sources = [
        "{% set n = 4000000000 %}{{ task | indent(n) }}",
        "{% set n = 4000000000 %}{{ files | tojson(indent=n) }}",
        "{% set n = 4000000000 %}{{ files | batch(n, 'x') | list }}",
        "{% set n = 4000000000 %}{{ files | slice(n) | list }}",
        "{% set n = 90000000 %}{{ task * n }}",
        "{% set n = 90000000 %}{{ n * task }}",
        "{% set n = 90000000 %}{{ [1] * n }}",
        "{{ '%4000000000s' | format(task) }}",
        "{% set x = task * 99999 %}{{ x | replace('l', x) }}",
        "{% set x = task * 99999 %}{{ range(9999) | join(x) }}",
        "{% set x = task * 99999 %}{{ [x] | map('replace', 'l', x) | list }}",
        "{{ 'a' * 40000000 }}",
        "{{ ('a' * 9999) * 9999 }}",
        "{{ 'a' * 10 ** 9 }}",
        "{{ 'a' * (10 ** (4 + 5)) }}",
        "{{ ('a' ~ 'b') * 90000000 }}",
        "{{ task ~ ('a' ~ 'b') * 90000000 }}",
        "{{ 'a' * --90000000 }}",
        "{{ [1, 2] * 9e7 }}",
        "{{ 9000 * (1, 2, 3) * 9000 }}",
        "{% set x = 1 and 'a' * 90000000 %}{{ x }}",
    ];
    for source in sources {
        let error = refusal(source);
        let refused = error.contains("exceed 64 MB") || error.contains("constant is too large");
        assert!(refused, "{error}\n{source}");
    }
}

/// Each step would traverse several megabytes.
#[test]
fn expensive_steps_are_limited() {
    for step in [
        "{{ 'b' in n.x }}",
        "{% if n.x ~ '' == n.x %}{% endif %}",
        "{{ n.x | length }}",
        "{{ n.x[2000000:2000001] }}",
        "{{ n.x is upper }}",
        "{% if 1 < 2 < n.x %}{% endif %}",
    ] {
        let big = "{% set n = namespace(x='') %}{% set k = 3000000 %}{% set n.x = 'a' * k %}";
        let loops = "{% for i in range(9999) %}{% for j in range(9999) %}";
        let error = refusal(&format!("{big}{loops}{step}{{% endfor %}}{{% endfor %}}"));
        let expected = ["visits too many values", "values exceed 64 MB"];
        assert!(expected.iter().any(|it| error.contains(it)), "{error}");
    }
}

/// The engine recurses into values and expressions.
#[test]
fn deep_nesting_is_refused() {
    let nested = "{% set n = namespace(x=[]) %}{% for i in range(99999) %}";
    let cases = [
        (
            format!("{nested}{{% set n.x = [n.x] %}}{{% endfor %}}{{{{ n.x }}}}"),
            "nested more than 32 deep",
        ),
        (
            format!("{nested}{{% set n.x = {{'x': n.x}} %}}{{% endfor %}}"),
            "nested more than 32 deep",
        ),
        ("{% set n = namespace() %}{% set n.x = n %}{{ n }}".into(), "nested more than 32 deep"),
        (
            "{% set n = namespace() %}{% set n.x = [n] %}{{ n == n }}".into(),
            "nested more than 32 deep",
        ),
        (format!("{{{{ 1{} }}}}", " + 1".repeat(9_999)), "more than 1000 tokens"),
        (format!("{{{{ {}1{} }}}}", "(".repeat(900), ")".repeat(90)), "recursion"),
        ("x".repeat(2 << 20), "larger than 1024 kB"),
        ("{{ range(*[1, 2]) }}".into(), "arguments cannot be unpacked"),
    ];
    for (source, expected) in cases {
        let error = refusal(&source);
        assert!(error.contains(expected), "{error}, not {expected}");
    }
    let nested = nested.replace("99999", "2000");
    let slices =
        format!("{nested}{{% set n.x = n.x[:9] + [i] %}}{{% endfor %}}{{{{ n.x | length }}}}");
    assert_eq!(pack(&slices).expect("it stays small"), "10");
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

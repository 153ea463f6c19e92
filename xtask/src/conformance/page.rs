//! The page: a table for each section of each design, and apart from them what does not apply and
//! what is yet to come.

use super::Shown;
use super::registry::{Design, Requirement, Standing};
use super::scan::Test;
use std::fmt::Write;

const OPENING: &str = "\
# Conformance

`cargo xtask generate` wrote this page, from the requirements in `conformance/` and from the ids that stand on the tests
(`// Shows: AC-012` above a test). Each id of a design is shown by a test, or the reason why it is not is given;
`cargo xtask generate --check` fails where neither is the case. `scripts/mutate-conformance` draws ids, breaks what they
ask for, and expects their tests to fail. Times are measured and not asserted, so the ids about them point to a
measurement.
";

/// The whole page.
pub fn render(designs: &[Design], shown: &Shown) -> String {
    let mut page = OPENING.to_owned();
    summary(&mut page, designs, shown);
    for design in designs {
        write(&mut page, format_args!("\n## {}\n", design.title));
        for section in &design.sections {
            let settled = section.requirements.iter().filter(|it| place(it, shown) == Place::Here);
            let rows = settled.map(|it| (it, evidence(it, shown)));
            table(&mut page, &section.name, "shown by", rows.collect());
        }
        apart(&mut page, design, shown, Place::NotApplicable);
        apart(&mut page, design, shown, Place::Pending);
    }
    page
}

/// Where on the page a requirement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Here,
    NotApplicable,
    Pending,
}

fn place(requirement: &Requirement, shown: &Shown) -> Place {
    match &requirement.standing {
        Standing::NotApplicable(_) => Place::NotApplicable,
        Standing::Pending(_) | Standing::Awaiting(_) if !shown.contains_key(&requirement.id) => {
            Place::Pending
        }
        _ => Place::Here,
    }
}

/// The requirements that stand apart, under a heading of their own.
fn apart(page: &mut String, design: &Design, shown: &Shown, wanted: Place) {
    let all = design.sections.iter().flat_map(|section| &section.requirements);
    let rows: Vec<(&Requirement, String)> =
        all.filter(|it| place(it, shown) == wanted).map(|it| (it, reason(it))).collect();
    let (name, column) = match wanted {
        Place::NotApplicable => ("What does not apply", "why"),
        _ => ("What is yet to come", "comes with"),
    };
    table(page, name, column, rows);
}

fn table(page: &mut String, name: &str, column: &str, rows: Vec<(&Requirement, String)>) {
    if rows.is_empty() {
        return;
    }
    write(
        page,
        format_args!("\n### {name}\n\n| id | what it asks for | {column} |\n|---|---|---|\n"),
    );
    for (requirement, cell) in rows {
        let Requirement { id, says, note, .. } = requirement;
        let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        write(page, format_args!("| {id} | {}{} | {cell} |\n", escaped(says), escaped(&note)));
    }
}

/// The tests of a requirement, and the other things that show it.
fn evidence(requirement: &Requirement, shown: &Shown) -> String {
    let tests = shown.get(&requirement.id).map(Vec::as_slice).unwrap_or_default();
    let mut parts: Vec<String> = tests.iter().map(link).collect();
    if let Standing::Measured(_) | Standing::Checked(_) = requirement.standing {
        parts.push(reason(requirement));
    }
    parts.join("<br>")
}

fn link(test: &Test) -> String {
    format!("[`{}`](../{})", test.full_name(), test.file)
}

/// The reason that a requirement gives.
fn reason(requirement: &Requirement) -> String {
    match &requirement.standing {
        Standing::Required => String::new(),
        Standing::Measured(what) => format!("measured: {}", escaped(what)),
        Standing::Checked(what) => format!("checked: {}", escaped(what)),
        Standing::Awaiting(area) => format!("under way: {}", escaped(area)),
        Standing::NotApplicable(what) | Standing::Pending(what) => escaped(what),
    }
}

fn summary(page: &mut String, designs: &[Design], shown: &Shown) {
    page.push_str("\n| design | ids | tests show | measured | checked otherwise | ");
    page.push_str("do not apply | yet to come |\n|---|---:|---:|---:|---:|---:|---:|\n");
    for design in designs {
        let all: Vec<&Requirement> =
            design.sections.iter().flat_map(|section| &section.requirements).collect();
        let count = |is: &dyn Fn(&Requirement) -> bool| all.iter().filter(|it| is(it)).count();
        let tested = |it: &Requirement| shown.contains_key(&it.id);
        write(
            page,
            format_args!(
                "| {} | {} | {} | {} | {} | {} | {} |\n",
                design.title,
                all.len(),
                count(&tested),
                count(&|it| !tested(it) && matches!(it.standing, Standing::Measured(_))),
                count(&|it| !tested(it) && matches!(it.standing, Standing::Checked(_))),
                count(&|it| place(it, shown) == Place::NotApplicable),
                count(&|it| place(it, shown) == Place::Pending),
            ),
        );
    }
}

/// A text that may stand in a cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

fn write(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::registry::parse;

    #[test]
    fn what_is_shown_stands_apart_from_what_is_not() {
        let design = parse(
            r#"
            title = "The design"
            [[sections]]
            name = "First"
            [sections.ids]
            A-1 = { says = "a | b", note = "so" }
            A-2 = { says = "fast", measured_by = "a page" }
            A-3 = { says = "null", not_applicable = "no nulls" }
            A-4 = { says = "later", pending = "servers" }
            A-5 = { says = "early", awaiting = "select" }
            "#,
        )
        .expect("a design");
        let (package, file) = ("p".to_owned(), "crates/p/src/a.rs".to_owned());
        let test = Test { package, file, line: 1, name: "t".to_owned() };
        let shown = ["A-1", "A-5"].map(|id| (id.to_owned(), vec![test.clone()])).into();
        let page = render(&[design], &shown);
        let expected = "
| design | ids | tests show | measured | checked otherwise | do not apply | yet to come |
|---|---:|---:|---:|---:|---:|---:|
| The design | 5 | 2 | 1 | 0 | 1 | 1 |

## The design

### First

| id | what it asks for | shown by |
|---|---|---|
| A-1 | a \\| b (so) | [`p::a::t`](../crates/p/src/a.rs) |
| A-2 | fast | measured: a page |
| A-5 | early | [`p::a::t`](../crates/p/src/a.rs) |

### What does not apply

| id | what it asks for | why |
|---|---|---|
| A-3 | null | no nulls |

### What is yet to come

| id | what it asks for | comes with |
|---|---|---|
| A-4 | later | servers |
";
        assert_eq!(page.strip_prefix(OPENING), Some(expected));
    }
}

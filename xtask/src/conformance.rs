//! Requirements of the designs and the tests that show them.
//!
//! `conformance/*.toml` lists the requirements by id. A comment above a test lists the ids that it
//! shows. A requirement with neither a test nor a reason is an error, and so is an unknown id.

mod page;
mod registry;
mod scan;

use crate::tidy::tracked_files;
use anyhow::{Context, Result, ensure};
use registry::{Design, Requirement};
use scan::ShowingTest;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The designs, in the order of the page.
const DESIGNS: [&str; 5] = ["packer", "orchestrator", "aggregator", "formats", "rules"];

/// Tests by the id of the requirement that they show, in the order of their files.
type TestsById = BTreeMap<String, Vec<ShowingTest>>;

/// Renders `docs/development/conformance.md`. Fails if designs and tests do not match.
pub fn page(root: &Path) -> Result<String> {
    let read = |path: &str| {
        fs::read_to_string(root.join(path)).with_context(|| format!("cannot read `{path}`"))
    };
    let design = |name: &str| {
        let path = format!("conformance/{name}.toml");
        registry::parse(&read(&path)?).context(path)
    };
    let designs = DESIGNS.into_iter().map(design).collect::<Result<Vec<_>>>()?;
    let (mut tests, mut problems) = (Vec::new(), Vec::new());
    for path in tracked_files(root)?.iter().filter(|path| is_rust(path)) {
        for test in scan::tests(path, &read(path)?) {
            match test {
                Ok(test) => tests.push(test),
                Err(problem) => problems.push(problem),
            }
        }
    }
    let shown = match_tests(&designs, tests, &mut problems);
    ensure!(
        problems.is_empty(),
        "{}\nconformance: {} problems",
        problems.join("\n"),
        problems.len()
    );
    Ok(page::render(&designs, &shown))
}

fn is_rust(path: &str) -> bool {
    path.starts_with("crates/") && path.ends_with(".rs")
}

/// Assigns the tests to requirements, and reports what does not match.
fn match_tests(
    designs: &[Design],
    tests: Vec<ShowingTest>,
    problems: &mut Vec<String>,
) -> TestsById {
    let mut known: BTreeMap<&str, &Requirement> = BTreeMap::new();
    for requirement in designs.iter().flat_map(Design::requirements) {
        for name in requirement.also.iter().chain([&requirement.id]) {
            if known.insert(name, requirement).is_some() {
                problems.push(format!("duplicate requirement `{name}`"));
            }
        }
    }
    let mut shown = TestsById::new();
    for test in tests {
        for id in &test.ids {
            let place = format!("{}:{}", test.file, test.line);
            match known.get(id.as_str()) {
                None => problems.push(format!("{place}: unknown id `{id}`")),
                Some(it) if it.not_applicable.is_some() => {
                    problems.push(format!("{place}: `{id}` is declared not applicable"));
                }
                Some(it) => shown.entry(it.id.clone()).or_default().push(test.clone()),
            }
        }
    }
    let untested = designs.iter().flat_map(Design::requirements);
    let untested = untested.filter(|it| it.needs_test() && !shown.contains_key(&it.id));
    problems.extend(untested.map(|it| format!("`{}` has neither a test nor a reason", it.id)));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: &str = r#"
        title = "T"
        [[sections]]
        name = "S"
        [sections.ids]
        A-1 = { says = "one", also = ["First"] }
        A-2 = { says = "two", pending = "servers" }
        A-3 = { says = "three", not_applicable = "no nulls" }
    "#;

    fn test((id, name): &(&str, &str)) -> ShowingTest {
        let (ids, file) = (vec![(*id).to_owned()], "crates/p/src/a.rs".to_owned());
        ShowingTest { ids, file, line: 3, name: (*name).to_owned() }
    }

    fn check(shows: &[(&str, &str)], expected: &[&str]) -> TestsById {
        let designs = [registry::parse(DESIGN).expect("a design")];
        let mut problems = Vec::new();
        let shown = match_tests(&designs, shows.iter().map(test).collect(), &mut problems);
        assert_eq!(problems, expected);
        shown
    }

    #[test]
    fn a_requirement_without_test_or_reason_is_reported() {
        check(&[], &["`A-1` has neither a test nor a reason"]);
        let shown = check(&[("A-1", "a"), ("First", "b"), ("A-2", "c")], &[]);
        assert_eq!(shown["A-1"], [test(&("A-1", "a")), test(&("First", "b"))]);
        assert_eq!(shown["A-2"], [test(&("A-2", "c"))], "a pending requirement may have a test");
    }

    #[test]
    fn an_unknown_id_is_reported_with_its_place() {
        let wrong = "crates/p/src/a.rs:3: unknown id `A-9`";
        check(&[("A-1", "a"), ("A-9", "b")], &[wrong]);
    }

    #[test]
    fn a_requirement_that_does_not_apply_has_no_test() {
        let wrong = "crates/p/src/a.rs:3: `A-3` is declared not applicable";
        check(&[("A-1", "a"), ("A-3", "b")], &[wrong]);
    }
}

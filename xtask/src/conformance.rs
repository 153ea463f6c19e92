//! Requirements of the designs and the tests that show them.
//!
//! `conformance/*.toml` lists the requirements by id. A comment above a test lists the ids that it
//! shows. A requirement with neither a test nor a reason is an error, and so is an unknown id.

mod page;
mod registry;
mod scan;

use anyhow::{Context, Result, bail};
use registry::{Design, Requirement, Status};
use scan::ShowingTest;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The designs, in the order of the page. Those without a file are skipped.
const DESIGNS: [&str; 5] = ["packer", "orchestrator", "aggregator", "formats", "rules"];

/// Tests by the id of the requirement that they show, in the order of their files.
type TestsById = BTreeMap<String, Vec<ShowingTest>>;

/// Renders `docs/development/conformance.md`.
pub fn page(root: &Path) -> Result<String> {
    let (designs, shown) = checked(root)?;
    Ok(page::render(&designs, &shown))
}

/// Prints a line for each requirement and test: id, package, file and test, separated by tabs.
#[expect(clippy::print_stdout, reason = "data for scripts")]
pub fn list(root: &Path) -> Result<()> {
    let (_, shown) = checked(root)?;
    for (id, tests) in &shown {
        for ShowingTest { package, file, name, .. } in tests {
            println!("{id}\t{package}\t{file}\t{name}");
        }
    }
    Ok(())
}

/// Reads the designs and the tests, and fails if they do not match.
fn checked(root: &Path) -> Result<(Vec<Design>, TestsById)> {
    let designs = read_designs(root)?;
    let mut tests = Vec::new();
    let mut problems = Vec::new();
    for path in rust_files(root, "crates")? {
        let text =
            fs::read_to_string(root.join(&path)).with_context(|| format!("read `{path}`"))?;
        match scan::tests(&path, &text) {
            Ok(found) => tests.extend(found),
            Err(errors) => problems.extend(errors),
        }
    }
    let (shown, unmatched) = match_tests(&designs, tests);
    problems.extend(unmatched);
    if !problems.is_empty() {
        let count = problems.len();
        bail!("{}\nconformance: {count} problems", problems.join("\n"));
    }
    Ok((designs, shown))
}

fn read_designs(root: &Path) -> Result<Vec<Design>> {
    let mut designs = Vec::new();
    for name in DESIGNS {
        let path = format!("conformance/{name}.toml");
        if !root.join(&path).exists() {
            continue;
        }
        let text =
            fs::read_to_string(root.join(&path)).with_context(|| format!("read `{path}`"))?;
        designs.push(registry::parse(&text).with_context(|| path)?);
    }
    Ok(designs)
}

/// The Rust files under a folder, sorted, as paths relative to `root`.
fn rust_files(root: &Path, folder: &str) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(root.join(&folder)).with_context(|| format!("list `{folder}`"))?;
        for entry in entries {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.ends_with(".rs") {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Assigns the tests to requirements, and reports what does not match.
fn match_tests(
    designs: &[Design],
    tests: Vec<(Vec<String>, ShowingTest)>,
) -> (TestsById, Vec<String>) {
    let mut problems = Vec::new();
    let known = by_name(designs, &mut problems);
    let mut shown = TestsById::new();
    for (ids, test) in tests {
        for id in ids {
            match known.get(id.as_str()) {
                Some(requirement) => {
                    let tests = shown.entry(requirement.id.clone()).or_default();
                    if !tests.contains(&test) {
                        tests.push(test.clone());
                    }
                }
                None => problems.push(format!("{}: unknown id `{id}`", test.place())),
            }
        }
    }
    for requirement in requirements(designs) {
        let id = &requirement.id;
        match (&requirement.status, shown.get(id)) {
            (Status::Required, None) => {
                problems.push(format!("`{id}` has neither a test nor a reason"));
            }
            (Status::NotApplicable(_), Some(tests)) => {
                problems.push(format!("{}: `{id}` is declared not applicable", tests[0].place()));
            }
            _ => {}
        }
    }
    (shown, problems)
}

/// Requirements by id and by other names.
fn by_name<'a>(
    designs: &'a [Design],
    problems: &mut Vec<String>,
) -> BTreeMap<&'a str, &'a Requirement> {
    let mut known = BTreeMap::new();
    for requirement in requirements(designs) {
        let others = requirement.also.iter().map(String::as_str);
        for name in others.chain([requirement.id.as_str()]) {
            if known.insert(name, requirement).is_some() {
                problems.push(format!("duplicate requirement `{name}`"));
            }
        }
    }
    known
}

fn requirements(designs: &[Design]) -> impl Iterator<Item = &Requirement> {
    designs.iter().flat_map(|design| &design.sections).flat_map(|section| &section.requirements)
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

    fn test(name: &str) -> ShowingTest {
        let (package, file) = ("p".to_owned(), "crates/p/src/a.rs".to_owned());
        ShowingTest { package, file, line: 3, name: name.to_owned() }
    }

    fn check(shows: &[(&str, &str)], expected: &[&str]) -> TestsById {
        let designs = [registry::parse(DESIGN).expect("a design")];
        let tests = shows.iter().map(|(id, name)| (vec![(*id).to_owned()], test(name))).collect();
        let (shown, problems) = match_tests(&designs, tests);
        assert_eq!(problems, expected);
        shown
    }

    #[test]
    fn a_requirement_without_test_or_reason_is_reported() {
        check(&[], &["`A-1` has neither a test nor a reason"]);
        let shown = check(&[("A-1", "a"), ("First", "b"), ("A-2", "c")], &[]);
        assert_eq!(shown["A-1"], [test("a"), test("b")]);
        assert_eq!(shown["A-2"], [test("c")], "a pending requirement may have a test");
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

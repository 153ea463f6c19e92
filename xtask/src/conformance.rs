//! What the designs require, and what shows that it holds.
//!
//! The requirements stand in `conformance/*.toml`, each under its id; the tests carry the ids that
//! they show, in a comment above them. This module holds the two against each other: a
//! requirement that nothing shows and nothing explains is an error, and so is an id that no
//! design has.

mod page;
mod registry;
mod scan;

use anyhow::{Context, Result, bail};
use registry::{Design, Requirement, Standing};
use scan::Test;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The designs, in the order of the page. One that has no file yet is left out.
const DESIGNS: [&str; 5] = ["packer", "orchestrator", "aggregator", "formats", "rules"];

/// The tests that show each requirement, by its id, in the order of their files.
type Shown = BTreeMap<String, Vec<Test>>;

/// The text of `docs/conformance.md`.
pub fn page(root: &Path) -> Result<String> {
    let (designs, shown) = checked(root)?;
    Ok(page::render(&designs, &shown))
}

/// Prints a line for each requirement and test: id, package, file and test, with tabs between.
#[expect(clippy::print_stdout, reason = "data for scripts")]
pub fn list(root: &Path) -> Result<()> {
    let (_, shown) = checked(root)?;
    for (id, tests) in &shown {
        for Test { package, file, name, .. } in tests {
            println!("{id}\t{package}\t{file}\t{name}");
        }
    }
    Ok(())
}

/// The designs and what shows them, if nothing is wrong with either.
fn checked(root: &Path) -> Result<(Vec<Design>, Shown)> {
    let designs = read_designs(root)?;
    let mut tests = Vec::new();
    let mut complaints = Vec::new();
    for path in rust_files(root, "crates")? {
        let text =
            fs::read_to_string(root.join(&path)).with_context(|| format!("read `{path}`"))?;
        match scan::tests(&path, &text) {
            Ok(found) => tests.extend(found),
            Err(wrong) => complaints.extend(wrong),
        }
    }
    let (shown, more) = matched(&designs, tests);
    complaints.extend(more);
    if !complaints.is_empty() {
        let count = complaints.len();
        bail!("{}\nconformance: complaints: {count}", complaints.join("\n"));
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

/// Gives each requirement its tests, and says what does not fit.
fn matched(designs: &[Design], tests: Vec<(Vec<String>, Test)>) -> (Shown, Vec<String>) {
    let mut complaints = Vec::new();
    let known = by_name(designs, &mut complaints);
    let mut shown = Shown::new();
    for (ids, test) in tests {
        for id in ids {
            match known.get(id.as_str()) {
                Some(requirement) => {
                    let tests = shown.entry(requirement.id.clone()).or_default();
                    if !tests.contains(&test) {
                        tests.push(test.clone());
                    }
                }
                None => complaints.push(format!("{}: no design has the id `{id}`", test.place())),
            }
        }
    }
    for requirement in requirements(designs) {
        let id = &requirement.id;
        match (&requirement.standing, shown.get(id)) {
            (Standing::Required, None) => {
                complaints.push(format!("`{id}` has neither a test nor a reason"));
            }
            (Standing::NotApplicable(_), Some(tests)) => {
                complaints.push(format!("{}: `{id}` is said not to apply", tests[0].place()));
            }
            _ => {}
        }
    }
    (shown, complaints)
}

/// Every requirement by its id and by its other names.
fn by_name<'a>(
    designs: &'a [Design],
    complaints: &mut Vec<String>,
) -> BTreeMap<&'a str, &'a Requirement> {
    let mut known = BTreeMap::new();
    for requirement in requirements(designs) {
        let others = requirement.also.iter().map(String::as_str);
        for name in others.chain([requirement.id.as_str()]) {
            if known.insert(name, requirement).is_some() {
                complaints.push(format!("two requirements are called `{name}`"));
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

    fn test(name: &str) -> Test {
        let (package, file) = ("p".to_owned(), "crates/p/src/a.rs".to_owned());
        Test { package, file, line: 3, name: name.to_owned() }
    }

    fn check(shows: &[(&str, &str)], expected: &[&str]) -> Shown {
        let designs = [registry::parse(DESIGN).expect("a design")];
        let tests = shows.iter().map(|(id, name)| (vec![(*id).to_owned()], test(name))).collect();
        let (shown, complaints) = matched(&designs, tests);
        assert_eq!(complaints, expected);
        shown
    }

    #[test]
    fn what_has_neither_a_test_nor_a_reason_is_named() {
        check(&[], &["`A-1` has neither a test nor a reason"]);
        let shown = check(&[("A-1", "a"), ("First", "b"), ("A-2", "c")], &[]);
        assert_eq!(shown["A-1"], [test("a"), test("b")]);
        assert_eq!(shown["A-2"], [test("c")], "what is pending may be shown early");
    }

    #[test]
    fn an_id_that_no_design_has_is_named_with_its_place() {
        let wrong = "crates/p/src/a.rs:3: no design has the id `A-9`";
        check(&[("A-1", "a"), ("A-9", "b")], &[wrong]);
    }

    #[test]
    fn what_does_not_apply_has_no_test() {
        let wrong = "crates/p/src/a.rs:3: `A-3` is said not to apply";
        check(&[("A-1", "a"), ("A-3", "b")], &[wrong]);
    }
}

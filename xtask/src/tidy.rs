//! Checks that the compiler and clippy do not have: dependencies between crates, manifests, cycles between
//! modules, sizes, links, stray paths, wording and names.
//!
//! This module reads the workspace and prints the violations. Each rule is a function from text to
//! violations, in a module below.

mod cycles;
mod dependencies;
mod docs;
mod files;
mod links;
mod packages;
mod rust_file;
mod type_names;
mod words;

use anyhow::{Context, Result, bail, ensure};
use dependencies::Manifest;
use docs::DocOpenings;
use rust_file::RustFile;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use type_names::TypeNames;

/// Highest share of doc comments that may begin with "What", in percent.
const MAX_WHAT_PERCENT: f64 = 2.0;

/// Highest share of types whose name is not unique, in percent.
const MAX_SHARED_NAMES_PERCENT: f64 = 12.0;

/// The result of one rule.
struct Finding {
    rule: &'static str,
    figure: String,
    violations: Vec<String>,
    fails: bool,
}

impl Finding {
    /// A rule that allows no violation.
    fn strict(rule: &'static str, violations: Vec<String>) -> Self {
        let (figure, fails) = (violations.len().to_string(), !violations.is_empty());
        Self { rule, figure, violations, fails }
    }

    /// A rule that allows violations in up to `limit` percent of `total`.
    fn share(rule: &'static str, violations: Vec<String>, total: usize, limit: f64) -> Self {
        let percent = 100.0 * violations.len() as f64 / total.max(1) as f64;
        let figure = format!("{} of {total}: {percent:.1} %, limit {limit} %", violations.len());
        Self { rule, figure, violations, fails: percent >= limit }
    }
}

/// Applies every rule to the workspace at `root`, and fails if one is violated.
#[expect(clippy::print_stderr, reason = "a program for people at a terminal")]
pub fn run(root: &Path) -> Result<()> {
    let paths = tracked_files(root)?;
    let findings = findings(root, &paths)?;
    let errors: Vec<&Finding> = findings.iter().filter(|it| it.fails).collect();
    for violation in errors.iter().flat_map(|it| &it.violations) {
        eprintln!("{violation}");
    }
    for Finding { rule, figure, .. } in &errors {
        eprintln!("{rule}: {figure}");
    }
    ensure!(errors.is_empty(), "tidy: violated rules: {}", errors.len());
    eprintln!("tidy: {} files checked", paths.len());
    Ok(())
}

/// Prints the violations whose lines begin with one of `prefixes` (all, if there are none), and the
/// figures of every rule. Does not fail.
#[expect(clippy::print_stdout, reason = "the report is this program's output")]
pub fn report(root: &Path, prefixes: &[&str]) -> Result<()> {
    let findings = findings(root, &tracked_files(root)?)?;
    let is_listed =
        |it: &&String| prefixes.is_empty() || prefixes.iter().any(|prefix| it.starts_with(prefix));
    for violation in findings.iter().flat_map(|it| &it.violations).filter(is_listed) {
        println!("{violation}");
    }
    for Finding { rule, figure, fails, .. } in &findings {
        println!("{} {rule}: {figure}", if *fails { "FAIL" } else { "ok  " });
    }
    Ok(())
}

fn findings(root: &Path, paths: &[String]) -> Result<Vec<Finding>> {
    let (mut sizes, mut broken_links, mut banned) = (Vec::new(), Vec::new(), Vec::new());
    let mut openings = DocOpenings::default();
    let mut sources = Vec::new();
    for path in paths {
        let Some(text) = readable(&root.join(path)) else { continue };
        sizes.extend(files::violations(path, &text));
        if links::is_checked(path) {
            let exists = |target: &str| root.join(target).exists();
            broken_links.extend(links::violations(path, &text, exists));
        }
        if words::is_checked(path, &text) {
            banned.extend(words::violations(path, &text));
        }
        if path.ends_with(".rs") {
            openings.add(path, &text);
            sources.push(RustFile::parse(path, &text)?);
        }
    }
    let sources = without_tests(sources);
    let packages = packages(root)?;
    let has_file = |path: &Path| path.is_file();
    let DocOpenings { total: docs, violations: whats } = openings;
    let TypeNames { total: types, violations: shared } = TypeNames::new(&sources);
    Ok(vec![
        Finding::strict("dependencies", check_dependencies(root, &packages)?),
        Finding::strict("packages", packages::violations(&packages, has_file)),
        Finding::strict("files", sizes),
        Finding::strict("links", broken_links),
        Finding::strict("module cycles", cycles::violations(&sources)),
        Finding::strict("banned words", banned),
        Finding::share("doc openings", whats, docs, MAX_WHAT_PERCENT),
        Finding::share("shared type names", shared, types, MAX_SHARED_NAMES_PERCENT),
    ])
}

/// Leaves out the files of modules that another file declares for tests only.
fn without_tests(mut files: Vec<RustFile>) -> Vec<RustFile> {
    let full_name = |file: &RustFile| {
        let (krate, names) = file.module()?;
        Some(names.into_iter().fold(format!("{krate}::"), |path, name| path + name + "::"))
    };
    let of_tests: Vec<String> = files
        .iter()
        .filter_map(|file| Some((full_name(file)?, &file.test_modules)))
        .flat_map(|(parent, names)| names.iter().map(move |name| format!("{parent}{name}::")))
        .collect();
    files.retain(|file| {
        let name = full_name(file).unwrap_or_default();
        !of_tests.iter().any(|tests| name.starts_with(tests))
    });
    files
}

/// Lists the files that git tracks or would add, as paths relative to `root`.
pub fn tracked_files(root: &Path) -> Result<Vec<String>> {
    let listing =
        output(root, "git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    Ok(listing.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

/// Reads a file; `None` if it is binary, or deleted and still in git's index.
fn readable(path: &Path) -> Option<String> {
    fs::read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Lists the packages of the workspace, as `cargo metadata` describes them.
fn packages(root: &Path) -> Result<Vec<Value>> {
    let query = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let mut metadata: Value = serde_json::from_str(&output(root, "cargo", &query)?)?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => bail!("`cargo metadata` lists no packages"),
    }
}

fn check_dependencies(root: &Path, packages: &[Value]) -> Result<Vec<String>> {
    let page =
        fs::read_to_string(root.join("ARCHITECTURE.md")).context("cannot read ARCHITECTURE.md")?;
    let manifests: Vec<Manifest> = packages.iter().filter_map(Manifest::from_metadata).collect();
    Ok(dependencies::violations(&dependencies::parse(&page), &manifests))
}

fn output(root: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .with_context(|| format!("cannot start `{program}`"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("`{program} {}` failed: {errors}", arguments.join(" "));
    }
    Ok(String::from_utf8(output.stdout)?)
}

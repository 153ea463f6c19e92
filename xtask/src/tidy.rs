//! What the compiler and clippy do not check: the rooms of ARCHITECTURE.md, sizes, links, stray paths.
//!
//! This module gathers what the rules look at and prints what they say. The rules, each a function
//! from text to complaints, are in the modules below.

mod files;
mod links;
mod rooms;

use anyhow::{Context, Result, bail, ensure};
use rooms::Manifest;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Applies every rule to the workspace at `root`, and fails where one complains.
pub fn run(root: &Path) -> Result<()> {
    let paths = tracked(root)?;
    let mut complaints = rooms_complaints(root)?;
    for path in &paths {
        let Some(text) = readable(&root.join(path)) else { continue };
        complaints.extend(files::complaints(path, &text));
        if links::is_checked(path) {
            complaints.extend(links::complaints(path, &text, |target| root.join(target).exists()));
        }
    }
    report(&complaints, paths.len())
}

/// The files that git knows, and those that it would take: paths relative to `root`.
fn tracked(root: &Path) -> Result<Vec<String>> {
    let listing =
        output(root, "git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    Ok(listing.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

/// The text of a file; `None` where it is binary, or was deleted and git does not know yet.
fn readable(path: &Path) -> Option<String> {
    fs::read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

fn rooms_complaints(root: &Path) -> Result<Vec<String>> {
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).context("read ARCHITECTURE.md")?;
    let query = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let metadata: Value = serde_json::from_str(&output(root, "cargo", &query)?)?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` names no packages")?;
    let manifests: Vec<Manifest> = packages.iter().filter_map(Manifest::from_metadata).collect();
    Ok(match rooms::parse(&page) {
        Ok(rooms) => rooms::complaints(&rooms, &manifests),
        Err(complaint) => vec![complaint],
    })
}

fn output(root: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let done = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .with_context(|| format!("start `{program}`"))?;
    let errors = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "`{program} {}` failed: {errors}", arguments.join(" "));
    Ok(String::from_utf8(done.stdout)?)
}

#[expect(clippy::print_stderr, reason = "a program for people at a terminal")]
fn report(complaints: &[String], files: usize) -> Result<()> {
    for complaint in complaints {
        eprintln!("{complaint}");
    }
    match complaints.len() {
        0 => eprintln!("tidy: {files} files, nothing to complain about"),
        count => bail!("tidy: complaints: {count}"),
    }
    Ok(())
}

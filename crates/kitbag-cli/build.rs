//! Facts of the build for `kitbag --version`: commit, target, profile and features.

#![allow(clippy::print_stdout, reason = "cargo reads the output of build scripts")]

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=KITBAG_COMMIT");
    let given = env::var("KITBAG_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = given.or_else(commit).unwrap_or_else(|| "unknown".to_owned());
    let short: String = commit.chars().take(12).collect();
    println!("cargo::rustc-env=KITBAG_COMMIT={short}");
    let features =
        if env::var_os("CARGO_FEATURE_HUGGINGFACE").is_some() { "huggingface" } else { "none" };
    println!("cargo::rustc-env=KITBAG_FEATURES={features}");
    for name in ["TARGET", "PROFILE"] {
        let value = env::var(name).unwrap_or_else(|_| "unknown".to_owned());
        println!("cargo::rustc-env=KITBAG_{name}={value}");
    }
}

/// The current commit, if this is a clone and git is installed. Every commit and checkout adds a line
/// to the log of `HEAD`, and builds again.
fn commit() -> Option<String> {
    if !Path::new("../../.git").exists() {
        return None;
    }
    println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    git(&["rev-parse", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    Some(text.trim().to_owned())
}

//! Facts of the build for `kitbag --version`: commit, target, profile and features. Chooses options of the linker.

#![allow(clippy::print_stdout, reason = "cargo reads the output of build scripts")]

use std::env;
use std::fs;
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
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") && linker_accepts(FOLDING) {
        println!("cargo::rustc-link-arg-bins={FOLDING}");
    }
}

/// Links functions with the same machine code once, which makes the program a megabyte smaller.
const FOLDING: &str = "-Wl,--icf=all";

/// Whether the linker of this build accepts an option. It links a program to find out: the answer depends on the target, the
/// compiler, its version and the user's configuration.
fn linker_accepts(option: &str) -> bool {
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system != "linux") {
        return false;
    }
    let (Ok(rustc), Ok(target), Ok(folder)) =
        (env::var("RUSTC"), env::var("TARGET"), env::var("OUT_DIR"))
    else {
        return false;
    };
    let source = Path::new(&folder).join("linked.rs");
    if fs::write(&source, "fn main() {}\n").is_err() {
        return false;
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut command = Command::new(rustc);
    command.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    command.args(["--target", &target, "-C", &format!("link-arg={option}")]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        command.args(["-C", &format!("linker={linker}")]);
    }
    command.arg("-o").arg(source.with_extension("")).arg(&source);
    command.output().is_ok_and(|output| output.status.success())
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

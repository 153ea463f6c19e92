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
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        for option in [FOLDING, PACKED_RELOCATIONS].into_iter().filter(|option| works(option)) {
            println!("cargo::rustc-link-arg-bins={option}");
        }
    }
}

/// Links functions with the same machine code once, which makes the program a megabyte smaller.
const FOLDING: &str = "-Wl,--icf=all";

/// Stores relative relocations as a bitmap, which makes the program two megabytes smaller. Needs glibc 2.36 where it runs.
const PACKED_RELOCATIONS: &str = "-Wl,-z,pack-relative-relocs";

/// Whether a program that is linked with an option runs here. That depends on the compiler, the linker, the C library and the
/// user's configuration, so one is built to find out.
fn works(option: &str) -> bool {
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
    let program = source.with_extension("");
    command.arg("-o").arg(&program).arg(&source);
    let succeeds = |mut command: Command| command.output().is_ok_and(|it| it.status.success());
    succeeds(command) && succeeds(Command::new(program))
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

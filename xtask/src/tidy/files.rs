//! Rules about single files: stray paths, module headers, sizes.

/// Maximum number of lines in a Rust file.
const MAX_LINES: usize = 600;

/// The program's `main.rs` must be shorter.
const MAIN_LINES_BELOW: usize = 50;

/// Folders whose absolute paths reveal a machine. They have no slashes here, so that this file passes
/// its own check.
const STRAY_FOLDERS: [&str; 3] = ["work", "root", "home"];

/// Checks the file at `path`.
pub fn violations(path: &str, text: &str) -> Vec<String> {
    let mut violations = stray_paths(path, text);
    if path.ends_with(".rs") {
        violations.extend(too_long(path, text));
    }
    if path.ends_with("src/lib.rs") && !text.starts_with("//!") {
        violations.push(format!("{path}:1: a library begins with a `//!` comment"));
    }
    violations
}

fn too_long(path: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    if path == "crates/kitbag-cli/src/main.rs" && lines >= MAIN_LINES_BELOW {
        return Some(format!("{path}: {lines} lines; must be under {MAIN_LINES_BELOW}"));
    }
    (lines > MAX_LINES).then(|| format!("{path}: {lines} lines; the maximum is {MAX_LINES}"))
}

fn stray_paths(path: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for folder in STRAY_FOLDERS {
            let stray = format!("/{folder}/");
            if line.match_indices(&stray).any(|(at, _)| begins_a_path(&line[..at])) {
                violations.push(format!("{path}:{}: an absolute path, `{stray}`", number + 1));
            }
        }
    }
    violations
}

/// Whether a path after `before` is absolute, not the middle of another.
fn begins_a_path(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || "_-.~*/}>)]$".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(violations(path, text), expected, "{path}");
    }

    /// An absolute path under the folder, spelled so that this file has none.
    fn under(folder: &str) -> String {
        ["", folder, "someone"].join("/")
    }

    #[test]
    fn an_absolute_path_of_a_machine_is_stray() {
        for folder in STRAY_FOLDERS {
            let text = format!("fine\ncd {}\n", under(folder));
            let expected = format!("notes.md:2: an absolute path, `/{folder}/`");
            check("notes.md", &text, &[&expected]);
            check("notes.md", &format!("`{}`", under(folder)), &[&expected.replace(":2:", ":1:")]);
        }
    }

    #[test]
    fn relative_paths_and_addresses_are_not_stray() {
        for folder in STRAY_FOLDERS {
            let path = under(folder);
            let text =
                format!("src{path} ..{path} ~{path} https://example.org{path} ${{X}}{path}\n");
            check("notes.md", &text, &[]);
        }
        check("notes.md", "the work/home/root of it\n", &[]);
    }

    #[test]
    fn a_library_begins_with_a_comment() {
        check("crates/kitbag/src/lib.rs", "//! The engine.\n", &[]);
        check(
            "crates/kitbag/src/lib.rs",
            "mod engine;\n",
            &["crates/kitbag/src/lib.rs:1: a library begins with a `//!` comment"],
        );
        check("crates/kitbag/src/pack.rs", "mod engine;\n", &[]);
    }

    #[test]
    fn rust_files_have_at_most_600_lines() {
        check("crates/kitbag/src/pack.rs", &"\n".repeat(600), &[]);
        check(
            "crates/kitbag/src/pack.rs",
            &"\n".repeat(601),
            &["crates/kitbag/src/pack.rs: 601 lines; the maximum is 600"],
        );
        check("docs/long.md", &"\n".repeat(601), &[]);
    }

    #[test]
    fn main_is_under_50_lines() {
        check("crates/kitbag-cli/src/main.rs", &"\n".repeat(49), &[]);
        check(
            "crates/kitbag-cli/src/main.rs",
            &"\n".repeat(50),
            &["crates/kitbag-cli/src/main.rs: 50 lines; must be under 50"],
        );
        check("xtask/src/main.rs", &"\n".repeat(50), &[]);
    }
}

//! The ids above tests: `// Shows: AC-012, FR-016-31 to FR-016-33`.
//!
//! The comment is among the comments and attributes directly above a test. A list that ends in a
//! comma continues on the next comment line.

/// A test with a `Shows` comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShowingTest {
    /// Ids of requirements.
    pub ids: Vec<String>,
    /// Path from the workspace's root.
    pub file: String,
    /// Line of the comment.
    pub line: usize,
    pub name: String,
}

impl ShowingTest {
    /// Name with package and file: `kitbag-core::stages::dedup::one_of_many_duplicates_is_kept`.
    pub fn full_name(&self) -> String {
        let path = self.file.trim_start_matches("crates/").trim_end_matches(".rs");
        let path = path.trim_end_matches("/mod").trim_end_matches("/main");
        let (package, path) = path.split_once('/').unwrap_or((path, ""));
        let path = path.trim_start_matches("src/").trim_start_matches("tests/");
        format!("{package}::{}::{}", path.replace('/', "::"), self.name)
    }
}

/// Finds the tests of a file that show requirements, and errors in the comments.
pub fn tests(path: &str, text: &str) -> Vec<Result<ShowingTest, String>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let comments = lines.iter().enumerate().filter(|(_, line)| line.starts_with("// Shows:"));
    let test = comments.map(|(at, _)| {
        let (ids, name) =
            shown(&lines[at..]).map_err(|error| format!("{path}:{}: {error}", at + 1))?;
        Ok(ShowingTest { ids, file: path.to_owned(), line: at + 1, name })
    });
    test.collect()
}

/// Reads the comment on the first line and the name of the test below it.
fn shown(lines: &[&str]) -> Result<(Vec<String>, String), String> {
    let mut comment = lines.iter().map(|line| line.trim_start_matches("// "));
    let mut list = comment.next().unwrap_or_default().trim_start_matches("Shows:").to_owned();
    let mut length = 1;
    while list.ends_with(',') {
        list.push_str(comment.next().unwrap_or_default());
        length += 1;
    }
    let mut ids = Vec::new();
    for item in list.split(',').map(str::trim) {
        match item.split_once(" to ") {
            Some((first, last)) => ids.extend(range(first, last)?),
            None if item.is_empty() || item.starts_with("#[") => {
                return Err(format!("not an id: `{item}`"));
            }
            None => ids.push(item.to_owned()),
        }
    }
    let name = test_below(&lines[length..]).ok_or("`Shows` must be above a test")?;
    Ok((ids, name))
}

/// Expands a range, with as many digits as `first` has.
fn range(first: &str, last: &str) -> Result<impl Iterator<Item = String>, String> {
    let split = |id: &str| {
        let (series, number) = id.rsplit_once('-')?;
        Some((series.to_owned(), number.parse::<u32>().ok()?, number.len()))
    };
    match (split(first), split(last)) {
        (Some((series, start, digits)), Some((other, end, _)))
            if series == other && start < end =>
        {
            Ok((start..=end).map(move |number| format!("{series}-{number:0digits$}")))
        }
        _ => Err(format!("not a range of ids: `{first} to {last}`")),
    }
}

/// Name of the function below, if only comments and attributes come before it and one of them makes
/// it a test.
fn test_below(lines: &[&str]) -> Option<String> {
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with("#[");
    let is_above = |line: &&&str| !line.is_empty() && (is_comment(line) || !line.contains("fn "));
    let above: Vec<&&str> = lines.iter().take_while(is_above).collect();
    let is_test = |line: &&&str| {
        let path = line.split(['(', ']']).next().unwrap_or_default();
        line.starts_with("#[") && path.rsplit([':', '[']).next() == Some("test")
    };
    above.iter().find(|line| is_test(line))?;
    let (_, function) = lines.get(above.len())?.split_once("fn ")?;
    function.split(['(', '<']).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "crates/kitbag-core/tests/stages/dedup.rs";

    fn found(text: &str) -> Vec<(String, String)> {
        let found = tests(FILE, text).into_iter().map(|test| test.expect("nothing is wrong"));
        found.map(|test| (test.ids.join(" "), test.name)).collect()
    }

    #[track_caller]
    fn check(text: &str, ids: &str, name: &str) {
        assert_eq!(found(text), [(ids.to_owned(), name.to_owned())]);
    }

    #[track_caller]
    fn check_wrong(text: &str, expected: &str) {
        assert_eq!(tests(FILE, text), [Err(format!("{FILE}:{expected}"))]);
    }

    #[test]
    fn the_comment_is_above_a_test() {
        check("// Shows: AC-001\n#[test]\nfn a() {}\n", "AC-001", "a");
        check("    // Shows: A-1, B-2\n    #[tokio::test]\n    async fn b() {}\n", "A-1 B-2", "b");
        check("// Shows: A-1\n/// Why.\n#[cfg(unix)]\n#[test]\nfn c() {}\n", "A-1", "c");
        check("/// Why.\n// Shows: A-1\n#[test]\nfn d(case in case()) {}\n", "A-1", "d");
        check("// Shows: A-1\n#[tokio::test(flavor = \"x\")]\nasync fn e() {}\n", "A-1", "e");
        check("// Shows: A-1\n#[allow(\n    a,\n)]\n#[test]\nfn f() {}\n", "A-1", "f");
        assert_eq!(found("#[test]\nfn g() {}\n"), []);
    }

    #[test]
    fn a_list_continues_after_its_comma() {
        check("// Shows: A-1,\n// A-2, A-3\n// Not this.\n#[test]\nfn a() {}", "A-1 A-2 A-3", "a");
        let two = "// Shows: A-1\n// Shows: A-2\n#[test]\nfn b() {}\n";
        let name = || "b".to_owned();
        assert_eq!(found(two), [("A-1".to_owned(), name()), ("A-2".to_owned(), name())]);
    }

    #[test]
    fn ranges_are_expanded() {
        check(
            "// Shows: FR-016-08 to FR-016-10, A-1\n#[test]\nfn a() {}\n",
            "FR-016-08 FR-016-09 FR-016-10 A-1",
            "a",
        );
        check_wrong(
            "// Shows: A-3 to A-1\n#[test]\nfn a() {}\n",
            "1: not a range of ids: `A-3 to A-1`",
        );
        check_wrong(
            "// Shows: A-1 to B-2\n#[test]\nfn a() {}\n",
            "1: not a range of ids: `A-1 to B-2`",
        );
    }

    #[test]
    fn a_comment_above_other_code_is_an_error() {
        let wrong = "1: `Shows` must be above a test";
        check_wrong("// Shows: A-1\nfn a() {}\n", wrong);
        check_wrong("// Shows: A-1\n#[test_case]\nfn a() {}\n", wrong);
        check_wrong("// Shows: A-1\n\n#[test]\nfn a() {}\n", wrong);
        check_wrong("// Shows: A-1\n#[test]\nstruct A;\n", wrong);
        check_wrong("// Shows: A-1\n", wrong);
    }

    #[test]
    fn a_malformed_list_is_an_error() {
        check_wrong("// Shows:\n#[test]\nfn a() {}\n", "1: not an id: ``");
        check_wrong("// Shows: A-1,\n#[test]\nfn a() {}\n", "1: not an id: `#[test]`");
    }

    #[test]
    fn a_full_name_has_package_file_and_test() {
        let name = |file: &str| {
            let file = format!("crates/kitbag-core/{file}");
            ShowingTest { ids: Vec::new(), file, line: 1, name: "t".to_owned() }.full_name()
        };
        assert_eq!(name("src/budget.rs"), "kitbag-core::budget::t");
        assert_eq!(name("src/rank/mod.rs"), "kitbag-core::rank::t");
        assert_eq!(name("tests/stages/dedup.rs"), "kitbag-core::stages::dedup::t");
        assert_eq!(name("tests/properties.rs"), "kitbag-core::properties::t");
    }
}

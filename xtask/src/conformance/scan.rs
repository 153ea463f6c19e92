//! The ids above tests: `// Shows: AC-012, FR-016-31 to FR-016-33`.
//!
//! The comment is among the comments and attributes directly above a test. A list that ends in a
//! comma continues on the next comment line.

use super::registry::numbered;

/// A test with a `Shows` comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShowingTest {
    pub package: String,
    /// Path from the workspace's root.
    pub file: String,
    /// Line of the comment.
    pub line: usize,
    pub name: String,
}

impl ShowingTest {
    /// `file:line` for messages.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Name with package and file: `kitbag-core::stages::dedup::one_of_many_duplicates_is_kept`.
    pub fn full_name(&self) -> String {
        let path = self.file.split_once(&format!("{}/", self.package)).map_or("", |(_, path)| path);
        let path = path.strip_prefix("src/").or(path.strip_prefix("tests/")).unwrap_or(path);
        let path = path.strip_suffix(".rs").unwrap_or(path);
        let path = path.strip_suffix("/mod").or(path.strip_suffix("/main")).unwrap_or(path);
        format!("{}::{}::{}", self.package, path.replace('/', "::"), self.name)
    }
}

/// Finds the tests of a file that show requirements, with the ids, or all errors in the comments.
pub fn tests(path: &str, text: &str) -> Result<Vec<(Vec<String>, ShowingTest)>, Vec<String>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_start_matches('/').trim_start();
        if !line.starts_with("//") || !bare.starts_with("Shows:") {
            continue;
        }
        match shown(path, &lines, at) {
            Ok(shown) => found.push(shown),
            Err(error) => errors.push(format!("{path}:{}: {error}", at + 1)),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

/// Reads the comment at line `at` and the test below it.
fn shown(path: &str, lines: &[&str], at: usize) -> Result<(Vec<String>, ShowingTest), String> {
    let Some(list) = lines[at].strip_prefix("// Shows:") else {
        return Err("must be written `// Shows:`".to_owned());
    };
    let mut list = list.trim().to_owned();
    let mut next = at + 1;
    while list.ends_with(',') {
        let more = lines.get(next).and_then(|line| line.strip_prefix("// "));
        list.push_str(more.ok_or("the list ends in a comma")?);
        next += 1;
    }
    let ids = ids(&list)?;
    let name = test_below(&lines[next..]).ok_or("`Shows` must be above a test")?;
    let package = path.split('/').nth(1).unwrap_or_default().to_owned();
    Ok((ids, ShowingTest { package, file: path.to_owned(), line: at + 1, name }))
}

/// Expands a list of ids and ranges.
fn ids(list: &str) -> Result<Vec<String>, String> {
    let mut ids = Vec::new();
    for item in list.split(',').map(str::trim) {
        match item.split_once(" to ") {
            Some((first, last)) => ids.extend(range(first.trim(), last.trim())?),
            None if item.is_empty() => return Err("an id is missing".to_owned()),
            None => ids.push(item.to_owned()),
        }
    }
    Ok(ids)
}

/// Expands a range, with as many digits as `first` has.
fn range(first: &str, last: &str) -> Result<Vec<String>, String> {
    let invalid = || format!("not a range of ids: `{first} to {last}`");
    let (series, start) = numbered(first).ok_or_else(invalid)?;
    let (other, end) = numbered(last).ok_or_else(invalid)?;
    if series != other || start >= end {
        return Err(invalid());
    }
    let digits = first.len() - series.len();
    Ok((start..=end).map(|number| format!("{series}{number:0digits$}")).collect())
}

/// Name of the function below, if only comments and attributes come before it and one of them makes
/// it a test.
fn test_below(lines: &[&str]) -> Option<String> {
    let mut is_test = false;
    let mut attribute = false;
    for line in lines {
        if attribute || line.starts_with("#[") {
            is_test |= is_test_attribute(line);
            attribute = !line.ends_with(']');
        } else if !line.starts_with("//") {
            return function_name(line).filter(|_| is_test);
        }
    }
    None
}

/// `#[test]`, `#[tokio::test]`, and those with arguments.
fn is_test_attribute(line: &str) -> bool {
    let path = line.strip_prefix("#[").unwrap_or_default();
    let path = path.split(['(', ']']).next().unwrap_or_default();
    path.rsplit("::").next() == Some("test")
}

fn function_name(line: &str) -> Option<String> {
    let mut words = line.split_whitespace().skip_while(|word| *word != "fn");
    words.next()?;
    let name = words.next()?.split(['(', '<']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "crates/kitbag-core/tests/stages/dedup.rs";

    fn found(text: &str) -> Vec<(String, String)> {
        let found = tests(FILE, text).expect("nothing is wrong");
        found.into_iter().map(|(ids, test)| (ids.join(" "), test.name)).collect()
    }

    #[track_caller]
    fn check(text: &str, ids: &str, name: &str) {
        assert_eq!(found(text), [(ids.to_owned(), name.to_owned())]);
    }

    #[track_caller]
    fn check_wrong(text: &str, expected: &str) {
        assert_eq!(tests(FILE, text), Err(vec![format!("{FILE}:{expected}")]));
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
    fn a_malformed_comment_is_an_error() {
        let wrong = "1: must be written `// Shows:`";
        check_wrong("/// Shows: A-1\n#[test]\nfn a() {}\n", wrong);
        check_wrong("//Shows: A-1\n#[test]\nfn a() {}\n", wrong);
        check_wrong("// Shows:\n#[test]\nfn a() {}\n", "1: an id is missing");
        check_wrong("// Shows: A-1,\n#[test]\nfn a() {}\n", "1: the list ends in a comma");
    }

    #[test]
    fn a_full_name_has_package_file_and_test() {
        let name = |file: &str| {
            let package = "kitbag-core".to_owned();
            let file = format!("crates/kitbag-core/{file}");
            ShowingTest { package, file, line: 1, name: "t".to_owned() }.full_name()
        };
        assert_eq!(name("src/budget.rs"), "kitbag-core::budget::t");
        assert_eq!(name("src/rank/mod.rs"), "kitbag-core::rank::t");
        assert_eq!(name("tests/stages/dedup.rs"), "kitbag-core::stages::dedup::t");
        assert_eq!(name("tests/properties.rs"), "kitbag-core::properties::t");
    }
}

//! The ids that stand on tests: `// Shows: AC-012, FR-016-31 to FR-016-33`.
//!
//! The comment stands among the comments and attributes directly above a test. Where its list ends
//! in a comma, the next comment line continues it.

use super::registry::numbered;

/// A test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    pub package: String,
    /// Its file, relative to the workspace's root.
    pub file: String,
    /// The line of its comment.
    pub line: usize,
    pub name: String,
}

impl Test {
    /// Where it is, for people.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Its name with its package and file: `kitbag-core::stages::dedup::all_duplicates_leave_one`.
    pub fn full_name(&self) -> String {
        let path = self.file.split_once(&format!("{}/", self.package)).map_or("", |(_, path)| path);
        let path = path.strip_prefix("src/").or(path.strip_prefix("tests/")).unwrap_or(path);
        let path = path.strip_suffix(".rs").unwrap_or(path);
        let path = path.strip_suffix("/mod").or(path.strip_suffix("/main")).unwrap_or(path);
        format!("{}::{}::{}", self.package, path.replace('/', "::"), self.name)
    }
}

/// The tests of the file at `path` that show something, with the ids, or what is wrong with them.
pub fn tests(path: &str, text: &str) -> Result<Vec<(Vec<String>, Test)>, Vec<String>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let (mut found, mut complaints) = (Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_start_matches('/').trim_start();
        if !line.starts_with("//") || !bare.starts_with("Shows:") {
            continue;
        }
        match shown(path, &lines, at) {
            Ok(shown) => found.push(shown),
            Err(wrong) => complaints.push(format!("{path}:{}: {wrong}", at + 1)),
        }
    }
    if complaints.is_empty() { Ok(found) } else { Err(complaints) }
}

/// What the comment at line `at` says, and the test below it.
fn shown(path: &str, lines: &[&str], at: usize) -> Result<(Vec<String>, Test), String> {
    let Some(list) = lines[at].strip_prefix("// Shows:") else {
        return Err("it begins with `// Shows:`, and is no documentation".to_owned());
    };
    let mut list = list.trim().to_owned();
    let mut next = at + 1;
    while list.ends_with(',') {
        let more = lines.get(next).and_then(|line| line.strip_prefix("// "));
        list.push_str(more.ok_or("the list ends in a comma")?);
        next += 1;
    }
    let ids = ids(&list)?;
    let name = test_below(&lines[next..]).ok_or("`Shows` stands on a test only")?;
    let package = path.split('/').nth(1).unwrap_or_default().to_owned();
    Ok((ids, Test { package, file: path.to_owned(), line: at + 1, name }))
}

/// The ids of a list, ranges written out.
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

/// The ids from `first` to `last`, with as many digits as the first.
fn range(first: &str, last: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("no range of ids: `{first} to {last}`");
    let (series, start) = numbered(first).ok_or_else(wrong)?;
    let (other, end) = numbered(last).ok_or_else(wrong)?;
    if series != other || start >= end {
        return Err(wrong());
    }
    let digits = first.len() - series.len();
    Ok((start..=end).map(|number| format!("{series}{number:0digits$}")).collect())
}

/// The name of the function below, if only comments and attributes stand before it and one of
/// them makes it a test.
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
    fn the_comment_stands_above_a_test() {
        check("// Shows: AC-001\n#[test]\nfn a() {}\n", "AC-001", "a");
        check("    // Shows: A-1, B-2\n    #[tokio::test]\n    async fn b() {}\n", "A-1 B-2", "b");
        check("// Shows: A-1\n/// Why.\n#[cfg(unix)]\n#[test]\nfn c() {}\n", "A-1", "c");
        check("/// Why.\n// Shows: A-1\n#[test]\nfn d(case in case()) {}\n", "A-1", "d");
        check("// Shows: A-1\n#[tokio::test(flavor = \"x\")]\nasync fn e() {}\n", "A-1", "e");
        check("// Shows: A-1\n#[allow(\n    a,\n)]\n#[test]\nfn f() {}\n", "A-1", "f");
        assert_eq!(found("#[test]\nfn g() {}\n"), []);
    }

    #[test]
    fn a_long_list_goes_on_after_its_comma() {
        check("// Shows: A-1,\n// A-2, A-3\n// Not this.\n#[test]\nfn a() {}", "A-1 A-2 A-3", "a");
        let two = "// Shows: A-1\n// Shows: A-2\n#[test]\nfn b() {}\n";
        let name = || "b".to_owned();
        assert_eq!(found(two), [("A-1".to_owned(), name()), ("A-2".to_owned(), name())]);
    }

    #[test]
    fn ranges_are_written_out() {
        check(
            "// Shows: FR-016-08 to FR-016-10, A-1\n#[test]\nfn a() {}\n",
            "FR-016-08 FR-016-09 FR-016-10 A-1",
            "a",
        );
        check_wrong(
            "// Shows: A-3 to A-1\n#[test]\nfn a() {}\n",
            "1: no range of ids: `A-3 to A-1`",
        );
        check_wrong(
            "// Shows: A-1 to B-2\n#[test]\nfn a() {}\n",
            "1: no range of ids: `A-1 to B-2`",
        );
    }

    #[test]
    fn what_is_no_test_shows_nothing() {
        let wrong = "1: `Shows` stands on a test only";
        check_wrong("// Shows: A-1\nfn a() {}\n", wrong);
        check_wrong("// Shows: A-1\n#[test_case]\nfn a() {}\n", wrong);
        check_wrong("// Shows: A-1\n\n#[test]\nfn a() {}\n", wrong);
        check_wrong("// Shows: A-1\n#[test]\nstruct A;\n", wrong);
        check_wrong("// Shows: A-1\n", wrong);
    }

    #[test]
    fn a_comment_that_is_written_wrongly_is_named() {
        let wrong = "1: it begins with `// Shows:`, and is no documentation";
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
            Test { package, file, line: 1, name: "t".to_owned() }.full_name()
        };
        assert_eq!(name("src/budget.rs"), "kitbag-core::budget::t");
        assert_eq!(name("src/rank/mod.rs"), "kitbag-core::rank::t");
        assert_eq!(name("tests/stages/dedup.rs"), "kitbag-core::stages::dedup::t");
        assert_eq!(name("tests/properties.rs"), "kitbag-core::properties::t");
    }
}

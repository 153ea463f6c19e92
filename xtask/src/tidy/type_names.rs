//! Type names that more than one place of the workspace defines.

use super::rust_file::RustFile;
use std::collections::BTreeMap;

/// Type definitions of the workspace, and those whose name is not unique.
#[derive(Debug, Default)]
pub struct TypeNames {
    pub total: usize,
    pub violations: Vec<String>,
}

impl TypeNames {
    pub fn new(files: &[RustFile]) -> Self {
        let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for file in files.iter().filter(|file| file.module().is_some()) {
            for it in &file.types {
                places.entry(&it.name).or_default().push(format!("{}:{}", file.path, it.line));
            }
        }
        let total = places.values().map(Vec::len).sum();
        let mut violations = Vec::new();
        for (name, places) in places.iter().filter(|(_, places)| places.len() > 1) {
            for place in places {
                let others: Vec<&str> =
                    places.iter().filter(|it| *it != place).map(String::as_str).collect();
                violations.push(format!("{place}: `{name}` is also at {}", others.join(", ")));
            }
        }
        Self { total, violations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_one_name_are_listed() {
        let parse =
            |path: &str, text: &str| RustFile::parse(path, text).expect("the grammar is built in");
        let files = [
            parse("crates/a/src/lib.rs", "struct A;\nenum B {}"),
            parse("crates/b/src/lib.rs", "trait A {}"),
            parse("crates/b/tests/b.rs", "struct B;"),
        ];
        let names = TypeNames::new(&files);
        assert_eq!(names.total, 3);
        let expected = [
            "crates/a/src/lib.rs:1: `A` is also at crates/b/src/lib.rs:1",
            "crates/b/src/lib.rs:1: `A` is also at crates/a/src/lib.rs:1",
        ];
        assert_eq!(names.violations, expected);
    }
}

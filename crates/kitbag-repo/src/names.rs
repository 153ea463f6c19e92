//! Short names for repositories.

use std::path::{Path, PathBuf};

/// Returns for each path its shortest suffix that no other path shares.
pub fn shortest_names(paths: &[PathBuf]) -> Vec<String> {
    let name = |path: &PathBuf| {
        let is_unique = |length: &usize| {
            let suffix = suffix(path, *length);
            paths.iter().filter(|other| self::suffix(other, *length) == suffix).count() == 1
        };
        let length = (1..=path.components().count()).find(is_unique);
        suffix(path, length.unwrap_or(usize::MAX))
    };
    paths.iter().map(name).collect()
}

/// Returns the last `length` components of a path.
fn suffix(path: &Path, length: usize) -> String {
    let skipped = path.components().count().saturating_sub(length);
    path.components().skip(skipped).collect::<PathBuf>().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_shortest_unique_suffixes() {
        let names =
            |paths: &[&str]| shortest_names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(names(&["/x/a/app", "/x/b/app", "/x/b/lib"]), ["a/app", "b/app", "lib"]);
        assert_eq!(names(&["/app", "/x/app"]), ["/app", "x/app"]);
        assert_eq!(names(&["/"]), ["/"]);
        assert!(names(&[]).is_empty());
    }
}

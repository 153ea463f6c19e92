//! What repositories are called.

use std::path::{Path, PathBuf};

/// For every path the shortest end of it that no other one has.
pub fn shortest_names(paths: &[PathBuf]) -> Vec<String> {
    let name = |path: &PathBuf| {
        let is_own = |length: &usize| {
            let end = tail(path, *length);
            paths.iter().filter(|other| tail(other, *length) == end).count() == 1
        };
        let length = (1..=path.components().count()).find(is_own);
        tail(path, length.unwrap_or(usize::MAX))
    };
    paths.iter().map(name).collect()
}

/// The last components of a path.
fn tail(path: &Path, length: usize) -> String {
    let skipped = path.components().count().saturating_sub(length);
    path.components().skip(skipped).collect::<PathBuf>().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_tells_them_apart() {
        let names =
            |paths: &[&str]| shortest_names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(names(&["/x/a/app", "/x/b/app", "/x/b/lib"]), ["a/app", "b/app", "lib"]);
        assert_eq!(names(&["/app", "/x/app"]), ["/app", "x/app"]);
        assert_eq!(names(&["/"]), ["/"]);
        assert!(names(&[]).is_empty());
    }
}

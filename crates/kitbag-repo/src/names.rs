//! Names for repositories: for people, and for their folders in a cache.

use kitbag_text::hex;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Returns the folder under `cache` for data about the repository at `root`: its name for people, and a
/// hash of the root and of `variant`, which distinguishes several folders of one repository.
pub fn folder_for(cache: &Path, root: &Path, variant: &str) -> PathBuf {
    let mut hash = Sha256::new();
    hash.update(root.as_os_str().as_encoded_bytes());
    hash.update(b"\0");
    hash.update(variant);
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().filter(|it| it.is_ascii_alphanumeric()).take(24).collect();
    cache.join(format!("{name}-{}", hex(&hash.finalize()[..10])))
}

/// Returns for each path its shortest suffix that no other path shares. A folder `repo` at the end, as in folders of
/// mirrors, is left out if the others still differ.
pub fn shortest_names(paths: &[PathBuf]) -> Vec<String> {
    let outer = |path: &PathBuf| match path.parent() {
        Some(outer) if path.ends_with("repo") && outer.file_name().is_some() => outer.to_owned(),
        _ => path.clone(),
    };
    let outer: Vec<PathBuf> = paths.iter().map(outer).collect();
    let is_distinct = outer.iter().all(|path| outer.iter().filter(|it| *it == path).count() == 1);
    let paths = if is_distinct { &outer[..] } else { paths };
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
        assert_eq!(names(&["/m/a+x/repo", "/m/b+y/repo"]), ["a+x", "b+y"]);
        assert_eq!(names(&["/m/x/repo", "/m/x"]), ["repo", "x"]);
        assert_eq!(names(&["/repo"]), ["repo"]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn folder_names_are_readable_and_distinct() {
        let name = |root: &str, variant: &str| {
            let folder = folder_for(Path::new("/cache"), Path::new(root), variant);
            folder.file_name().unwrap().to_string_lossy().into_owned()
        };
        assert!(name("/repositories/my project!", "variant").starts_with("myproject-"));
        assert_ne!(name("/a/x", "variant"), name("/b/x", "variant"));
        assert_ne!(name("/a/x", "variant"), name("/a/x", "other"));
        assert!(name("/", "variant").len() > 10);
    }
}

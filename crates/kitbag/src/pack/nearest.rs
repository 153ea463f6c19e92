//! Suggests a path for one that does not exist.

use crate::error::Error;
use kitbag_core::Excluded;
use kitbag_repo::{FileEntry, Globs, PathError, Root, Tree, WorkTree};

/// Least similarity of a path that is suggested, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.6;

/// Adds the most similar path to the detail of each input that does not exist.
pub(super) fn suggest_paths<'a>(
    rejected: impl Iterator<Item = &'a mut Excluded>,
    files: &[FileEntry],
) {
    let missing = PathError::NotFound { path: String::new() }.reason();
    for out in rejected.filter(|out| out.detail == missing) {
        if let Some(path) = nearest(&out.path, files) {
            out.detail = format!("{missing}; did you mean `{path}`?");
        }
    }
}

/// Adds the most similar path of a work tree to an error about a path that does not exist.
pub(crate) fn with_nearest_path(error: Error, root: &Root) -> Error {
    match error {
        Error::Path(error @ PathError::NotFound { .. }) => {
            let tree = WorkTree::walk(root, &Globs::default());
            match nearest(error.path(), tree.files()).map(str::to_owned) {
                Some(nearest) => Error::MisspelledPath { error, nearest },
                None => Error::Path(error),
            }
        }
        error => error,
    }
}

/// Returns the path that is most similar: among files of the same name, if there are any.
fn nearest<'a>(path: &str, files: &'a [FileEntry]) -> Option<&'a str> {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let score = |file: &FileEntry| {
        let other = file.path.to_lowercase();
        let other_name = other.rsplit('/').next().unwrap_or(&other);
        // A difference in length bounds the similarity of names, and is cheap to compute.
        if name != other_name && name.len().abs_diff(other_name.len()) > name.len() / 2 {
            return 0.0;
        }
        let names = strsim::normalized_damerau_levenshtein(name, other_name);
        // The name decides, and the folders break ties.
        if names < MIN_SIMILARITY {
            return 0.0;
        }
        names + 0.1 * strsim::normalized_damerau_levenshtein(&lower, &other)
    };
    let scored = files.iter().map(|file| (score(file), file.path.as_str()));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
    (best.0 > 0.0).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_repo::FileId;

    #[test]
    fn the_name_decides_and_folders_break_ties() {
        let id = FileId::Stat { modified: 0, changed: 0, size: 0 };
        let file = |path: &str| FileEntry { path: path.to_owned(), size: 0, id };
        let files = ["lib/auth.rs", "src/auth.rs", "src/oauth.rs", "src/main.rs"].map(file);
        let nearest = |path| nearest(path, &files);
        assert_eq!(nearest("src/atuh.rs"), Some("src/auth.rs"));
        assert_eq!(nearest("auth.rs"), Some("lib/auth.rs"));
        assert_eq!(nearest("src/Main.rs"), Some("src/main.rs"));
        assert_eq!(nearest("zebra.py"), None);
    }
}

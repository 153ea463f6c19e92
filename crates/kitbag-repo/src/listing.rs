//! The files of one folder, including hidden ones: rules and settings for tools are in folders such as
//! `.agent` and `.github`, which a walk of the work tree skips.
//!
//! Only names are listed here; [`Root::read`] checks every path again. A link to a file inside the root is
//! listed; a link to a folder, or to anything outside, is reported and not followed.

use crate::commit_files::CommitPath;
use crate::tree::sort;
use crate::{CommitFiles, FileEntry, PathError, Root, SkipCode, Skipped};
use std::fs;
use std::path::Path;

/// Folders nested more deeply are not listed.
const MAX_DEPTH: usize = 16;

/// The contents of a folder.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// The files with their paths relative to the root, sorted by the bytes of their paths.
    pub files: Vec<FileEntry>,
    /// The files that were left out for a reason worth reporting, sorted by path.
    pub skipped: Vec<Skipped>,
}

impl Root {
    /// Lists at most `limit` files of a folder and its subfolders; none if the folder does not exist.
    /// Ignore rules do not apply, but the denylist does.
    #[doc(hidden)]
    pub fn list(&self, folder: &str, limit: usize) -> Listing {
        let mut listing = Listing::default();
        match self.resolve_folder(folder) {
            Ok(folder) => match self.commit_files() {
                Some(commit) => self.list_commit(commit, &folder, limit, &mut listing),
                None => self.list_into(folder, limit, &mut listing),
            },
            Err(PathError::NotFound { .. }) => {}
            Err(error) => listing.skipped.push(error.into()),
        }
        sort(&mut listing.files, &mut listing.skipped);
        listing
    }

    /// Returns the file at a path relative to the root, under its path without symbolic links.
    #[doc(hidden)]
    pub fn entry(&self, path: &str) -> Result<FileEntry, PathError> {
        if let Some(commit) = self.commit_files() {
            return commit.file(&self.resolve(Path::new(path))?);
        }
        let failed = |error| PathError::io(path, error);
        let typed = self.normalize(path)?;
        // Most of the paths that callers try do not exist, which this notices with one system call.
        fs::symlink_metadata(self.path().join(typed)).map_err(failed)?;
        let resolved = self.resolve(Path::new(path))?;
        let metadata = fs::metadata(self.path().join(&resolved)).map_err(failed)?;
        Ok(FileEntry::from_metadata(resolved, &metadata))
    }

    /// Resolves a folder inside the root to its path without symbolic links, relative to the root.
    fn resolve_folder(&self, folder: &str) -> Result<String, PathError> {
        if let Some(commit) = self.commit_files() {
            return match commit.resolve(folder)? {
                CommitPath::Folder(relative) => {
                    self.permit(&relative, folder)?;
                    Ok(relative)
                }
                CommitPath::File(path) => Err(PathError::NotAFile { path }),
            };
        }
        let resolved = fs::canonicalize(self.path().join(folder))
            .map_err(|error| PathError::io(folder, error))?;
        let outside = |_| PathError::OutsideRoot { path: folder.to_owned() };
        let inside = resolved.strip_prefix(self.path()).map_err(outside)?;
        let relative = inside.to_string_lossy().replace('\\', "/");
        self.permit(&relative, folder)?;
        Ok(relative)
    }

    fn list_into(&self, folder: String, limit: usize, listing: &mut Listing) {
        let mut folders = vec![(folder, 0)];
        while let Some((folder, depth)) = folders.pop() {
            let entries = match fs::read_dir(self.path().join(&folder)) {
                Ok(entries) => entries,
                Err(error) => {
                    listing.skipped.push(PathError::io(&folder, error).into());
                    continue;
                }
            };
            // The system lists a folder in any order, which must not decide which files are left out.
            let mut entries: Vec<fs::DirEntry> = entries.flatten().collect();
            entries.sort_unstable_by_key(fs::DirEntry::file_name);
            for entry in entries {
                if listing.files.len() >= limit {
                    let detail = format!("more than {limit} files");
                    let code = SkipCode::TooMany;
                    listing.skipped.push(Skipped { path: folder, code, detail });
                    return;
                }
                match self.folder_item(&folder, &entry) {
                    Ok(FolderItem::File(file)) => listing.files.push(file),
                    Ok(FolderItem::Folder(path)) if depth < MAX_DEPTH => {
                        folders.push((path, depth + 1));
                    }
                    Ok(FolderItem::Folder(path)) => {
                        let detail = format!("more than {MAX_DEPTH} folders deep");
                        listing.skipped.push(Skipped { path, code: SkipCode::TooDeep, detail });
                    }
                    Err(error) => listing.skipped.push(error.into()),
                }
            }
        }
    }

    /// Lists the files of a commit below a folder, in order.
    fn list_commit(&self, commit: &CommitFiles, folder: &str, limit: usize, listing: &mut Listing) {
        for path in commit.below(folder) {
            if listing.files.len() >= limit {
                let (path, detail) = (folder.to_owned(), format!("more than {limit} files"));
                listing.skipped.push(Skipped { path, code: SkipCode::TooMany, detail });
                return;
            }
            let file = self.permit(path, path).and_then(|()| self.entry(path));
            match file {
                // A link is listed under its own path.
                Ok(file) => listing.files.push(FileEntry { path: path.to_owned(), ..file }),
                Err(error) => listing.skipped.push(error.into()),
            }
        }
    }

    fn folder_item(&self, folder: &str, entry: &fs::DirEntry) -> Result<FolderItem, PathError> {
        let name = entry.file_name();
        let lossy = name.to_string_lossy();
        let path = if folder.is_empty() { lossy.to_string() } else { format!("{folder}/{lossy}") };
        if name.to_str().is_none() {
            return Err(PathError::Invalid { path, reason: "the file name is not UTF-8" });
        }
        self.permit(&path, &path)?;
        let kind = entry.file_type().map_err(|error| PathError::io(&path, error))?;
        if kind.is_dir() {
            return Ok(FolderItem::Folder(path));
        }
        let metadata = if kind.is_symlink() {
            fs::metadata(self.path().join(self.resolve(Path::new(&path))?))
        } else if kind.is_file() {
            entry.metadata()
        } else {
            return Err(PathError::NotAFile { path });
        };
        let metadata = metadata.map_err(|error| PathError::io(&path, error))?;
        Ok(FolderItem::File(FileEntry::from_metadata(path, &metadata)))
    }
}

enum FolderItem {
    File(FileEntry),
    Folder(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        let root = Root::open(folder.path()).unwrap();
        (folder, root)
    }

    fn paths(listing: &Listing) -> Vec<&str> {
        listing.files.iter().map(|file| file.path.as_str()).collect()
    }

    fn codes(listing: &Listing) -> Vec<(&str, SkipCode)> {
        listing.skipped.iter().map(|it| (it.path.as_str(), it.code)).collect()
    }

    #[test]
    fn hidden_files_are_listed_in_order_and_denied_ones_reported() {
        let (_folder, root) = folder(&[".agent/b.yml", ".agent/a/c.md", ".agent/.env", "x.md"]);
        let listing = root.list(".agent", 100);
        assert_eq!(paths(&listing), [".agent/a/c.md", ".agent/b.yml"]);
        assert_eq!(codes(&listing), [(".agent/.env", SkipCode::Denied)]);
        assert!(root.list(".cursor", 100).files.is_empty());
        assert!(root.list(".cursor", 100).skipped.is_empty());
    }

    #[test]
    fn files_beyond_the_limit_are_reported() {
        let (_folder, root) = folder(&["d/1", "d/2", "d/3"]);
        let listing = root.list("d", 2);
        assert_eq!(paths(&listing), ["d/1", "d/2"]);
        assert_eq!(codes(&listing), [("d", SkipCode::TooMany)]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_only_to_files_inside_the_root() {
        use std::os::unix::fs::symlink;
        let (folder, root) = folder(&["d/real.md", "e/other.md"]);
        symlink("../e/other.md", folder.path().join("d/inside.md")).unwrap();
        symlink("/etc/hostname", folder.path().join("d/outside.md")).unwrap();
        symlink("..", folder.path().join("d/up")).unwrap();
        symlink("/etc", folder.path().join("away")).unwrap();
        let listing = root.list("d", 100);
        assert_eq!(paths(&listing), ["d/inside.md", "d/real.md"]);
        assert_eq!(
            codes(&listing),
            [("d/outside.md", SkipCode::OutsideRoot), ("d/up", SkipCode::NotAFile)]
        );
        assert_eq!(codes(&root.list("away", 100)), [("away", SkipCode::OutsideRoot)]);
        assert_eq!(root.entry("d/inside.md").unwrap().path, "e/other.md");
        assert_eq!(root.entry("d/outside.md").unwrap_err().code(), SkipCode::OutsideRoot);
        assert_eq!(root.entry("d/none.md").unwrap_err().code(), SkipCode::NotFound);
    }
}

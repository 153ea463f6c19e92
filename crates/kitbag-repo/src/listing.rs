//! The files of one folder, hidden ones too: what people write for tools lies in folders such as
//! `.agent` and `.github`, which a walk of the work tree passes over.
//!
//! Names are listed here and bytes are read by [`Root::read`], which checks every path again. A
//! link to a file inside the root is listed; one that leads outside, and a link to a folder, is
//! told and not followed.

use crate::work_tree::file_entry;
use crate::{FileEntry, PathError, Root, Skipped};
use std::fs;
use std::path::Path;

/// Folders that lie deeper are not looked into.
const MOST_DEPTH: usize = 16;

/// What a folder has in it.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// The files, sorted by the bytes of their paths, which are relative to the root.
    pub files: Vec<FileEntry>,
    /// What was left out for a reason worth telling, sorted by path.
    pub skipped: Vec<Skipped>,
}

impl Root {
    /// The files of a folder and of the folders in it, `most` at the most; nothing where there is
    /// no such folder. Ignore rules do not hold here, but the denylist does.
    pub fn list(&self, folder: &str, most: usize) -> Listing {
        let mut listing = Listing::default();
        match self.folder(folder) {
            Ok(folder) => self.list_into(&folder, most, &mut listing),
            Err(PathError::NotFound { .. }) => {}
            Err(error) => listing.skipped.push(error.into()),
        }
        listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        listing.skipped.sort_unstable_by(|a, b| (&a.path, a.code).cmp(&(&b.path, b.code)));
        listing
    }

    /// The file that a path, relative to the root, leads to, under the path that it really has.
    pub fn entry(&self, path: &str) -> Result<FileEntry, PathError> {
        let failed = |error| PathError::io(path, error);
        let typed = self.normalise(path)?;
        // Most names that are asked for are not there: that is told by one look.
        fs::symlink_metadata(self.path().join(typed)).map_err(failed)?;
        let resolved = self.resolve(Path::new(path))?;
        let metadata = fs::metadata(self.path().join(&resolved)).map_err(failed)?;
        Ok(file_entry(resolved, &metadata))
    }

    /// A folder that is inside the root, links resolved, relative to it.
    fn folder(&self, folder: &str) -> Result<String, PathError> {
        let failed = |error| PathError::io(folder, error);
        let resolved = fs::canonicalize(self.path().join(folder)).map_err(failed)?;
        let outside = || PathError::OutsideRoot { path: folder.to_owned() };
        let inside = resolved.strip_prefix(self.path()).map_err(|_| outside())?;
        let relative = inside.to_string_lossy().replace('\\', "/");
        self.permit(&relative, folder)?;
        Ok(relative)
    }

    fn list_into(&self, folder: &str, most: usize, listing: &mut Listing) {
        let mut folders = vec![(folder.to_owned(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let entries = match fs::read_dir(self.path().join(&folder)) {
                Ok(entries) => entries,
                Err(error) => {
                    listing.skipped.push(PathError::io(&folder, error).into());
                    continue;
                }
            };
            // The order of a folder is the system's: what is left out must not hang on it.
            let mut entries: Vec<fs::DirEntry> = entries.flatten().collect();
            entries.sort_unstable_by_key(fs::DirEntry::file_name);
            for entry in entries {
                if listing.files.len() >= most {
                    let detail = format!("more than {most} files: `{folder}`");
                    listing.skipped.push(Skipped { path: folder, code: "too_many", detail });
                    return;
                }
                match self.look(&folder, &entry) {
                    Ok(Some(Seen::File(file))) => listing.files.push(file),
                    Ok(Some(Seen::Folder(path))) if depth < MOST_DEPTH => {
                        folders.push((path, depth + 1));
                    }
                    Ok(Some(Seen::Folder(path))) => {
                        let detail = format!("more than {MOST_DEPTH} folders deep: `{path}`");
                        listing.skipped.push(Skipped { path, code: "too_deep", detail });
                    }
                    Ok(None) => {}
                    Err(error) => listing.skipped.push(error.into()),
                }
            }
        }
    }

    /// What one name in a folder is.
    fn look(&self, folder: &str, entry: &fs::DirEntry) -> Result<Option<Seen>, PathError> {
        let name = entry.file_name();
        let lossy = name.to_string_lossy();
        let path = if folder.is_empty() { lossy.to_string() } else { format!("{folder}/{lossy}") };
        if name.to_str().is_none() {
            return Err(PathError::Invalid { path, reason: "not UTF-8" });
        }
        self.permit(&path, &path)?;
        let kind = entry.file_type().map_err(|error| PathError::io(&path, error))?;
        if kind.is_dir() {
            return Ok(Some(Seen::Folder(path)));
        }
        if kind.is_symlink() {
            let resolved = self.resolve(Path::new(&path))?;
            let metadata = fs::metadata(self.path().join(resolved));
            let metadata = metadata.map_err(|error| PathError::io(&path, error))?;
            return Ok(Some(Seen::File(file_entry(path, &metadata))));
        }
        if !kind.is_file() {
            return Err(PathError::NotAFile { path });
        }
        let metadata = entry.metadata().map_err(|error| PathError::io(&path, error))?;
        Ok(Some(Seen::File(file_entry(path, &metadata))))
    }
}

/// What a name in a folder is.
enum Seen {
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

    fn codes(listing: &Listing) -> Vec<(&str, &str)> {
        listing.skipped.iter().map(|it| (it.path.as_str(), it.code)).collect()
    }

    #[test]
    fn hidden_files_of_a_folder_are_listed_in_order_and_denied_ones_told() {
        let (_folder, root) = folder(&[".agent/b.yml", ".agent/a/c.md", ".agent/.env", "x.md"]);
        let listing = root.list(".agent", 100);
        assert_eq!(paths(&listing), [".agent/a/c.md", ".agent/b.yml"]);
        assert_eq!(codes(&listing), [(".agent/.env", "denied")]);
        assert!(root.list(".cursor", 100).files.is_empty());
        assert!(root.list(".cursor", 100).skipped.is_empty());
    }

    #[test]
    fn what_is_too_many_is_told() {
        let (_folder, root) = folder(&["d/1", "d/2", "d/3"]);
        let listing = root.list("d", 2);
        assert_eq!(paths(&listing), ["d/1", "d/2"]);
        assert_eq!(codes(&listing), [("d", "too_many")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_files_inside_only() {
        use std::os::unix::fs::symlink;
        let (folder, root) = folder(&["d/real.md", "e/other.md"]);
        symlink("../e/other.md", folder.path().join("d/inside.md")).unwrap();
        symlink("/etc/hostname", folder.path().join("d/outside.md")).unwrap();
        symlink("..", folder.path().join("d/up")).unwrap();
        symlink("/etc", folder.path().join("away")).unwrap();
        let listing = root.list("d", 100);
        assert_eq!(paths(&listing), ["d/inside.md", "d/real.md"]);
        assert_eq!(codes(&listing), [("d/outside.md", "outside_root"), ("d/up", "not_a_file")]);
        assert_eq!(codes(&root.list("away", 100)), [("away", "outside_root")]);
        assert_eq!(root.entry("d/inside.md").unwrap().path, "e/other.md");
        assert_eq!(root.entry("d/outside.md").unwrap_err().code(), "outside_root");
        assert_eq!(root.entry("d/none.md").unwrap_err().code(), "not_found");
    }
}

//! Finds the `git` program.
//!
//! Relative entries of `PATH` would be searched in the current folder, which may be the repository, so
//! only absolute ones count; nor is a program used that is in the repository itself.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const NAME: &str = if cfg!(windows) { "git.exe" } else { "git" };

/// Returns the first `git` of the absolute entries of `PATH` that is outside of `repository`, a path
/// without symbolic links.
pub(crate) fn find_git(search_path: &OsStr, repository: &Path) -> Option<PathBuf> {
    let folders = std::env::split_paths(search_path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(NAME)).find(|program| {
        let resolved = program.canonicalize();
        let is_outside = |folder: &Path| {
            folder.canonicalize().is_ok_and(|folder| !folder.starts_with(repository))
        };
        is_executable(program)
            && program.parent().is_some_and(is_outside)
            && resolved.is_ok_and(|resolved| !resolved.starts_with(repository))
    })
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn program(folder: &Path, mode: u32) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join("git");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn only_executables_of_absolute_folders_outside_the_repository_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let repository = top.join("repository");
        program(&repository.join("bin"), 0o755);
        program(&top.join("data"), 0o644);
        fs::create_dir(top.join("links")).unwrap();
        symlink(repository.join("bin/git"), top.join("links/git")).unwrap();
        symlink(repository.join("bin"), top.join("linked")).unwrap();
        let find =
            |entries: &[&Path]| find_git(&std::env::join_paths(entries).unwrap(), &repository);
        let bad = [repository.join("bin"), top.join("data"), top.join("links"), top.join("linked")];
        let mut entries: Vec<&Path> = vec![Path::new("."), Path::new(""), Path::new("bin")];
        entries.extend(bad.iter().map(PathBuf::as_path));
        assert_eq!(find(&entries), None);
        let good = program(&top.join("good"), 0o755);
        let folder = top.join("good");
        entries.push(&folder);
        assert_eq!(find(&entries), Some(good));
    }
}

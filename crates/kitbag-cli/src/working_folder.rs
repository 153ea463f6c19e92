//! The repository that a command uses without `--repo`: that of the current folder.

use kitbag::WorkingFolder;
use std::path::Path;
use std::sync::LazyLock;

/// The repository that the current folder belongs to, and the current folder in it.
static CURRENT: LazyLock<WorkingFolder> = LazyLock::new(|| {
    let home = kitbag::home_folder().and_then(|home| home.canonicalize().ok());
    let found = WorkingFolder::find(Path::new("."), home.as_deref());
    let here = || WorkingFolder { repo: ".".into(), folder: String::new() };
    found.ok().filter(|it| !it.folder.is_empty()).unwrap_or_else(here)
});

/// Returns the folder of `--repo`, or the repository of the current folder.
pub fn folder(repo: Option<&Path>) -> &Path {
    repo.unwrap_or_else(|| &CURRENT.repo)
}

/// Returns the current folder relative to its repository, if it is only a part of it and the command line
/// names no repository.
pub fn subfolder(repo: Option<&Path>) -> Option<&'static str> {
    let folder = CURRENT.folder.as_str();
    (repo.is_none() && !folder.is_empty()).then_some(folder)
}

/// Resolves a file of the command line, optionally with lines such as `:10-40`. In a subfolder it is
/// relative to the current folder, as with git, or else to the repository, as paths in packs are.
pub fn file_in(repo: Option<&Path>, file: &str) -> String {
    let Some(folder) = subfolder(repo) else { return file.to_owned() };
    let without_lines = file.rsplit_once(':').map_or(file, |(path, _)| path);
    let exists = |below: &Path| below.join(file).exists() || below.join(without_lines).exists();
    let is_of_repo = !exists(Path::new(".")) && exists(&CURRENT.repo);
    if is_of_repo { file.to_owned() } else { join(folder, file) }
}

/// Resolves globs of the command line as [`file_in`] does. One without `/` matches names at any depth,
/// and one that begins with `/` is relative to the repository.
pub fn globs_in(repo: Option<&Path>, globs: &[String]) -> Vec<String> {
    let Some(folder) = subfolder(repo) else { return globs.to_vec() };
    let resolve = |glob: &String| {
        let first = glob.split('/').next().unwrap_or_default();
        let is_anchored = glob.trim_end_matches('/').contains('/') && !first.is_empty();
        let is_of_repo = !Path::new(first).exists() && CURRENT.repo.join(first).exists();
        match is_anchored && first != "**" && !is_of_repo {
            true => join(folder, glob),
            false => glob.clone(),
        }
    };
    globs.iter().map(resolve).collect()
}

/// Joins a path to a folder, without `.` and `..`. A path that leads out of the repository is made
/// absolute.
fn join(folder: &str, path: &str) -> String {
    if Path::new(path).is_absolute() {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/').filter(|part| *part != ".") {
        let is_inside = part != ".." || parts.pop().is_some();
        if !is_inside {
            return CURRENT.repo.join(folder).join(path).display().to_string();
        }
        if part != ".." {
            parts.push(part);
        }
    }
    parts.join("/")
}

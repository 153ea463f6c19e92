//! Names of repositories that are the same on every machine.

use crate::git_dir::GitDir;
use crate::lookup::name_of_folder;
use std::path::Path;

/// Returns a name of the repository in `folder` that its clones share, such as `github.com/rust-lang/cargo`: that of
/// the remote `origin`, without protocol and credentials, else that of the folder, such as `owner/name` for
/// `owner+name/repo`. A folder of a repository counts as the repository.
pub fn shared_name(folder: &Path) -> String {
    let found = GitDir::find(folder);
    let origin = found.as_ref().and_then(GitDir::origin_url).and_then(|url| name_of_url(&url));
    origin.unwrap_or_else(|| name_of_folder(found.as_ref().map_or(folder, |found| &found.top)))
}

/// Returns host and path of a URL or of `host:path`. `None` for a local path, which other machines do not
/// have.
fn name_of_url(url: &str) -> Option<String> {
    let (host, path) = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?,
        None => {
            let (host, path) = url.split_once(':')?;
            // `C:\\repo` is a path, and so is everything with a slash before the colon.
            (host.len() > 1 && !host.contains('/')).then_some((host, path))?
        }
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host).to_ascii_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_clone_gives_the_same_name() {
        for url in [
            "https://github.com/django/django.git",
            "https://user:secret@github.com/django/django",
            "https://GitHub.com:443/django/django/",
            "ssh://git@github.com:22/django/django.git",
            "git@github.com:django/django.git",
            "github.com:/django/django",
        ] {
            assert_eq!(name_of_url(url).as_deref(), Some("github.com/django/django"), "{url}");
        }
    }

    #[test]
    fn without_a_remote_the_path_alone_gives_the_name() {
        for (folder, expected) in [
            ("/srv/mirrors/acme+app/repo", "acme/app"),
            ("/srv/mirrors/acme__app.git", "acme/app"),
            ("/srv/mirrors/app/repo", "app"),
            ("/srv/git/acme/app.git", "app"),
            ("/repo", "repo"),
        ] {
            assert_eq!(shared_name(Path::new(folder)), expected, "{folder}");
        }
    }

    #[test]
    fn local_paths_have_no_name() {
        for url in ["/srv/git/a", "../a", "file:///srv/git/a", "C:\\repo", "./a:b", ""] {
            assert_eq!(name_of_url(url), None, "{url}");
        }
    }
}

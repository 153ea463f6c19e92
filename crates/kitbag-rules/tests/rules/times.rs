//! Times of context files are cached while git and the files are unchanged.

use crate::fixture::Repo;
use std::process::Command;

fn git(repo: &Repo, time: i64, arguments: &[&str]) {
    let date = format!("{time} +0000");
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let done = Command::new("git")
        .arg("-C")
        .arg(repo.dir.path())
        .args(identity)
        .args(arguments)
        .env("GIT_COMMITTER_DATE", &date)
        .env("GIT_AUTHOR_DATE", &date)
        .status();
    assert!(done.unwrap().success(), "{arguments:?}");
}

#[test]
fn commits_and_edits_invalidate_cached_times() {
    const FILE: &str = ".agent/contexts/default.yml";
    let repo = Repo::with(&[(FILE, "metadata: {name: a}\n")]);
    git(&repo, 0, &["init", "--quiet"]);
    git(&repo, 0, &["add", "--all"]);
    git(&repo, 1_600_000_000, &["commit", "--quiet", "-m", "one"]);
    let times = || repo.reader.times(&repo.root(), None);
    assert_eq!((times().of(FILE), times().now), (Some(1_600_000_000), Some(1_600_000_000)));
    git(&repo, 1_600_000_100, &["commit", "--quiet", "--allow-empty", "-m", "two"]);
    assert_eq!((times().of(FILE), times().now), (Some(1_600_000_000), Some(1_600_000_100)));
    assert_eq!(repo.reader.times(&repo.root(), Some(5)).now, Some(5));
    repo.write(FILE, "metadata: {name: another}\n");
    assert!(times().of(FILE) > Some(1_600_000_100), "the modification time of a changed file");
    git(&repo, 1_600_000_200, &["commit", "--quiet", "--all", "-m", "three"]);
    assert_eq!((times().of(FILE), times().now), (Some(1_600_000_200), Some(1_600_000_200)));
}
